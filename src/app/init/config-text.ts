import type { FrontMatterValue } from '../../article/format/mapping.js';
import type { GeneratorOptions } from '../../generators/generator.js';
import type { Answers } from './answers.js';

/** The content of a config file. */
export interface ConfigContents {
  /** Undefined if it is not known yet. */
  readonly siteUrl: string | undefined;
  readonly service: Answers['service'];
  /** Left out if Pressmark builds the site and the folder is the default. */
  readonly content?: string;
  readonly output?: string;
  /** The generator; undefined if Pressmark builds the site itself. */
  readonly built?: BuiltSite;
}

/** Further settings for a site of another generator. */
export interface BuiltSite {
  readonly generator: string;
  /** The options of the generator. */
  readonly options: GeneratorOptions;
  readonly build: string | undefined;
  readonly file: string;
  readonly permalink: string;
  readonly body: 'markdown' | 'html';
  readonly frontMatter: Readonly<Record<string, FrontMatterValue>>;
}

const NO_SITE_URL =
  "// siteUrl: 'https://example.com', // set this before the first article: URLs are frozen at publication";

const PLAIN_SITE = `site: {
    title: 'My site',
    description: '',
    language: 'en',
  },`;

/** The text of `pressmark.config.mjs`. */
export function configText({ siteUrl, service, content, output, built }: ConfigContents): string {
  const line = (key: string, value: unknown, comment: string) =>
    value === undefined
      ? []
      : [`${key}: ${literal(value)},${built === undefined || comment === '' ? '' : ` // ${comment}`}`];
  const lines = [
    ...(built === undefined ? [] : line('generator', generatorOf(built), '')),
    ...(siteUrl === undefined ? [NO_SITE_URL] : line('siteUrl', siteUrl, '')),
    ...(service === undefined ? [] : [`service: ${literal(service)}, // what the service's headers call it`]),
    ...line('content', content, 'the folder of article files'),
    ...line('output', output, 'the folder of the built site'),
    ...line('build', built?.build, 'what builds the site after each change'),
    ...(built === undefined ? [PLAIN_SITE] : ['articles: {', ...articleLines(built), '},']),
  ];
  return `// The settings of Pressmark; every one is explained in its docs/configuration.md.
/** @type {import('pressmark').ConfigInput} */
export default {
${lines.map((text) => `  ${text}\n`).join('')}};
`;
}

function generatorOf({ generator, options }: BuiltSite): unknown {
  return Object.keys(options).length === 0 ? generator : { name: generator, ...options };
}

function articleLines({ file, permalink, body, frontMatter }: BuiltSite): string[] {
  const hasKeys = Object.keys(frontMatter).length > 0;
  return [
    `  file: ${literal(file)}, // where a new article goes, below content`,
    `  permalink: ${literal(permalink)}, // its address, below siteUrl`,
    ...(body === 'html' ? ["  body: 'html', // articles are stored as HTML, not as Markdown"] : []),
    ...(hasKeys ? [`  frontMatter: ${literal(frontMatter)}, // every new article has these keys`] : []),
  ];
}

/** A value as formatted JavaScript. */
export function literal(value: unknown): string {
  if (typeof value === 'string')
    return /^[^\\'\p{Cc}\u2028\u2029]*$/u.test(value) ? `'${value}'` : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, one]) => `${keyText(key)}: ${literal(one)}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

function keyText(key: string): string {
  if (key === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : literal(key);
}
