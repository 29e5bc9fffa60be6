import type { FrontMatterValue } from '../../article/mapping.js';
import type { GeneratorOptions } from '../../generators/generator.js';
import type { Answers } from './answers.js';

/** What the config of a site of another generator says. */
export interface GeneratorConfig {
  readonly generator: string;
  /** What the generator has been asked about article files. */
  readonly options: GeneratorOptions;
  /** Undefined where nobody has said it yet. */
  readonly siteUrl: string | undefined;
  readonly service: Answers['service'];
  readonly content: string;
  readonly output: string;
  readonly build: string;
  readonly file: string;
  readonly permalink: string;
  readonly body: 'markdown' | 'html';
  readonly frontMatter: Readonly<Record<string, FrontMatterValue>>;
}

const HEAD = `// The settings of Pressmark; every one is explained in its docs/configuration.md.
/** @type {import('pressmark').ConfigInput} */
export default {
`;

/** Folders of a site that Pressmark builds itself, where they are not the usual ones. */
export interface PlainFolders {
  readonly content?: string;
  readonly output?: string;
}

/** The text of `pressmark.config.mjs` for a site that Pressmark builds itself. */
export function plainConfigText(
  { siteUrl, service }: Pick<GeneratorConfig, 'siteUrl' | 'service'>,
  folders: PlainFolders = {},
): string {
  const places = Object.entries(folders).map(([key, folder]) => `  ${key}: ${literal(folder)},`);
  return `${HEAD}${[siteUrlLine(siteUrl), ...serviceLines(service), ...places].join('\n')}
  site: {
    title: 'My site',
    description: '',
    language: 'en',
  },
};
`;
}

/** The text of `pressmark.config.mjs` for a site of another generator. */
export function generatorConfigText(config: GeneratorConfig): string {
  const { frontMatter, body, options } = config;
  const generator =
    Object.keys(options).length === 0 ? config.generator : { name: config.generator, ...options };
  const lines = [
    `  generator: ${literal(generator)},`,
    siteUrlLine(config.siteUrl),
    ...serviceLines(config.service),
    `  content: ${literal(config.content)}, // the folder of article files`,
    `  output: ${literal(config.output)}, // the folder of the built site`,
    `  build: ${literal(config.build)}, // what builds the site after each change`,
    '  articles: {',
    `    file: ${literal(config.file)}, // where a new article goes, below content`,
    `    permalink: ${literal(config.permalink)}, // its address, below siteUrl`,
    ...(body === 'html' ? ["    body: 'html', // articles are stored as HTML, not as Markdown"] : []),
    ...(Object.keys(frontMatter).length > 0
      ? [`    frontMatter: ${literal(frontMatter)}, // every new article has these keys`]
      : []),
    '  },',
  ];
  return `${HEAD}${lines.join('\n')}
};
`;
}

function serviceLines(service: Answers['service']): string[] {
  return service === undefined
    ? []
    : [`  service: ${literal(service)}, // what the service's headers call it`];
}

function siteUrlLine(siteUrl: string | undefined): string {
  return siteUrl === undefined
    ? "  // siteUrl: 'https://example.com', // set this before the first article: URLs are frozen at publication"
    : `  siteUrl: ${literal(siteUrl)},`;
}

/** A value as JavaScript, in the manner of people who format their code. */
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
