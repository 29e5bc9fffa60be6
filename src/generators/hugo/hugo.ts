import { createRequire } from 'node:module';
import type yamlParser from 'js-yaml';
import type * as tomlParser from 'smol-toml';
import type {
  ArticleMapping,
  FileFacts,
  FrontMatterValue,
  IncomingBody,
  KeyNames,
  StoredBody,
} from '../../article/mapping.js';
import { renderMarkdown } from '../../article/markdown.js';
import { messageOf, PressmarkError, quote } from '../../errors.js';
import type {
  Generator,
  GeneratorOptions,
  MappingOptions,
  Problem,
  Question,
  SiteFacts,
  SiteFiles,
  SiteSettings,
} from '../generator.js';
import { inertHtml, inertMarkdown, inertText, sentText } from './body.js';
import {
  CONFIG_FILES,
  type ConfigMap,
  findConfig,
  type HugoConfig,
  mapOf,
  readConfig,
  textAt,
  textsOf,
  valueAt,
} from './config.js';

const require = createRequire(import.meta.url);

const KEYS: KeyNames = {
  title: 'title',
  description: 'description',
  date: 'date',
  updated: 'lastmod',
  tags: 'tags',
  image: 'images',
};

/** Hugo: docs/hugo.md. All of it was tried with Hugo 0.111. */
export const hugo: Generator = {
  name: 'hugo',
  recognise: findConfig,
  inspect,
  options: (files) => {
    const config = readableConfig(files);
    return 'values' in config ? optionsOf(config) : {};
  },
  mapping,
  configFiles: [...CONFIG_FILES, 'config', 'layouts', 'themes', 'go.mod', 'go.sum', 'package.json'],
  // Not resources/_gen: some sites commit it, so that they build without Sass.
  caches: ['public', '.hugo_build.lock'],
  outputFlags,
  problems,
};

/** The configuration, or why it cannot be read. */
function readableConfig(files: SiteFiles): HugoConfig | Problem {
  try {
    return readConfig(files) ?? { source: 'hugo.toml', values: {} };
  } catch (error) {
    if (!(error instanceof PressmarkError)) throw error;
    return {
      level: 'fail',
      text: messageOf(error),
      fix: 'Correct the file; `hugo config` shows what Hugo reads.',
    };
  }
}

/** What decides where posts are and which addresses they have. */
interface SiteShape {
  readonly language: string;
  readonly baseUrl: string | undefined;
  /** Folder of the content of all languages, or of the default language where they have none in common. */
  readonly content: string;
  /** Folder of the default language below `content`, with a slash at the end; empty where there is none. */
  readonly languageFolder: string;
  /** `/en` where the default language has a path of its own; empty otherwise. */
  readonly languagePath: string;
  readonly output: string;
  readonly uglyUrls: boolean;
  readonly timeZone: string | undefined;
  readonly rawHtml: boolean;
}

function shapeOf({ values }: HugoConfig): SiteShape {
  const languages = mapOf(values.languages);
  const language =
    textAt(values, 'defaultcontentlanguage')?.toLowerCase() ??
    ('en' in languages ? 'en' : (Object.keys(languages)[0] ?? 'en'));
  const own = mapOf(languages[language]);
  const all = cleanFolder(textAt(values, 'contentdir') ?? mountedContent(values, language) ?? 'content');
  const ofLanguage = cleanFolder(textAt(own, 'contentdir') ?? all);
  const isBelow = ofLanguage.startsWith(`${all}/`);
  return {
    language,
    baseUrl: textAt(own, 'baseurl') ?? textAt(values, 'baseurl'),
    content: isBelow ? all : ofLanguage,
    languageFolder: isBelow ? `${ofLanguage.slice(all.length + 1)}/` : '',
    languagePath:
      values.defaultcontentlanguageinsubdir === true && Object.keys(languages).length > 0
        ? `/${language}`
        : '',
    output: cleanFolder(textAt(values, 'publishdir') ?? 'public'),
    uglyUrls: values.uglyurls === true,
    timeZone: textAt(own, 'timezone') ?? textAt(values, 'timezone'),
    rawHtml: valueAt(values, 'markup', 'goldmark', 'renderer', 'unsafe') === true,
  };
}

function cleanFolder(folder: string): string {
  return folder.replaceAll('\\', '/').replace(/^(?:\.?\/)+|\/+$/g, '') || '.';
}

function mountedContent(values: ConfigMap, language: string): string | undefined {
  const mounts = valueAt(values, 'module', 'mounts');
  const sources = (Array.isArray(mounts) ? mounts : [])
    .map(mapOf)
    .filter((mount) => mount.target === 'content' && (mount.lang === undefined || mount.lang === language));
  return sources[0] && textAt(sources[0], 'source');
}

function optionsOf(config: HugoConfig): GeneratorOptions {
  const { timeZone, rawHtml } = shapeOf(config);
  return { rawHtml, ...(timeZone !== undefined && isTimeZone(timeZone) ? { timeZone } : {}) };
}

// --- what init reads ---

function inspect(files: SiteFiles): SiteFacts {
  const config = readableConfig(files);
  if (!('values' in config)) throw new PressmarkError('CONFIG_INVALID', `${config.text} ${config.fix}`);
  const { values } = config;
  const shape = shapeOf(config);
  const posts = readPosts(files, shape);
  const section = sectionOf(posts, values);
  const ofSection = posts.filter((post) => post.section === section);
  const folder = datedFolder(ofSection);
  const below = [section, folder].filter((part) => part !== '');
  const address = addressPattern(values, shape, section, below);
  const build = buildCommand(files);
  const siteUrl = siteUrlOf(shape.baseUrl);
  const questions: Question[] = [];
  if (siteUrl === undefined)
    questions.push({
      flag: 'site-url',
      text: `${config.source} has no absolute baseURL. What is the public address of the site?`,
    });
  if (address.unknown.length > 0)
    questions.push({
      flag: 'permalink',
      text: `The permalinks of ${quote(section)} use ${address.unknown.join(', ')}, which Pressmark's patterns do not have. Which address shall new articles have?`,
      fallback: address.pattern,
    });
  return {
    siteUrl,
    language:
      textAt(values, 'languages', shape.language, 'languagecode') ??
      textAt(values, 'languagecode') ??
      shape.language,
    theme: themeOf(values),
    content: shape.content,
    file: `${shape.languageFolder}${[...below, ':slug.md'].join('/')}`,
    permalink: address.pattern,
    output: /(?:^|\s)(?:-d|--destination)[ =]([\w./-]+)/.exec(build.script)?.[1] ?? shape.output,
    build: build.command,
    frontMatter: sharedFrontMatter(ofSection),
    options: optionsOf(config),
    edits: [],
    ignore: ignoreLines(files, shape.output),
    questions,
    ...(siteUrl !== undefined && { sources: { siteUrl: `baseURL in ${config.source}` } }),
    warnings: configProblems(config),
  };
}

function isIgnored(values: ConfigMap, path: string): boolean {
  return textsOf(values.ignorefiles).some((pattern) => {
    try {
      return new RegExp(pattern).test(path);
    } catch {
      return false; // Go's own syntax; then doctor reports what may be ignored already
    }
  });
}

function siteUrlOf(baseUrl: string | undefined): string | undefined {
  if (baseUrl === undefined || !/^https?:\/\/[^/]/i.test(baseUrl)) return undefined;
  return baseUrl.replace(/\/+$/, '');
}

function themeOf(values: ConfigMap): string | undefined {
  const imports = valueAt(values, 'module', 'imports');
  const modules = (Array.isArray(imports) ? imports : []).map((item) => textAt(mapOf(item), 'path') ?? '');
  return [...textsOf(values.theme), ...modules].filter((name) => name !== '').join(', ') || undefined;
}

/** A post as `inspect` needs it. */
interface Post {
  /** First folder below the language's content; empty for a post without one. */
  readonly section: string;
  /** Folders between the section and the file, or the folder of a page bundle. */
  readonly folders: string;
  readonly data: ConfigMap;
}

/** Sites with more files than this are judged by their first ones. */
const MOST_FILES = 5000;

function readPosts(files: SiteFiles, shape: SiteShape): Post[] {
  const root = `${shape.content}/${shape.languageFolder}`.replace(/^\.\//, '');
  const posts: Post[] = [];
  const folders = [''];
  let count = 0;
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const names = files.list(`${root}${folder}`.replace(/\/$/, ''));
    const isBundle = names.some((name) => /^index\.(?:[\w-]+\.)?(?:md|markdown|html?)$/i.test(name));
    for (const name of names) {
      if (name.endsWith('/')) folders.push(`${folder}${name}`);
      if (!isArticlePath(name) || (isBundle && !name.startsWith('index.'))) continue;
      count += 1;
      if (count > MOST_FILES) return posts;
      const data = readFrontMatter(files.read(`${root}${folder}${name}`) ?? '');
      if (data === undefined || (data.date === undefined && data.publishdate === undefined)) continue;
      const parts = folder.split('/').slice(0, isBundle ? -2 : -1);
      posts.push({ section: parts[0] ?? '', folders: parts.slice(1).join('/'), data });
    }
  }
  return posts;
}

/** A content file's front matter with its keys in lowercase; undefined where there is none that can be read. */
function readFrontMatter(text: string): ConfigMap | undefined {
  const [, fence, head = ''] = /^\ufeff?\s*(---|\+\+\+)[ \t]*\r?\n([\s\S]*?)\r?\n\1/.exec(text) ?? [];
  try {
    const data: unknown =
      fence === '---'
        ? (require('js-yaml') as typeof yamlParser).load(head)
        : fence === '+++'
          ? (require('smol-toml') as typeof tomlParser).parse(head)
          : JSON.parse(/^\ufeff?\s*(\{[\s\S]*?\r?\n\})/.exec(text)?.[1] ?? 'null');
    if (typeof data !== 'object' || data === null) return undefined;
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key.toLowerCase(), value]));
  } catch {
    return undefined; // a post that Hugo cannot read either says nothing about the others
  }
}

const USUAL_SECTIONS = ['posts', 'post', 'blog', 'articles', 'news', 'writing', 'notes'];

/** The section of most posts. Themes name it in `mainSections`, which decides where posts do not. */
function sectionOf(posts: readonly Post[], values: ConfigMap): string {
  const counts = new Map<string, number>();
  for (const { section } of posts) counts.set(section, (counts.get(section) ?? 0) + 1);
  const rank = (section: string) => (USUAL_SECTIONS.includes(section) ? USUAL_SECTIONS.indexOf(section) : 99);
  const [most] = [...counts].toSorted(([a, n], [b, m]) => m - n || rank(a) - rank(b));
  if (most !== undefined) return most[0];
  return textsOf(valueAt(values, 'params', 'mainsections'))[0] ?? 'posts';
}

/** Folders by date in which most posts of the section are, as a pattern. */
function datedFolder(posts: readonly Post[]): string {
  const most = (pattern: RegExp) =>
    posts.filter(({ folders }) => pattern.test(folders)).length * 2 > posts.length;
  if (most(/^\d{4}$/)) return ':year';
  if (most(/^\d{4}\/\d\d$/)) return ':year/:month';
  return '';
}

/** Front matter that decides which template a post gets, where all posts of the section agree on it. */
function sharedFrontMatter(posts: readonly Post[]): Record<string, FrontMatterValue> {
  const shared: Record<string, FrontMatterValue> = {};
  const [first] = posts;
  if (first === undefined || posts.length < 2) return shared;
  for (const key of ['type', 'layout']) {
    const value = first.data[key];
    if (typeof value === 'string' && posts.every(({ data }) => data[key] === value)) shared[key] = value;
  }
  return shared;
}

/** Hugo's permalink tokens in terms of Pressmark's. */
const TOKENS: Readonly<Record<string, string>> = {
  year: ':year',
  month: ':month',
  day: ':day',
  slug: ':slug',
  title: ':slug',
  filename: ':slug',
  slugorfilename: ':slug',
  contentbasename: ':slug',
  slugorcontentbasename: ':slug',
};

/** What comes nearest to tokens that Pressmark does not have. */
const NEAREST: Readonly<Record<string, string>> = { monthname: ':month', yearday: ':month/:day' };

/** The address of new articles in the manner of the section's own posts, and the tokens that had no equivalent. */
function addressPattern(
  values: ConfigMap,
  shape: SiteShape,
  section: string,
  below: readonly string[],
): { readonly pattern: string; readonly unknown: readonly string[] } {
  const rule =
    textAt(values, 'languages', shape.language, 'permalinks', section) ??
    textAt(values, 'languages', shape.language, 'permalinks', 'page', section) ??
    textAt(values, 'permalinks', 'page', section.toLowerCase()) ??
    textAt(values, 'permalinks', section.toLowerCase()) ??
    ['', ...below, ':slug', ''].join('/');
  const unknown: string[] = [];
  const filled = rule.replace(
    /:([a-z]+)(\[[^\]]*\])?/gi,
    (token, word: string, slice: string | undefined) => {
      const name = word.toLowerCase();
      if (name === 'section' || name === 'sections') return section;
      const known = slice === undefined ? TOKENS[name] : undefined;
      if (known === undefined) unknown.push(token);
      return known ?? NEAREST[name] ?? '';
    },
  );
  const path = `/${filled}`.replace(/\/{2,}/g, '/').replace(/\/$/, '');
  const whole = path.includes(':slug') ? path : `${path}/:slug`;
  const isFile = shape.uglyUrls || /\.html?$/.test(whole);
  const end = isFile ? whole.replace(/(?:\.html?)?$/, '.html') : `${whole}/`;
  return { pattern: `${shape.languagePath}${end.toLowerCase().replaceAll(' ', '-')}`, unknown };
}

/** `npm run build` where that calls Hugo; `script` is what is called in the end. */
function buildCommand(files: SiteFiles): { readonly command: string; readonly script: string } {
  let manifest: unknown;
  try {
    manifest = JSON.parse(files.read('package.json') ?? '{}');
  } catch {
    manifest = {}; // npm says so itself
  }
  const script = textAt(mapOf(mapOf(manifest).scripts), 'build') ?? '';
  return /(?:^|[\s/&;])hugo(?:\s|$)/.test(script)
    ? { command: 'npm run build', script }
    : { command: 'hugo', script: '' };
}

/** Lines for what a build leaves behind. A folder that is there already may be committed on purpose. */
function ignoreLines(files: SiteFiles, output: string): string[] {
  const present = new Set(
    (files.read('.gitignore') ?? '').split(/\r?\n/).map((line) => line.trim().replace(/^\/|\/\*{0,2}$/g, '')),
  );
  const isSubmodule = new RegExp(`^\\s*path\\s*=\\s*${output.replace(/[.+]/g, '\\$&')}\\s*$`, 'm').test(
    files.read('.gitmodules') ?? '',
  );
  return [
    ...(isSubmodule || output === '.' || files.list(output).length > 0 ? [] : [`/${output}/`]),
    ...(files.list('resources/_gen').length > 0 || present.has('resources') ? [] : ['/resources/_gen/']),
    '.hugo_build.lock',
  ].filter((line) => !present.has(line.replace(/^\/|\/$/g, '')));
}

// --- what doctor reads ---

function problems(files: SiteFiles, settings: SiteSettings): readonly Problem[] {
  const config = readableConfig(files);
  if (!('values' in config)) return [config];
  const { source } = config;
  const shape = shapeOf(config);
  const found = [...configProblems(config)];
  const siteUrl = siteUrlOf(shape.baseUrl);
  if (siteUrl !== undefined && siteUrl.toLowerCase() !== settings.siteUrl.replace(/\/+$/, '').toLowerCase())
    found.push({
      level: 'fail',
      text: `baseURL in ${source} is ${quote(shape.baseUrl)}, but siteUrl is ${quote(settings.siteUrl)}; Pressmark would answer addresses that the site does not have.`,
      fix: 'Give both the public address of the site, with its path.',
    });
  const content = cleanFolder(settings.content);
  if (content !== shape.content && !`${content}/`.startsWith(`${shape.content}/`) && shape.content !== '.')
    found.push({
      level: 'fail',
      text: `Hugo reads ${quote(`${shape.content}/`)}, but content is ${quote(settings.content)}; articles there get no page.`,
      fix: `Set content: '${shape.content}' in the configuration of Pressmark.`,
    });
  const { command, script } = buildCommand(files);
  const isElsewhere = command !== 'hugo' && /(?:^|\s)(?:-d|--destination)\b/.test(script);
  if (!isElsewhere && cleanFolder(settings.output) !== shape.output)
    found.push({
      level: 'fail',
      text: `Hugo writes to ${quote(`${shape.output}/`)}, but output is ${quote(settings.output)}.`,
      fix: `Set output: '${shape.output}' in the configuration of Pressmark.`,
    });
  return found;
}

/** What the configuration alone says. */
function configProblems(config: HugoConfig): Problem[] {
  const { source, values } = config;
  const shape = shapeOf(config);
  const found: Problem[] = [];
  const disabled = textsOf(values.disablekinds).map((kind) => kind.toLowerCase());
  const handler = textAt(values, 'markup', 'defaultmarkdownhandler');
  const taxonomies = values.taxonomies;
  if (siteUrlOf(shape.baseUrl) === undefined)
    found.push({
      level: 'warn',
      text: `${source} has no absolute baseURL; feeds and canonical links do not name the site.`,
      fix: "Set baseURL to the site's public address.",
    });
  if (disabled.includes('page'))
    found.push({
      level: 'fail',
      text: `disableKinds in ${source} contains "page"; no article gets a page.`,
      fix: 'Remove "page" from disableKinds.',
    });
  if (
    disabled.includes('taxonomy') ||
    disabled.includes('term') ||
    (taxonomies !== undefined && !Object.values(mapOf(taxonomies)).includes('tags'))
  )
    found.push({
      level: 'warn',
      text: `${source} turns the pages of tags off; articles keep their tags, but nothing lists them.`,
      fix: 'Add tag = "tags" to taxonomies, and remove "taxonomy" and "term" from disableKinds, if you want such pages.',
    });
  if (handler !== undefined && handler !== 'goldmark')
    found.push({
      level: 'fail',
      text: `markup.defaultMarkdownHandler in ${source} is ${quote(handler)}; Pressmark writes Markdown for goldmark.`,
      fix: "Remove it, or set articles: { body: 'html' }.",
    });
  if (values.enableemoji === true)
    found.push({
      level: 'warn',
      text: `enableEmoji in ${source} replaces words such as :sun: in articles, in code too.`,
      fix: 'Remove enableEmoji if articles shall keep them.',
    });
  if (shape.timeZone !== undefined && !isTimeZone(shape.timeZone))
    found.push({
      level: 'warn',
      text: `timeZone in ${source} is ${quote(shape.timeZone)}, which is not known here; dates are written in UTC.`,
      fix: 'Use a name of the IANA database, such as Europe/Vienna.',
    });
  if (shape.content === '.' && !isIgnored(values, 'pressmark.config.mjs'))
    found.push({
      level: 'fail',
      text: `contentDir in ${source} is the folder of the site itself; Hugo would publish pressmark.config.mjs and stop at package.json.`,
      fix: `Add 'pressmark\\.config\\.', 'package(-lock)?\\.json$', '/node_modules/' and '/plugins/' to ignoreFiles, or set contentDir to a folder of its own.`,
    });
  return found;
}

function outputFlags(command: string, output: string): string {
  const folder = /^[\w./-]+$/.test(output) ? output : `'${output.replaceAll("'", `'\\''`)}'`;
  const isNpm = /^npm\s/.test(command.trim()) && !/\s--(?:\s|$)/.test(command);
  return `${isNpm ? '-- ' : ''}--destination ${folder}`;
}

// --- the article files ---

function mapping(options: MappingOptions): ArticleMapping {
  const keys = { ...KEYS, ...options.keys };
  const rawHtml = options.rawHtml ?? false;
  const zone = options.timeZone ?? 'UTC';
  return {
    keys,
    constants: options.constants,
    reserved: ['url', 'slug', 'markup', 'draft', 'aliases', 'headless', '_build', 'build', 'cascade'],
    isArticlePath,
    slug,
    ignoresKeyCase: true,
    writtenText: inertText,
    sentText,
    date: (iso) => dateValue(iso, options.dates ?? 'timestamp', zone),
    image: (url) => (keys.image === 'images' ? [url] : url),
    imageOf: (value) => textsOf(value)[0] ?? null,
    tagKey,
    extension: (body) =>
      options.body === 'html' || body.kind === 'html' || inertMarkdown(body.markdown, rawHtml) === undefined
        ? '.html'
        : '.md',
    body: (incoming, path) => storedBody(incoming, path, rawHtml),
    pin: (address) => ({ url: decoded(address) ?? address }),
    isPinned: ({ data }, address) => {
      const url = valueIn(data, 'url');
      return typeof url === 'string' && PLAIN_PATH.test(url) && isSamePage(url, decoded(address) ?? address);
    },
    hidden: (file, now) => hidden(file, now.getTime(), zone),
  };
}

function isArticlePath(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return /\.(?:md|markdown|mdown|html?)$/i.test(name) && !/^(?:_index\.|\.)/i.test(name);
}

function slug({ path, data }: FileFacts): string {
  const own = valueIn(data, 'slug');
  if (typeof own === 'string' && own !== '') return own;
  const parts = path.split('/');
  const name = (parts.at(-1) ?? '').replace(/\.[^.]+$/, '').replace(/\.[a-z]{2,3}(?:-[a-z0-9]{2,8})?$/i, '');
  return name === 'index' ? (parts.at(-2) ?? name) : name;
}

/** Hugo ignores case in front matter keys. */
function valueIn(data: FileFacts['data'], key: string): unknown {
  if (Object.hasOwn(data, key)) return data[key];
  const spelling = Object.keys(data).find((name) => name.toLowerCase() === key);
  return spelling === undefined ? undefined : data[spelling];
}

/** A path that all versions of Hugo take as it is; newer ones replace `:slug` and the like in a `url`. */
const PLAIN_PATH = /^\/[\p{L}\p{M}\p{Nd}._~/-]*$/u;

/** Hugo makes a folder of `/a` too, but a file of `/a.b/c`. */
function isSamePage(url: string, address: string): boolean {
  const isFolder = !url.includes('.');
  return url === address || (isFolder && url.replace(/\/$/, '') === address.replace(/\/$/, ''));
}

function decoded(address: string): string | undefined {
  try {
    return decodeURI(address);
  } catch {
    return undefined; // a stray percent sign
  }
}

function storedBody(incoming: IncomingBody, path: string, rawHtml: boolean): StoredBody {
  const isHtmlFile = /\.html?$/i.test(path);
  if (!isHtmlFile && incoming.kind === 'markdown') {
    const text = inertMarkdown(incoming.markdown, rawHtml);
    if (text !== undefined) return { text, frontMatter: { markup: undefined } };
  }
  const html =
    incoming.html === '' && incoming.kind === 'markdown' ? renderMarkdown(incoming.markdown) : incoming.html;
  return { text: inertHtml(html), frontMatter: { markup: isHtmlFile ? undefined : 'html' } };
}

/** White space as Go knows it. */
const GO_SPACE = /[^\S\ufeff]|\u0085/;

/** Longest name of a tag's folder, in bytes; file systems take 255. */
const LONGEST_NAME = 240;

/**
 * The path of a tag's page as Hugo makes it; see `paths.Sanitize` in its source. Empty where Hugo makes none, where
 * the page would be outside the tags' folder, or in the place of another file of the site, which stops the build.
 */
function tagKey(tag: string): string {
  let path = '';
  let isGap = false;
  const characters = [...tag.trim()];
  for (const [index, character] of characters.entries()) {
    const isEscape =
      character === '%' && /^[0-9a-f]{2}$/i.test(characters.slice(index + 1, index + 3).join(''));
    if (isEscape || /[\p{L}\p{Nd}\p{M}./\\_#+~@-]/u.test(character)) {
      if (isGap && character !== '-') path += '-';
      isGap = false;
      path += character;
    } else if (path !== '' && !path.endsWith('-') && GO_SPACE.test(character)) isGap = true;
  }
  // Letter by letter, as Go does: a word's last sigma is like any other, and İ is one letter.
  const key = Array.from(path, (letter) => Array.from(letter.toLowerCase())[0] ?? '')
    .join('')
    .replace(/^\/+|\/+$/g, '');
  const names = key.split('/');
  const isUsable = names.every(
    (name, index) =>
      name !== '' &&
      !name.endsWith('.') &&
      !name.startsWith('index.') &&
      !(name === 'page' && index < names.length - 1) &&
      Buffer.byteLength(name) <= LONGEST_NAME,
  );
  return isUsable && names.length <= 4 ? key : '';
}

function hidden({ data }: FileFacts, now: number, zone: string): 'draft' | 'future' | undefined {
  const first = (...keys: string[]) =>
    keys.map((key) => momentOf(valueIn(data, key), zone)).find((at) => at !== undefined);
  const draft = valueIn(data, 'draft');
  const isDraft =
    draft === undefined ? valueIn(data, 'published') === false : draft === true || draft === 'true';
  const rendering = mapOf(valueIn(data, '_build') ?? valueIn(data, 'build')).render;
  const expiry = first('expirydate', 'unpublishdate');
  // An expired post has no page either.
  if (isDraft || rendering === 'never' || rendering === false || (expiry !== undefined && expiry < now))
    return 'draft';
  const published = first('publishdate', 'pubdate', 'published', 'date');
  return published !== undefined && published > now ? 'future' : undefined;
}

// --- dates ---

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Milliseconds by which a zone is ahead of UTC at a moment. */
function offsetAt(at: number, zone: string): number {
  if (zone === 'UTC') return 0;
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(
    at,
  );
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
}

/** A date in the site's own time zone, so that the day on the page is that of its address. */
function dateValue(
  iso: string,
  form: NonNullable<GeneratorOptions['dates']>,
  zone: string,
): FrontMatterValue {
  const at = Date.parse(/[Tt]/.test(iso) && !/(?:Z|[+-]\d\d:?\d\d)$/i.test(iso) ? `${iso}Z` : iso);
  if (Number.isNaN(at)) return iso;
  const minutes = Math.trunc(offsetAt(at, zone) / 60_000);
  const [local = ''] = new Date(at + minutes * 60_000).toISOString().replace('.000Z', 'Z').split('Z');
  const two = (number: number) => String(Math.trunc(Math.abs(number))).padStart(2, '0');
  const offset = minutes === 0 ? 'Z' : `${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
  const text = form === 'day' ? local.slice(0, 10) : `${local}${offset}`;
  return form === 'string' ? text : { kind: 'timestamp', text };
}

const DATE =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ]+(\d\d:\d\d(?::\d\d)?)(?:[.,]\d+)?)?[ \t]*(?:Z|z|UTC|([+-]\d\d):?(\d\d)?)?$/;

/** The moment of a date in front matter; one without an offset is in the site's time zone. */
function momentOf(value: unknown, zone: string): number | undefined {
  if (typeof value !== 'string' && !(value instanceof Date)) return undefined;
  if (value instanceof Date && Number.isNaN(value.getTime())) return undefined;
  const text = (typeof value === 'string' ? value : value.toISOString()).trim();
  const [, day, time = '00:00', hours, minutes = '00'] = DATE.exec(text) ?? [];
  if (day === undefined) {
    const at = Date.parse(text);
    return Number.isNaN(at) ? undefined : at;
  }
  const at = Date.parse(`${day}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`);
  if (Number.isNaN(at)) return undefined;
  return hours !== undefined || /Z|UTC/i.test(text) ? at : at - offsetAt(at, zone);
}
