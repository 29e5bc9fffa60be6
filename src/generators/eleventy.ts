import slugify from '@sindresorhus/slugify';
import MarkdownIt from 'markdown-it';
import { splitFrontMatter } from '../article/front-matter.js';
import type {
  ArticleMapping,
  FileFacts,
  FrontMatterValue,
  IncomingBody,
  KeyNames,
  StoredBody,
} from '../article/mapping.js';
import { PressmarkError } from '../errors.js';
import { closedHtml } from './closed-html.js';
import { harmlessHtml, type Transforms } from './eleventy-html.js';
import type {
  Generator,
  GeneratorOptions,
  MappingOptions,
  Problem,
  Question,
  SiteFacts,
  SiteFiles,
  SiteSettings,
} from './generator.js';
import { type Literals, literalsOf, property, text } from './js-literals.js';

/** In the order in which Eleventy looks for them; a `.ts` file is read with `--config` alone. */
const CONFIG_FILES = [
  '.eleventy.js',
  'eleventy.config.js',
  'eleventy.config.mjs',
  'eleventy.config.cjs',
  'eleventy.config.ts',
];

/** Eleventy, from version 2 on. Measured with version 3.1; see docs/eleventy.md. */
export const eleventy: Generator = {
  name: 'eleventy',
  recognise: (files) =>
    configFile(files) ?? (dependencies(files).has('@11ty/eleventy') ? 'package.json' : undefined),
  inspect,
  options: (files) => siteOptions(readSite(files)),
  mapping,
  configFiles: [
    ...CONFIG_FILES,
    '.eleventyignore',
    '.gitignore',
    'package.json',
    ...['', 'src/', 'content/', 'site/'].flatMap((input) =>
      ['_data', '_includes', '_layouts'].map((name) => input + name),
    ),
  ],
  caches: ['_site', '.cache'],
  outputFlags(command, output) {
    const flag = `--output=${/^[\w./:\\-]+$/.test(output) ? output : JSON.stringify(output)}`;
    // npm passes arguments on behind `--` only.
    return /^\s*npm\s/.test(command) && !/\s--\s/.test(command) ? `-- ${flag}` : flag;
  },
  problems,
};

// --- The site's configuration ---------------------------------------------------------------------------------------

/** What the configuration says. Folders are relative to the site's folder and have no slash at the end; '' is the site's folder. */
interface Site {
  readonly files: SiteFiles;
  /** The configuration file and the site's own modules that it imports. */
  readonly source: string;
  readonly config: Literals;
  readonly input: string;
  readonly output: string;
  readonly includes: string;
  readonly layouts: string;
  readonly data: string;
  /** With a slash at both ends. */
  readonly pathPrefix: string;
  /** The script of package.json that runs Eleventy; empty where there is none. */
  readonly script: string;
}

function configFile(files: SiteFiles): string | undefined {
  return CONFIG_FILES.find((name) => files.read(name) !== undefined);
}

function readSite(files: SiteFiles): Site {
  const script = eleventyScript(files);
  const flag = (name: string) => new RegExp(`\\s--${name}[= ]["']?([^\\s"';&|]+)`).exec(script)?.[1];
  const file = flag('config') ?? configFile(files);
  const source = file === undefined ? '' : withImports(files, file.replace(/^\.\//, ''));
  const config = literalsOf(source);
  const folder = (method: string, key: string) =>
    config.calls.find(({ name }) => name === method)?.strings[0] ?? text(config, 'dir', key);
  const input = joined('', flag('input') ?? folder('setInputDirectory', 'input') ?? '.');
  const below = (method: string, key: string, usual: string) => joined(input, folder(method, key) ?? usual);
  const includes = below('setIncludesDirectory', 'includes', '_includes');
  const prefix = flag('pathprefix') ?? text(config, 'pathPrefix') ?? '/';
  return {
    files,
    source,
    config,
    input,
    output: joined('', flag('output') ?? folder('setOutputDirectory', 'output') ?? '_site'),
    includes,
    layouts:
      folder('setLayoutsDirectory', 'layouts') === undefined
        ? includes
        : below('setLayoutsDirectory', 'layouts', ''),
    data: below('setDataDirectory', 'data', '_data'),
    pathPrefix: `/${trimmed(prefix)}/`.replace('//', '/'),
    script,
  };
}

/** The text of a module, followed by those of the site's own modules that it imports. */
function withImports(files: SiteFiles, first: string): string {
  const found = new Map<string, string>();
  const waiting = [first];
  for (let path = waiting.shift(); path !== undefined && found.size < 50; path = waiting.shift()) {
    const source = found.has(path) ? undefined : files.read(path);
    if (source === undefined) continue;
    found.set(path, source);
    const folder = path.split('/').slice(0, -1).join('/');
    for (const [, target = ''] of source.matchAll(
      /(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g,
    )) {
      const base = joined(folder, target);
      waiting.push(...(/\.[cm]?[jt]s$/.test(base) ? [base] : [`${base}.js`, `${base}/index.js`]));
    }
  }
  return [...found.values()].join('\n');
}

function packageJson(files: SiteFiles): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(files.read('package.json') ?? '{}');
    return isRecord(read) ? read : {};
  } catch {
    return {}; // npm itself says so, in better words
  }
}

function dependencies(files: SiteFiles): Set<string> {
  const { dependencies: usual, devDependencies: dev } = packageJson(files);
  return new Set([usual, dev].flatMap((list) => (isRecord(list) ? Object.keys(list) : [])));
}

function scripts(files: SiteFiles): Record<string, string> {
  const { scripts: all } = packageJson(files);
  return Object.fromEntries(
    Object.entries(isRecord(all) ? all : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

const RUNS_ELEVENTY = /(?:^|[\s/;&|=])(?:@11ty\/)?eleventy(?=$|[\s;&|@])/;

/** The script that builds the site: `build`, or one that it may run. */
function eleventyScript(files: SiteFiles): string {
  const all = scripts(files);
  const candidates = [
    all.build,
    ...Object.entries(all).map(([name, script]) => (/serve|watch|start|dev/.test(name) ? '' : script)),
  ];
  return candidates.find((script) => script !== undefined && RUNS_ELEVENTY.test(script)) ?? '';
}

function buildCommand(site: Site): string {
  return scripts(site.files).build !== undefined && site.script !== ''
    ? 'npm run build'
    : 'npx @11ty/eleventy';
}

/** What decides how bodies are written and which tags stay. */
function siteOptions(site: Site): GeneratorOptions {
  const { config } = site;
  const formats = templateFormats(config);
  const separator = excerptSeparator(config);
  const elements = markedElements(site);
  const ids = usedIds(site);
  const keptTags = collectionTags(site);
  const zone = siteData(site, ['timezone', 'timeZone', 'time_zone']);
  return {
    ...(formats !== undefined && !formats.includes('html') && { htmlFiles: false }),
    ...(switchOff(config) !== undefined && { templateSwitch: false }),
    ...(dropsRawHtml(config) && { rawHtml: false }),
    ...(separator !== undefined && { excerptSeparator: separator }),
    ...(elements.length > 0 && { markedElements: elements }),
    ...(ids !== undefined && { usedIds: ids }),
    ...(keptTags.length > 0 && { keptTags }),
    ...(zone !== undefined && isTimeZone(zone) && { timeZone: zone }),
  };
}

function templateFormats({ properties, calls }: Literals): string[] | undefined {
  const set = calls
    .find(({ name }) => name === 'setTemplateFormats')
    ?.strings.flatMap((list) => list.split(','));
  const listed = properties
    .filter(({ path }) => path.at(-1) === 'templateFormats')
    .flatMap(({ value }) => String(value).split(','));
  const formats = set !== undefined && set.length > 0 ? set : listed;
  if (formats.length === 0) return undefined;
  const added = calls
    .filter(({ name }) => name === 'addTemplateFormats')
    .flatMap(({ strings }) => strings.flatMap((list) => list.split(',')));
  return [...formats, ...added].map((format) => format.trim());
}

/** What makes `templateEngineOverride: md` and `html` run templates all the same. */
function switchOff(config: Literals): string | undefined {
  const extension = config.calls.find(
    ({ name, strings }) => name === 'addExtension' && strings.some((one) => one === 'md' || one === 'html'),
  );
  if (extension !== undefined) return `addExtension('${extension.strings.join("', '")}')`;
  const renamed = text(config, 'keys', 'engineOverride');
  if (renamed !== undefined && renamed !== 'templateEngineOverride')
    return `keys.engineOverride ('${renamed}')`;
  return undefined;
}

function dropsRawHtml(config: Literals): boolean {
  if (config.properties.some(({ path, value }) => path.at(-1) === 'html' && value === false)) return true;
  const own = config.calls.some(({ name, strings }) => name === 'setLibrary' && strings[0] === 'md');
  // Without the option, markdown-it escapes raw HTML; Eleventy sets it for its own instance only.
  return own && !config.properties.some(({ path, value }) => path.at(-1) === 'html' && value === true);
}

function excerptSeparator(config: Literals): string | undefined {
  if (!config.calls.some(({ name }) => name === 'setFrontMatterParsingOptions')) return undefined;
  return text(config, 'excerpt_separator') ?? (property(config, 'excerpt') === true ? '---' : undefined);
}

/** Elements that plugins move into a bundle, or read the files of and may fail. */
function markedElements({ config, source }: Site): string[] {
  const selectors = config.properties.filter(({ path }) => path.at(-1) === 'bundleHtmlContentFromSelector');
  const bundled = selectors.flatMap(({ value }) => String(value).match(/[a-z]+/gi) ?? []);
  const images = /\beleventyImageTransformPlugin\b/.test(source) && property(config, 'failOnError') !== false;
  return [...new Set([...bundled, ...(images ? ['img'] : [])])];
}

/** The ids in layouts, where the IdAttributePlugin stops at a page that has one twice. */
function usedIds({ files, source, config, includes, layouts }: Site): string[] | undefined {
  if (!/\bIdAttributePlugin\b/.test(source) || property(config, 'checkDuplicates') === false)
    return undefined;
  const sources = [...new Set([...filesBelow(files, includes), ...filesBelow(files, layouts)])].map((path) =>
    files.read(path),
  );
  const ids = sources.flatMap((text) =>
    [...(text ?? '').matchAll(/\sid\s*=\s*["']?([^\s"'>{}]+)["'\s>]/g)].map(([, id = '']) => id),
  );
  return [...new Set(ids)];
}

/** The collections that templates name, in the order of their first use. */
function collectionTags(site: Site): string[] {
  const { files } = site;
  const templates = [
    ...filesBelow(files, site.includes),
    ...filesBelow(files, site.layouts),
    ...filesBelow(files, site.input),
  ]
    .filter((path) => /\.(?:njk|liquid|html|md|webc|11ty\.[cm]?[jt]s)$/.test(path))
    .filter((path) => !path.startsWith(`${site.output}/`));
  const sources = [
    site.source,
    ...[...new Set(templates)].slice(0, 500).map((path) => files.read(path) ?? ''),
  ];
  const named = sources.flatMap((source) =>
    [
      ...source.matchAll(/\bcollections(?:\.([A-Za-z_$][\w$]*)|\[\s*(['"])([^'"\n]+)\2\s*\])/g),
      ...source.matchAll(/\bgetFilteredByTag()\(\s*(['"])([^'"\n]+)\2/g),
    ].map(([, name, , quoted]) => name || quoted || ''),
  );
  const made = new Set(
    site.config.calls.filter(({ name }) => name === 'addCollection').flatMap(({ strings }) => strings),
  );
  return [...new Set(named)].filter((name) => name !== '' && name !== 'all' && !made.has(name));
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

const DATA_NAMES = ['metadata', 'site', 'meta', 'config', 'settings'];

/** A text of the site's global data, such as `url` of `_data/metadata.js`; an outer key before one of a nested object. */
function siteData(site: Site, keys: readonly string[]): string | undefined {
  for (const name of DATA_NAMES) {
    for (const extension of ['js', 'mjs', 'cjs', 'json', '11tydata.js', 'yaml', 'yml']) {
      const data = readData(site.files, joined(site.data, `${name}.${extension}`));
      const found = (data?.properties ?? [])
        .filter(
          ({ path, value }) => typeof value === 'string' && value !== '' && keys.includes(path.at(-1) ?? ''),
        )
        .sort(
          (one, other) =>
            one.path.length - other.path.length ||
            keys.indexOf(one.path.at(-1) ?? '') - keys.indexOf(other.path.at(-1) ?? ''),
        );
      if (found[0] !== undefined) return String(found[0].value);
    }
  }
  return undefined;
}

function readData(files: SiteFiles, path: string): (Literals & { readonly source: string }) | undefined {
  const source = files.read(path);
  if (source === undefined) return undefined;
  if (!/\.ya?ml$/.test(path)) return { ...literalsOf(source), source };
  return { properties: flattened(frontMatter(`---\n${source}\n---\n`), []), calls: [], source };
}

function flattened(
  value: unknown,
  path: readonly string[],
): { path: readonly string[]; value: string | number | boolean }[] {
  if (Array.isArray(value)) return value.flatMap((one) => flattened(one, path));
  if (isRecord(value)) return Object.entries(value).flatMap(([key, one]) => flattened(one, [...path, key]));
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? [{ path, value }]
    : [];
}

// --- The site's posts -----------------------------------------------------------------------------------------------

interface Post {
  readonly path: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const POSTS_FOLDERS = [
  'blog',
  'posts',
  'post',
  'articles',
  'news',
  'notes',
  'journal',
  'writing',
  'entries',
  '_posts',
];

function inspect(files: SiteFiles): SiteFacts {
  const site = readSite(files);
  const questions: Question[] = [];
  const warnings: Problem[] = [];
  const posts = filesBelow(files, site.input)
    .filter((path) => isArticlePath(path) && !isSpecial(site, path))
    .map((path): Post => ({ path, data: frontMatter(files.read(path) ?? '') }));
  const folder = postsFolder(site, posts);
  const content = folder ?? joined(site.input, 'posts');
  if (folder === undefined) {
    questions.push({
      flag: 'content',
      text: `No folder of posts was found below ${site.input || '.'}. In which folder do articles belong?`,
      fallback: content,
    });
  }
  const ours = posts.filter(({ path }) => path.startsWith(`${content}/`) || content === '');
  const folderData = directoryData(site, content);
  const siteUrl = siteAddress(site, questions, warnings);
  const permalink = permalinkPattern(site, content, ours, folderData, questions);
  const keys = keyNames(ours);
  const options: GeneratorOptions = { ...siteOptions(site), ...(Object.keys(keys).length > 0 && { keys }) };
  if (site.source === '' && configFile(files) === undefined && site.script.includes('--config')) {
    warnings.push({
      level: 'warn',
      text: 'The configuration file that package.json names with --config was not found.',
      fix: 'Check dir, pathPrefix and the address in pressmark.config.mjs.',
    });
  }
  return {
    siteUrl,
    language: siteData(site, ['language', 'lang', 'locale']),
    theme: undefined,
    content: content === '' ? '.' : content,
    file: ':slug.md',
    permalink,
    output: site.output,
    build: buildCommand(site),
    frontMatter: sharedFrontMatter(site, ours, folderData, warnings),
    options,
    edits: [],
    ignore: [`${site.output}/`, 'node_modules/'].filter((line) => !ignores(files, line)),
    questions,
    warnings: [
      ...warnings,
      ...inertness(site),
      ...computedAddress(site, content),
      ...stateIsInput(site, ['.pressmark/']),
    ],
  };
}

function siteAddress(site: Site, questions: Question[], warnings: Problem[]): string | undefined {
  const { homepage } = packageJson(site.files);
  const said = [
    siteData(site, ['url', 'siteUrl', 'siteURL', 'site_url', 'baseUrl', 'baseURL', 'base_url', 'domain']),
    homepage,
  ];
  const found = said.flatMap((value) => {
    const url =
      typeof value === 'string'
        ? urlOf(/^[\w.-]+\.[a-z]+\/?$/i.test(value) ? `https://${value}` : value)
        : null;
    return url !== null &&
      /^https?:$/.test(url.protocol) &&
      url.hostname !== 'localhost' &&
      url.hostname !== 'github.com'
      ? [url]
      : [];
  })[0];
  if (found === undefined) {
    questions.push({ flag: 'site-url', text: 'What is the public address of the site?' });
    return undefined;
  }
  const path = `/${trimmed(found.pathname)}/`.replace('//', '/');
  const prefix = site.pathPrefix;
  if (prefix !== '/' && path !== '/' && path !== prefix) {
    warnings.push({
      level: 'warn',
      text: `The site's address ${found.href} and pathPrefix ${prefix} name different folders; ${prefix} was taken.`,
      fix: 'Correct site.url in pressmark.config.mjs if articles are elsewhere.',
    });
  }
  const address = found.origin + trimmedEnd(prefix === '/' ? path : prefix);
  if (!/(?:^|\.)example\.(?:com|org|net)$/.test(found.hostname)) return address;
  questions.push({
    flag: 'site-url',
    text: `The site's data still has the address of its template, ${address}. What is the public address?`,
    fallback: address,
  });
  return undefined;
}

function isSpecial(site: Site, path: string): boolean {
  const inside = (folder: string) => folder !== '' && path.startsWith(`${folder}/`);
  if ([site.includes, site.layouts, site.data, site.output].some(inside)) return true;
  return (
    passthrough(site).some(inside) ||
    (site.input === '' && /^(?:README|CHANGELOG|LICENSE|CONTRIBUTING)\b/i.test(path))
  );
}

/** Folders that are copied to the output as they are. They are source: nothing is written to them. */
function passthrough(site: Site): string[] {
  const given = site.config.calls
    .filter(({ name }) => name === 'addPassthroughCopy')
    .flatMap(({ strings }) => strings);
  return ['public', ...given.map((path) => joined('', path))];
}

/** The folder of most posts: one with a usual name first, else the one that directly holds most dated files. */
function postsFolder(site: Site, posts: readonly Post[]): string | undefined {
  const count = new Map<string, number>();
  const named = new Map<string, number>();
  for (const { path, data } of posts) {
    const folders = path.split('/').slice(0, -1);
    const from = site.input === '' ? 0 : site.input.split('/').length;
    folders.forEach((name, index) => {
      const folder = folders.slice(0, index + 1).join('/');
      if (index >= from && POSTS_FOLDERS.includes(name)) named.set(folder, (named.get(folder) ?? 0) + 1);
    });
    if (!('date' in data) && !/(?:^|\/)\d{4}-\d{2}-\d{2}-[^/]*$/.test(path)) continue;
    // posts/2026/x.md and posts/x/index.md belong to posts.
    while (folders.length > from && /^\d+$/.test(folders.at(-1) ?? '')) folders.pop();
    const folder =
      /\/index\.\w+$/.test(path) && folders.length > from + 1
        ? folders.slice(0, -1).join('/')
        : folders.join('/');
    count.set(folder, (count.get(folder) ?? 0) + 1);
  }
  const most = (counts: ReadonlyMap<string, number>) =>
    [...counts].sort(
      (one, other) => other[1] - one[1] || one[0].length - other[0].length || (one[0] < other[0] ? -1 : 1),
    )[0]?.[0];
  const empty = POSTS_FOLDERS.map((name) => joined(site.input, name)).find(
    (folder) => site.files.list(folder).length > 0,
  );
  return (
    most(named) ??
    most(new Map([...count].filter(([folder]) => folder !== site.input))) ??
    empty ??
    most(count)
  );
}

/** The data files of a folder and of those above it, the nearest first. */
function directoryData(
  site: Site,
  folder: string,
): readonly (Literals & { readonly source: string; readonly path: string })[] {
  const found: (Literals & { readonly source: string; readonly path: string })[] = [];
  for (let at = folder; ; at = at.split('/').slice(0, -1).join('/')) {
    const base = at.split('/').at(-1) ?? '';
    for (const extension of [
      '11tydata.js',
      '11tydata.mjs',
      '11tydata.cjs',
      '11tydata.ts',
      '11tydata.json',
      'json',
      'yaml',
      'yml',
    ]) {
      const path = joined(at, `${base}.${extension}`);
      const data = base === '' ? undefined : readData(site.files, path);
      if (data !== undefined) found.push({ ...data, path });
    }
    if (at === site.input || at === '') return found;
  }
}

function permalinkPattern(
  site: Site,
  content: string,
  posts: readonly Post[],
  folderData: readonly (Literals & { readonly source: string; readonly path: string })[],
  questions: Question[],
): string {
  const rest = site.input === '' ? content : content.slice(site.input.length + 1);
  const folder = rest === '' ? '/' : `/${rest}/`;
  const usual = `${folder}:slug/`;
  const own = posts.flatMap((post) =>
    typeof post.data.permalink === 'string' ? [ownPattern(post, post.data.permalink, folder)] : [],
  );
  const agreed = own[0];
  if (own.length > posts.length / 2 && agreed !== undefined && own.every((pattern) => pattern === agreed))
    return agreed;
  const ruled = folderData.find(({ source }) => /\bpermalink\b/.test(source));
  const rule =
    ruled && (text(ruled, 'permalink') ?? /\bpermalink['"]?\s*[:(][^`\n]*`([^`]+)`/.exec(ruled.source)?.[1]);
  const pattern = rule === undefined ? undefined : patternOf(rule, folder);
  if (pattern !== undefined) return pattern;
  if (ruled !== undefined) {
    questions.push({
      flag: 'permalink',
      text: `${ruled.path} computes the addresses of posts. Which address does a new article get?`,
      fallback: usual,
    });
  } else if (own.length > posts.length / 2) {
    questions.push({
      flag: 'permalink',
      text: 'Each post has a permalink of its own. Which address does a new article get?',
      fallback: usual,
    });
  }
  return usual;
}

/** The pattern of a permalink template; undefined where it uses anything that a pattern has no name for. */
function patternOf(template: string, folder: string): string | undefined {
  const part = (_: string, one = '', other = ''): string => {
    const code = (one || other)
      .trim()
      .replace(/^\(?data\./, '')
      .replace(/\s+/g, ' ');
    if (/^page\.filePathStem$/.test(code)) return `${folder}:slug`;
    if (/^(?:page\.)?fileSlug(?: ?\| ?(?:slugify|slug|url_encode))?$/.test(code)) return ':slug';
    if (/^title ?\| ?(?:slugify|slug)$/.test(code)) return ':slug';
    const date = /^(?:page\.)?date ?\| ?date: ?['"]([^'"]+)['"]$/.exec(code)?.[1];
    return date === undefined
      ? '\0'
      : date.replace(/%Y/g, ':year').replace(/%m/g, ':month').replace(/%d/g, ':day').replace(/%./g, '\0');
  };
  const pattern = `/${template.replace(/\{\{-?([^}]*?)-?\}\}|\$\{([^}]*)\}/g, part)}`
    .replace(/\/{2,}/g, '/')
    .replace(/\/index\.html$/, '/');
  return /[\0{}<>%#?\s]/.test(pattern) || !/:slug/.test(pattern) ? undefined : pattern;
}

function ownPattern({ path, data }: Post, permalink: string, folder: string): string | undefined {
  if (/\{\{/.test(permalink)) return patternOf(permalink, folder);
  const slug = fileSlug({ path, data });
  const at = permalink.lastIndexOf(slug);
  return slug === '' || at === -1
    ? undefined
    : patternOf(`${permalink.slice(0, at)}:slug${permalink.slice(at + slug.length)}`, folder);
}

/** Layout and collection tags that posts name in their own front matter because no data file does. */
function sharedFrontMatter(
  site: Site,
  posts: readonly Post[],
  folderData: readonly Literals[],
  warnings: Problem[],
): Record<string, FrontMatterValue> {
  const shared: Record<string, FrontMatterValue> = {};
  const set = (key: string) =>
    folderData.some((data) => data.properties.some(({ path }) => path.at(0) === key && path.length === 1));
  const isGlobal = site.config.calls.some(
    ({ name, strings }) => name === 'addGlobalData' && strings[0] === 'layout',
  );
  if (!set('layout') && !isGlobal) {
    const layouts = posts.flatMap(({ data }) => (typeof data.layout === 'string' ? [data.layout] : []));
    const layout = mostFrequent(layouts) ?? (posts.length === 0 ? postLayout(site) : undefined);
    if (layout !== undefined) shared.layout = layout;
    else if (posts.length === 0)
      warnings.push({
        level: 'warn',
        text: 'Neither a post nor a data file names a layout; a page without one is the bare article.',
        fix: "Set articles.frontMatter: { layout: '…' } in pressmark.config.mjs.",
      });
  }
  const given = posts.map(({ data }) => tagsOf(data.tags));
  const inherited = new Set(
    folderData.flatMap((data) =>
      data.properties.filter(({ path }) => path.at(-1) === 'tags').map(({ value }) => String(value)),
    ),
  );
  const kept = new Set(collectionTags(site));
  const common = (given[0] ?? []).filter(
    (tag) => kept.has(tag) && !inherited.has(tag) && given.every((tags) => tags.includes(tag)),
  );
  if (common.length > 0) shared.tags = common;
  return shared;
}

function postLayout(site: Site): string | undefined {
  const names = filesBelow(site.files, site.layouts).map((path) => path.slice(site.layouts.length + 1));
  return names.find((name) =>
    /(?:^|\/)(?:post|article|blog|blog-post|single)\.(?:njk|liquid|html|webc|11ty\.[cm]?js)$/.test(name),
  );
}

function keyNames(posts: readonly Post[]): Partial<KeyNames> {
  const used = (names: readonly string[], fits: (value: unknown) => boolean) =>
    mostFrequent(posts.flatMap(({ data }) => names.filter((name) => fits(data[name]))));
  const description = used(
    ['description', 'summary', 'excerpt', 'abstract'],
    (value) => typeof value === 'string',
  );
  const updated = used(
    ['updated', 'modified', 'lastmod', 'lastModified', 'updatedDate', 'dateModified'],
    (value) => value !== undefined,
  );
  // Layouts often process images of the repository; only a site that names remote ones can display the service's.
  const image = used(
    ['image', 'cover', 'thumbnail', 'hero', 'featuredImage', 'ogImage'],
    (value) => typeof value === 'string' && /^https?:\/\//.test(value),
  );
  return {
    ...(description !== undefined && description !== 'description' && { description }),
    ...(updated !== undefined && { updated }),
    ...(image !== undefined && { image }),
  };
}

// --- Article files --------------------------------------------------------------------------------------------------

const SWITCH = 'templateEngineOverride';

/** What only a page's owner may set: it decides the address, runs as a template or stops the build. */
const RESERVED = [
  SWITCH,
  'permalink',
  'permalinkBypassOutputDir',
  'dynamicPermalink',
  'eleventyComputed',
  'eleventyDataSchema',
  'eleventyImport',
  'pagination',
  'excerpt_separator',
  'page',
  'content',
  'collections',
  'pkg',
  'eleventy',
];

function mapping(options: MappingOptions): ArticleMapping {
  return {
    keys: {
      title: 'title',
      description: 'description',
      date: 'date',
      updated: null,
      tags: 'tags',
      image: null,
      ...options.keys,
    },
    constants: options.constants,
    keptTags: options.keptTags ?? [],
    reserved: RESERVED,
    isArticlePath,
    slug: fileSlug,
    date: (iso) => dateValue(iso, options.dates ?? 'timestamp'),
    image: (url) => url,
    imageOf,
    tagKey,
    extension: (body) => (isMarkdown(body, options) || options.htmlFiles === false ? '.md' : '.html'),
    body: (incoming, path) => storedBody(incoming, path, options),
    pin,
    isPinned: ({ data }, address) => isPinned(data, address),
    hidden: ({ data }) => (data.draft === true || data.permalink === false ? 'draft' : undefined),
  };
}

function isArticlePath(path: string): boolean {
  return /\.(?:md|html)$/.test(path);
}

/** Eleventy's `page.fileSlug`, which drops a date; for `index` the folder's name. */
function fileSlug({ path }: FileFacts): string {
  const parts = path.split('/');
  const withoutDate = (name: string) => /\d{4}-\d{2}-\d{2}-(.*)/.exec(name)?.[1] ?? name;
  const name = withoutDate((parts.at(-1) ?? '').replace(/\.(?:md|html)$/, ''));
  return name === 'index' ? withoutDate(parts.at(-2) ?? '') : name;
}

/** The form of js-yaml, which Eleventy reads a date with: seconds are needed, and a zone, or the build machine's decides. */
const YAML_TIMESTAMP = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d*)?\s*(?:Z|[+-]\d\d(?::\d\d)?)$/;

function dateValue(iso: string, form: 'timestamp' | 'string' | 'day'): FrontMatterValue {
  const at = new Date(/\d$/.test(iso) && /[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(iso) ? `${iso}Z` : iso);
  const isRead = YAML_TIMESTAMP.test(iso) || /^\d{4}-\d\d-\d\d$/.test(iso);
  const full = isRead || Number.isNaN(at.getTime()) ? iso : at.toISOString();
  if (form === 'string') return full;
  const day = Number.isNaN(at.getTime()) ? iso : at.toISOString().slice(0, 10);
  return { kind: 'timestamp', text: form === 'day' ? day : full };
}

function imageOf(value: unknown): string | null {
  const named = isRecord(value) ? (value.src ?? value.url) : value;
  return typeof named === 'string' && named !== '' ? named : null;
}

/** Letters and quotes that the slugify of Eleventy reads as a gap, and ours does not. */
const GAPS = /[’ŒœƏə]/g;

/** The name of a tag's page as the filter `slugify` makes it. */
function tagKey(tag: string): string {
  // Eleventy stops at __proto__, has no page of its own for `all`, and a template without slugify would write outside its folder.
  if (tag === '__proto__' || tag === 'all' || /(?:^|[\\/])\.{1,2}(?:[\\/]|$)/.test(tag)) return '';
  return slugify(tag.toWellFormed().replace(GAPS, '-'), { decamelize: false });
}

function isMarkdown(
  body: IncomingBody,
  options: MappingOptions,
): body is IncomingBody & { readonly kind: 'markdown' } {
  if (body.kind !== 'markdown' || options.body !== 'markdown' || options.templateSwitch === false)
    return false;
  if (options.rawHtml === false && hasRawHtml(withoutItemComments(body.markdown))) return false;
  const rendered = markdownIt.render(body.markdown);
  // Eleventy turns indented code off; HTML in it would be no text any more.
  if (eleventyMarkdownIt.render(body.markdown) !== rendered) return false;
  // Only HTML can be made harmless to the plugins of the site.
  return harmless(rendered, options) === rendered;
}

function harmless(html: string, options: MappingOptions): string {
  const transforms: Transforms = { elements: options.markedElements ?? [], ids: options.usedIds };
  return harmlessHtml(closedHtml(html), transforms);
}

/**
 * The body and the switch that keeps it from running as a template. `md` renders Markdown alone, `html` nothing at
 * all, whatever the file's extension.
 */
function storedBody(incoming: IncomingBody, path: string, options: MappingOptions): StoredBody {
  const isText = path.endsWith('.md') && isMarkdown(incoming, options);
  const text = isText
    ? options.rawHtml === false
      ? withoutItemComments(incoming.markdown)
      : incoming.markdown
    : harmless(incoming.html, options);
  const separator = options.excerptSeparator;
  return {
    text: options.templateSwitch === false ? escapeTemplates(text) : text,
    frontMatter: {
      [SWITCH]: isText ? 'md' : 'html',
      // Eleventy takes the separator out of the text, unless the file names another one, which its text lacks.
      ...(separator !== undefined && {
        excerpt_separator: text.includes(separator) ? unusedSeparator(text) : undefined,
      }),
    },
  };
}

function unusedSeparator(text: string): string {
  let separator = '<!-- no excerpt -->';
  for (let n = 2; text.includes(separator); n++) separator = `<!-- no excerpt ${n} -->`;
  return separator;
}

/** Where the switch does not work. The text stays; scripts and styles of the body do not survive it. */
function escapeTemplates(html: string): string {
  return html.replace(/[{}]/g, (brace) => `&#${brace.charCodeAt(0)};`).replace(/<(?=[%?])/g, '&lt;');
}

const markdownIt = new MarkdownIt({ html: true });
const eleventyMarkdownIt = new MarkdownIt({ html: true }).disable('code');

function hasRawHtml(markdown: string): boolean {
  return markdownIt
    .parse(markdown, {})
    .flatMap((token) => [token, ...(token.children ?? [])])
    .some(({ type }) => type === 'html_block' || type === 'html_inline');
}

function withoutItemComments(markdown: string): string {
  const [first = '', ...rest] = markdown.split('<!-- svc:item:');
  return rest.reduce((text, piece) => {
    const end = piece.indexOf(' -->');
    return end === -1 ? `${text}<!-- svc:item:${piece}` : text.trimEnd() + piece.slice(end + 4);
  }, first);
}

/** A permalink needs a slash or an extension at its end. It is a file name, so it is not percent-encoded. */
function pin(address: string): Record<string, FrontMatterValue> {
  const path = decoded(address);
  const permalink = /(?:\/|\.[A-Za-z0-9]+)$/.test(path) ? path : `${path}/`;
  // With `templateEngineOverride: md`, permalinks are still templates.
  return /[{}]/.test(permalink) ? { permalink, dynamicPermalink: false } : { permalink };
}

function isPinned(data: Readonly<Record<string, unknown>>, address: string): boolean {
  const { permalink } = data;
  if (typeof permalink !== 'string' || data.permalinkBypassOutputDir || data.pagination !== undefined)
    return false;
  if (/[{}]/.test(permalink) && data.dynamicPermalink !== false) return false;
  const named = `/${permalink}`.replace(/^\/+/, '/').replace(/\/index\.html$/, '/');
  return named === decoded(address).replace(/\/index\.html$/, '/');
}

function decoded(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

// --- Problems -------------------------------------------------------------------------------------------------------

function problems(files: SiteFiles, settings: SiteSettings): readonly Problem[] {
  const site = readSite(files);
  const found: Problem[] = [
    ...inertness(site),
    ...computedAddress(site, joined('', settings.content)),
    ...stateIsInput(site, []),
  ];
  const path = urlOf(settings.siteUrl)?.pathname ?? '/';
  if (site.pathPrefix !== '/' && `${trimmedEnd(path)}/` !== site.pathPrefix) {
    found.push({
      level: 'fail',
      text: `Eleventy's pathPrefix is ${site.pathPrefix}, but site.url is ${settings.siteUrl}.`,
      fix: `Let site.url in pressmark.config.mjs end in ${trimmedEnd(site.pathPrefix)}, or change pathPrefix in ${configFile(files) ?? 'the configuration of Eleventy'}.`,
    });
  }
  if (joined('', settings.output) !== site.output) {
    found.push({
      level: 'fail',
      text: `Eleventy writes to ${site.output}/, but output is ${settings.output}.`,
      fix: `Set output: '${site.output}' in pressmark.config.mjs.`,
    });
  }
  const content = joined('', settings.content);
  if (site.input !== '' && content !== site.input && !content.startsWith(`${site.input}/`)) {
    found.push({
      level: 'fail',
      text: `Articles are written to ${settings.content}/, which is outside of Eleventy's input folder ${site.input}/.`,
      fix: `Set content to a folder below ${site.input}/ in pressmark.config.mjs.`,
    });
  }
  const formats = templateFormats(site.config);
  if (formats !== undefined && !formats.includes('md')) {
    found.push({
      level: 'fail',
      text: "Eleventy's templateFormats do not name md, so that it makes no pages of .md files.",
      fix: "Add 'md' to templateFormats.",
    });
  }
  return found;
}

/** What keeps the switch from working, or changes the text of bodies. */
function inertness(site: Site): Problem[] {
  const found: Problem[] = [];
  const off = switchOff(site.config);
  if (off !== undefined) {
    found.push({
      level: 'warn',
      text: `Eleventy's configuration calls or sets ${off}, so that ${SWITCH} does not turn templates off. Articles are stored as HTML with every { and } escaped; scripts in them do not run.`,
      fix: 'Remove that line, and set markdownTemplateEngine or htmlTemplateEngine instead.',
    });
  }
  if (dropsRawHtml(site.config)) {
    found.push({
      level: 'warn',
      text: 'The Markdown renderer of the site escapes raw HTML. Articles that contain any are stored as HTML.',
      fix: 'Set html: true for markdown-it, to store them as Markdown; pressmark postbuild inserts the item comment either way.',
    });
  }
  const relative = site.config.properties.some(({ value }) => value === 'html-relative');
  if (relative && property(site.config, 'failOnError') !== false) {
    found.push({
      level: 'warn',
      text: "addPassthroughCopy with mode: 'html-relative' stops the build where an article names a relative file that does not exist.",
      fix: 'Add failOnError: false to its options.',
    });
  }
  if (
    site.config.calls.some(({ name }) => name === 'setFrontMatterParsingOptions') &&
    /\bexcerpt['"]?\s*[:(]\s*(?:\(|function|\w+\s*=>|file\b)/.test(site.source)
  ) {
    found.push({
      level: 'warn',
      text: 'A function of the site cuts excerpts out of bodies; text of an article may be missing from its page.',
      fix: 'Let the function leave file.content as it is.',
    });
  }
  return found;
}

/** `eleventyComputed.permalink` goes before the permalink in an article's front matter. */
function computedAddress(site: Site, content: string): Problem[] {
  const layouts = [
    ...new Set([...filesBelow(site.files, site.includes), ...filesBelow(site.files, site.layouts)]),
  ];
  const sources = [
    ...directoryData(site, content).map(({ path, source }) => ({ path, source })),
    ...['js', 'mjs', 'cjs', 'json'].map((extension) => {
      const path = joined(site.data, `eleventyComputed.${extension}`);
      return { path, source: `eleventyComputed: {${site.files.read(path) ?? ''}` };
    }),
    ...layouts.map((path) => ({
      path,
      source: /^---[\s\S]*?\n---/.exec(site.files.read(path) ?? '')?.[0] ?? '',
    })),
    {
      path: configFile(site.files) ?? 'the configuration',
      source: site.source.replace(/eleventyComputed\.permalink/g, 'eleventyComputed: { permalink'),
    },
  ];
  const found: Problem[] = [];
  for (const { path, source } of sources) {
    const computed = /eleventyComputed['"]?\s*[:=]\s*(?:\{|\n)[\s\S]*$/.exec(source)?.[0] ?? '';
    if (/\bpermalink\b/.test(computed) && !/data\.permalink|\{\{-?\s*permalink/.test(computed)) {
      found.push({
        level: 'fail',
        text: `${path} sets eleventyComputed.permalink, which goes before the address in an article's file.`,
        fix: 'Use permalink instead of eleventyComputed.permalink, or return data.permalink where a file has one.',
      });
    } else if (
      /['"]?\w+['"]?\s*:\s*['"`]?[^\n]*\{\{/.test(computed) &&
      path !== (configFile(site.files) ?? 'the configuration')
    ) {
      found.push({
        level: 'warn',
        text: `${path} has templates in eleventyComputed. Eleventy does not render them for articles that are stored as HTML.`,
        fix: 'Write them as functions, such as title: (data) => data.title.',
      });
    }
  }
  return found;
}

/** With the site's folder as input, Eleventy makes pages of what git does not ignore. */
function stateIsInput(site: Site, added: readonly string[]): Problem[] {
  if (site.input !== '') return [];
  const honours = !/setUseGitIgnore\(\s*false/.test(site.source);
  if (honours && (added.includes('.pressmark/') || ignores(site.files, '.pressmark/'))) return [];
  if (
    (site.files.read('.eleventyignore') ?? '')
      .split('\n')
      .some((line) => trimmed(line.trim()) === '.pressmark')
  )
    return [];
  return [
    {
      level: 'warn',
      text: "Eleventy's input is the site's folder, and it does not ignore .pressmark/.",
      fix: `Add a line .pressmark/ to ${honours ? '.gitignore' : '.eleventyignore'}.`,
    },
  ];
}

// --- Small parts ----------------------------------------------------------------------------------------------------

function ignores(files: SiteFiles, line: string): boolean {
  const lines = (files.read('.gitignore') ?? '')
    .split('\n')
    .map((one) => trimmed(one.trim().replace(/\*+$/, '')));
  return lines.includes(trimmed(line));
}

/** YAML front matter; empty where there is none or where it cannot be read. */
function frontMatter(source: string): Readonly<Record<string, unknown>> {
  try {
    return splitFrontMatter(source).data;
  } catch (error) {
    if (error instanceof PressmarkError) return {};
    throw error;
  }
}

/** All files below a folder, by name; neither those of hidden folders nor of dependencies. */
function filesBelow(files: SiteFiles, folder: string): string[] {
  return files.list(folder === '' ? '.' : folder).flatMap((name) => {
    const path = joined(folder, name);
    if (!name.endsWith('/')) return [path];
    return name.startsWith('.') || name === 'node_modules/' ? [] : filesBelow(files, path);
  });
}

function tagsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((tag) => typeof tag === 'string');
}

function mostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1])[0]?.[0];
}

function urlOf(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A path below a folder, normalised: `content` and `../_includes` give `_includes`. */
function joined(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '..' && parts.length > 0) parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

function trimmed(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}

function trimmedEnd(path: string): string {
  return path.replace(/\/+$/, '');
}
