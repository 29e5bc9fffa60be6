import { createRequire } from 'node:module';
import { splitFrontMatter } from '../../article/front-matter/read.js';
import { yamlLibrary } from '../../article/front-matter/yaml-text.js';
import { withLf } from '../../article/line-ends.js';
import type {
  ArticleMapping,
  FileFacts,
  FrontMatterValue,
  IncomingBody,
  KeyNames,
  StoredBody,
} from '../../article/mapping.js';
import { quote } from '../../errors.js';
import type {
  FileEdit,
  Generator,
  GeneratorOptions,
  MappingOptions,
  Problem,
  Question,
  SiteFacts,
  SiteFiles,
  SiteSettings,
} from '../generator.js';
import { escapeLiquid, excerptSeparator, htmlInMarkdown, isPlainMarkdown } from './body.js';
import { addExcludes } from './excludes.js';

const require = createRequire(import.meta.url);

/** Jekyll reads the first of them that there is. */
const CONFIG_FILES = ['_config.yml', '_config.yaml', '_config.toml'] as const;
const JEKYLL_FOLDERS = new Set([
  '_posts/',
  '_layouts/',
  '_includes/',
  '_drafts/',
  '_sass/',
  '_plugins/',
  '_data/',
]);
const JEKYLL_KEYS = [
  'permalink',
  'baseurl',
  'plugins',
  'theme',
  'remote_theme',
  'markdown',
  'kramdown',
  'collections',
];

const KEYS: KeyNames = {
  title: 'title',
  description: 'description',
  date: 'date',
  updated: 'last_modified_at',
  tags: 'tags',
  image: 'image',
};

const MARKDOWN_EXTENSIONS = ['markdown', 'mkdown', 'mkdn', 'mkd', 'md'];
const POST_NAME = /^(\d{2,4})-(\d{1,2})-(\d{1,2})-([^/]*)\.([^./]+)$/;

/** What Jekyll's named permalink styles stand for. */
const STYLES: Readonly<Record<string, string>> = {
  date: '/:categories/:year/:month/:day/:title:output_ext',
  pretty: '/:categories/:year/:month/:day/:title/',
  ordinal: '/:categories/:year/:y_day/:title:output_ext',
  weekdate: '/:categories/:year/W:week/:short_day/:title:output_ext',
  none: '/:categories/:title:output_ext',
};

/** What stands in for each of Jekyll's tokens; an empty text drops its part of the path. */
const TOKENS: Readonly<Record<string, string>> = {
  year: ':year',
  month: ':month',
  day: ':day',
  title: ':slug',
  slug: ':slug',
  output_ext: '.html',
  collection: 'posts',
  categories: '',
  slugified_categories: '',
};
/** Tokens of which Pressmark's patterns have no equal; the nearest is taken, and the owner is asked. */
const NEAREST: Readonly<Record<string, string>> = {
  i_month: ':month',
  short_month: ':month',
  long_month: ':month',
  i_day: ':day',
  y_day: ':month/:day',
  short_day: '',
  long_day: '',
  w_day: '',
  week: '',
  w_year: ':year',
  short_year: ':year',
  hour: '',
  minute: '',
  second: '',
  path: ':slug',
  name: ':slug',
};

const SAMPLE_OF_POSTS = 200;

type Config = Readonly<Record<string, unknown>>;

/** Jekyll 3 and 4, also on GitHub Pages. */
export const jekyll: Generator = {
  name: 'jekyll',
  recognise,
  inspect,
  options,
  mapping,
  configFiles: [...CONFIG_FILES, 'Gemfile', 'Gemfile.lock', '_layouts', '_includes', '_plugins', '_data'],
  caches: ['_site', '.jekyll-cache', '.jekyll-metadata', '.sass-cache', 'vendor/bundle'],
  outputFlags(command, output) {
    const flags = `--destination ${shellWord(output)}`;
    return /^\s*(?:npm|pnpm)\b/.test(command) ? `-- ${flags}` : flags;
  },
  problems,
};

function recognise(files: SiteFiles): string | undefined {
  const path = configPath(files);
  if (path === undefined)
    return usesJekyllGem(files) && files.list('_posts').length > 0 ? 'Gemfile' : undefined;
  // Hexo's configuration has the same name.
  if (/"hexo"\s*:/.test(files.read('package.json') ?? '')) return undefined;
  if (usesJekyllGem(files) || files.list('').some((name) => JEKYLL_FOLDERS.has(name))) return path;
  const config = readConfig(files);
  const isJekylls = config.kind === 'read' && JEKYLL_KEYS.some((key) => Object.hasOwn(config.data, key));
  return isJekylls ? path : undefined;
}

function configPath(files: SiteFiles): (typeof CONFIG_FILES)[number] | undefined {
  return CONFIG_FILES.find((path) => files.read(path) !== undefined);
}

type ReadConfig =
  | { readonly kind: 'read'; readonly path: string; readonly data: Config }
  | { readonly kind: 'unreadable'; readonly path: string; readonly data: Config; readonly reason: string };

function readConfig(files: SiteFiles): ReadConfig {
  const path = configPath(files);
  if (path === undefined) return { kind: 'read', path: '_config.yml', data: {} };
  const text = files.read(path) ?? '';
  try {
    const data: unknown = path.endsWith('.toml')
      ? (require('smol-toml') as { parse(text: string): Record<string, unknown> }).parse(text)
      : yamlLibrary().parse(text, { version: '1.1' });
    return { kind: 'read', path, data: mapOf(data) };
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
    return { kind: 'unreadable', path, data: {}, reason };
  }
}

function usesJekyllGem(files: SiteFiles): boolean {
  return /^[^#\n]*\bgem\s*\(?\s*["'](?:jekyll|github-pages)["']/m.test(files.read('Gemfile') ?? '');
}

function inspect(files: SiteFiles): SiteFacts {
  const { data: config, path: configFile } = readConfig(files);
  const questions: Question[] = [];
  const content = contentFolder(config);
  const posts = readPosts(files, content);
  const siteUrl = siteUrlOf(files, config);
  if (siteUrl === undefined)
    questions.push({
      flag: 'site-url',
      text: `${configFile} has no url. At which address, with its path, is the site published?`,
    });
  const rule = permalinkRule(config, posts, content);
  const { pattern, unknown } = pressmarkPattern(rule);
  if (unknown.length > 0)
    questions.push({
      flag: 'permalink',
      text: `The site's permalink ${rule} has ${unknown.map((token) => `:${token}`).join(', ')}, which a new article's address cannot have. Which address should new articles get?`,
      fallback: pattern,
    });
  const layout = layoutOf(files, config, posts);
  const output = outputFolder(files, config);
  const excludes = excludeEdit(files, config);
  const site: SiteSettings = { siteUrl: siteUrl ?? '', content, output };
  return {
    siteUrl,
    language: textIn(config, 'lang') ?? textIn(config, 'language') ?? textIn(config, 'locale'),
    theme: textIn(config, 'theme') ?? textIn(config, 'remote_theme'),
    content,
    file: ':year-:month-:day-:slug.md',
    permalink: pattern,
    output,
    build: buildCommand(files),
    frontMatter: layout === undefined ? {} : { layout },
    options: options(files),
    edits: excludes === undefined ? [] : [excludes],
    ignore: missingIgnores(files, output),
    questions,
    ...(siteUrl !== undefined && { sources: { siteUrl: `url and baseurl in ${configFile}` } }),
    warnings: [
      // What `edits` is about to fix is not worth a warning.
      ...problems(files, site, layout).filter(
        ({ text }) => excludes === undefined || !text.includes(UNEXCLUDED),
      ),
      ...secondJsonLd(files, config),
    ],
  };
}

/** What `init` says before there are pages; `doctor` sees on the pages themselves whether it is so. */
function secondJsonLd(files: SiteFiles, config: Config): Problem[] {
  const plugins = [...listIn(config, 'plugins'), ...listIn(config, 'gems')];
  const isInGems = /["']jekyll-seo-tag["']/.test(files.read('Gemfile') ?? '');
  if (!plugins.includes('jekyll-seo-tag') && !isInGems && textIn(config, 'theme') !== 'minima') return [];
  return [
    {
      level: 'warn',
      text: 'jekyll-seo-tag prints a BlogPosting JSON-LD of its own, so that an article has two.',
      fix: "Add seo: { type: 'WebPage' } to articles.frontMatter in pressmark.config.mjs, before the first article.",
    },
  ];
}

function sourceFolder(config: Config): string {
  return folder(textIn(config, 'source') ?? '');
}

function folder(path: string): string {
  return path.replace(/^(?:\.?\/)+|^\.$|\/+$/g, '');
}

function contentFolder(config: Config): string {
  const collections = folder(textIn(config, 'collections_dir') ?? '');
  return [sourceFolder(config), collections, '_posts'].filter((part) => part !== '').join('/');
}

function siteUrlOf(files: SiteFiles, config: Config): string | undefined {
  const domain = files.read('CNAME')?.trim();
  const url = textIn(config, 'url') || (domain ? `https://${domain}` : '');
  if (!/^https?:\/\/[^/\s]+/.test(url)) return undefined;
  const base = folder(textIn(config, 'baseurl') ?? '');
  return `${url.replace(/\/+$/, '')}${base === '' ? '' : `/${base}`}`;
}

interface Post extends FileFacts {
  readonly slug: string;
}

/** The newest posts, as far as their front matter can be read. */
function readPosts(files: SiteFiles, content: string): readonly Post[] {
  const names = files.list(content).filter((name) => isPostName(name, MARKDOWN_EXTENSIONS));
  return names
    .sort()
    .slice(-SAMPLE_OF_POSTS)
    .flatMap((path) => {
      try {
        const { data } = splitFrontMatter(files.read(`${content}/${path}`) ?? '');
        return [{ path, data, slug: slugOfFile({ path, data }) }];
      } catch {
        return []; // `doctor` names files that cannot be read
      }
    });
}

/** The permalink rule of new posts, in Jekyll's tokens. */
function permalinkRule(config: Config, posts: readonly Post[], content: string): string {
  const inDefaults = defaultsOfPosts(config, content).permalink;
  const ofPosts = mapOf(mapOf(config.collections).posts).permalink;
  const given = [inDefaults, ofPosts, config.permalink].find(
    (rule) => typeof rule === 'string' && rule !== '',
  );
  const pinned = posts.filter(({ data }) => typeof data.permalink === 'string');
  // Where most posts name their own address, the rule is what these have in common.
  if (pinned.length * 2 > posts.length) {
    const rules = pinned.map(({ data, slug }) => patternOfPinned(String(data.permalink), slug));
    const common = mostFrequent(rules.filter((rule) => rule !== undefined));
    if (common !== undefined) return common;
  }
  const rule = typeof given === 'string' ? given : 'date';
  return STYLES[rule] ?? rule;
}

function patternOfPinned(permalink: string, slug: string): string | undefined {
  if (permalink.includes(':')) return permalink;
  const parts = permalink.split('/');
  const at = parts.findLastIndex((part) => part.replace(/\.html$/, '') === slug);
  const last = parts[at];
  if (last === undefined || slug === '') return undefined;
  return parts.with(at, last.endsWith('.html') ? ':title.html' : ':title').join('/');
}

/** A pattern of Pressmark's for one of Jekyll's, and the tokens that it lost. */
function pressmarkPattern(rule: string): { pattern: string; unknown: readonly string[] } {
  const unknown: string[] = [];
  const filled = rule.replace(/:([a-z_]+)/g, (whole, name: string) => {
    // `:title_x` is the token `:title` and a text.
    const token = [...Object.keys(TOKENS), ...Object.keys(NEAREST)]
      .sort((a, b) => b.length - a.length)
      .find((known) => name.startsWith(known));
    if (token === undefined) {
      unknown.push(name);
      return '';
    }
    if (!Object.hasOwn(TOKENS, token)) unknown.push(token);
    return `${TOKENS[token] ?? NEAREST[token] ?? ''}${whole.slice(token.length + 1)}`;
  });
  const path = `/${filled}`.replace(/\/W?(?=\/)/g, '/').replace(/\/{2,}/g, '/');
  const hasSlug = path.includes(':slug');
  return { pattern: hasSlug ? path : `${path.replace(/\/?$/, '/')}:slug/`, unknown };
}

/** Front matter that `defaults:` gives to every post. */
function defaultsOfPosts(config: Config, content: string): Config {
  const list: readonly unknown[] = Array.isArray(config.defaults) ? config.defaults : [];
  const applying = list.map(mapOf).filter(({ scope }) => {
    const { path = '', type = 'posts' } = mapOf(scope);
    const below = folder(String(path ?? ''));
    return (type === 'posts' || type === 'post') && (below === '' || `${content}/`.startsWith(`${below}/`));
  });
  // Narrower scopes go first.
  applying.sort((a, b) => width(a) - width(b));
  return Object.assign({}, ...applying.map(({ values }) => mapOf(values)));
}

function width(entry: Config): number {
  const { path = '', type } = mapOf(entry.scope);
  return String(path ?? '').length * 2 + (type === undefined ? 0 : 1);
}

/** The layout that a new article has to name; undefined where `defaults:` names one or there is none. */
function layoutOf(files: SiteFiles, config: Config, posts: readonly Post[]): string | undefined {
  if (defaultsOfPosts(config, contentFolder(config)).layout !== undefined) return undefined;
  const common = mostFrequent(
    posts.flatMap(({ data }) => (typeof data.layout === 'string' ? [data.layout] : [])),
  );
  if (common !== undefined) return common;
  const layouts = layoutNames(files, config);
  if (layouts.includes('post') || hasTheme(config)) return 'post';
  return ['page', 'default'].find((name) => layouts.includes(name));
}

function layoutNames(files: SiteFiles, config: Config): readonly string[] {
  const parts = [sourceFolder(config), folder(textIn(config, 'layouts_dir') ?? '_layouts')];
  return files
    .list(parts.filter((part) => part !== '').join('/'))
    .map((name) => name.replace(/\.[^.]+$/, ''));
}

function hasTheme(config: Config): boolean {
  return textIn(config, 'theme') !== undefined || textIn(config, 'remote_theme') !== undefined;
}

function outputFolder(files: SiteFiles, config: Config): string {
  const flag = /(?:--destination|-d)[ =]["']?([^\s"']+)/.exec(buildScript(files) ?? '')?.[1];
  return folder(flag ?? textIn(config, 'destination') ?? '_site') || '_site';
}

/** The `build` script of package.json where it runs Jekyll. */
function buildScript(files: SiteFiles): string | undefined {
  try {
    const { build } = mapOf(mapOf(JSON.parse(files.read('package.json') ?? '{}')).scripts);
    return typeof build === 'string' && /\bjekyll\b/.test(build) ? build : undefined;
  } catch {
    return undefined; // npm itself refuses such a file
  }
}

function buildCommand(files: SiteFiles): string {
  if (buildScript(files) !== undefined) return 'npm run build';
  return usesJekyllGem(files) ? 'bundle exec jekyll build' : 'jekyll build';
}

function missingIgnores(files: SiteFiles, output: string): readonly string[] {
  const present = new Set(
    (files.read('.gitignore') ?? '').split(/\r?\n/).map((line) => line.trim().replace(/^\/|\/$/g, '')),
  );
  return [output, '.jekyll-cache', '.jekyll-metadata']
    .filter((name) => !present.has(name))
    .map((name) => (name === '.jekyll-metadata' ? name : `${name}/`));
}

/** The major version of Jekyll, as far as the repository says it. GitHub Pages has Jekyll 3. */
function majorVersion(files: SiteFiles, config: Config): number | undefined {
  const locked = /^ {4}jekyll \((\d+)\./m.exec(files.read('Gemfile.lock') ?? '')?.[1];
  if (locked !== undefined) return Number(locked);
  const gemfile = (files.read('Gemfile') ?? '').replace(/#.*/g, '');
  if (/["']github-pages["']/.test(gemfile)) return 3;
  const wanted = /\bgem\s*\(?\s*["']jekyll["']\s*,\s*["'](?:~>|=|>=)?\s*(\d+)\./.exec(gemfile)?.[1];
  if (wanted !== undefined) return Number(wanted);
  // Jekyll 3 does not have the key.
  return JSON.stringify(config).includes('"render_with_liquid"') ? 4 : undefined;
}

function options(files: SiteFiles): GeneratorOptions {
  const { data: config } = readConfig(files);
  const timeZone = textIn(config, 'timezone');
  const version = majorVersion(files, config);
  const renderer = textIn(config, 'markdown');
  return {
    timeZone: timeZone !== undefined && isTimeZone(timeZone) ? timeZone : 'UTC',
    // Where the version is unknown, escapes are right in both.
    templateSwitch: version !== undefined && version >= 4,
    // Not kramdown: its extension that prints HTML as it is would be shown as text.
    rawHtml: renderer !== undefined && !/^kramdown$/i.test(renderer),
    htmlFiles: true,
    futurePages: config.future === true,
  };
}

function mapping(given: MappingOptions): ArticleMapping {
  const keys: KeyNames = { ...KEYS, ...given.keys };
  const zone = given.timeZone ?? 'UTC';
  const hasSwitch = given.templateSwitch === true;
  return {
    keys,
    constants: given.constants,
    reserved: ['permalink', 'render_with_liquid', 'excerpt_separator'],
    isArticlePath: (path) => isPostName(path.slice(path.lastIndexOf('/') + 1), MARKDOWN_EXTENSIONS),
    slug: slugOfFile,
    date: (iso) => dateValue(iso, zone, given.dates ?? 'timestamp'),
    image: imageAddress,
    imageOf(value) {
      const image = typeof value === 'object' && value !== null ? mapOf(value).path : value;
      return typeof image === 'string' && image !== '' ? image : null;
    },
    tagKey: slugify,
    extension: (body) => (isStoredAsMarkdown(body, given.body, hasSwitch) ? '.md' : '.html'),
    body: (incoming, path) => storedBody(incoming, path, given.body, hasSwitch, given.rawHtml === true),
    pin: (address) => ({ permalink: address }),
    isPinned: ({ data }, address) =>
      typeof data.permalink === 'string' &&
      /^[\w.~/-]+$/.test(data.permalink) &&
      `/${data.permalink.replace(/^\//, '')}` === address,
    hidden(file, now) {
      if (file.data.published === false || file.path.split('/').includes('_drafts')) return 'draft';
      if (given.futurePages === true) return undefined;
      const at = momentOf(file.data[keys.date], zone) ?? dayOfName(file.path, zone);
      return at !== undefined && at > now.getTime() ? 'future' : undefined;
    },
  };
}

function isPostName(name: string, markdown: readonly string[]): boolean {
  const extension = POST_NAME.exec(name)?.[5];
  return extension !== undefined && !name.startsWith('_') && [...markdown, 'html'].includes(extension);
}

function slugOfFile({ path, data }: FileFacts): string {
  if (typeof data.slug === 'string' && data.slug !== '') return data.slug;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return POST_NAME.exec(name)?.[4] ?? name.replace(/\.[^.]+$/, '');
}

/** What Jekyll makes of a name for its address. */
function slugify(text: string): string {
  return text
    .replace(/[^\p{M}\p{L}\p{Nd}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase();
}

function isStoredAsMarkdown(body: IncomingBody, wanted: 'markdown' | 'html', hasSwitch: boolean): boolean {
  if (wanted !== 'markdown' || body.kind !== 'markdown') return false;
  // Jekyll adds the end of a Liquid block to an excerpt that has only its beginning, even where Liquid is off.
  const excerpt = withLf(body.markdown).split('\n\n', 1)[0] ?? '';
  return isPlainMarkdown(body.markdown) && !(hasSwitch && excerpt.includes('{%'));
}

function storedBody(
  incoming: IncomingBody,
  path: string,
  wanted: 'markdown' | 'html',
  hasSwitch: boolean,
  keepsHtml: boolean,
): StoredBody {
  const inert = (text: string) => (hasSwitch ? text : escapeLiquid(text));
  // Where the text is escaped, it has to run through Liquid.
  const render_with_liquid = hasSwitch ? false : undefined;
  if (path.endsWith('.html')) {
    const text = inert(incoming.html);
    return { text, frontMatter: { render_with_liquid, excerpt_separator: excerptSeparator(text) } };
  }
  if (incoming.kind === 'markdown' && isStoredAsMarkdown(incoming, wanted, hasSwitch))
    return { text: inert(incoming.markdown), frontMatter: { render_with_liquid } };
  // A separator of the site's own, such as a line end, would cut the wrapping.
  const text = inert(htmlInMarkdown(incoming.html, keepsHtml));
  return { text, frontMatter: { render_with_liquid, excerpt_separator: '\n\n' } };
}

const WEB_ADDRESS = /^https?:\/\/[\w.-]+(?::\d+)?(?:[/?#][\w.~:/?#@!$&'()*+,;=%-]*)?$/;

/** An image as Jekyll's filters accept it: `absolute_url` ends the build at an address that is not one. */
function imageAddress(url: string): string {
  if (WEB_ADDRESS.test(url)) return url;
  const href = URL.canParse(url)
    ? new URL(url).href.replace(/[^\w.~:/?#@!$&'()*+,;=%-]/g, encodeURIComponent)
    : '';
  if (WEB_ADDRESS.test(href)) return href;
  return encodeURIComponent(url.toWellFormed()).replaceAll('%2F', '/');
}

function dateValue(iso: string, zone: string, form: 'timestamp' | 'string' | 'day'): FrontMatterValue {
  const text = localDate(iso, zone);
  if (text === undefined) return iso;
  if (form === 'day') return { kind: 'timestamp', text: text.slice(0, 10) };
  return form === 'string' ? text : { kind: 'timestamp', text };
}

/** A moment as Jekyll's own posts have it, such as `2026-11-20 17:00:00 +0900`. */
function localDate(iso: string, zone: string): string | undefined {
  const at = momentOf(iso, 'UTC');
  if (at === undefined) return undefined;
  const offset = offsetOf(at, zone);
  const [day, time = ''] = new Date(at + offset * 60_000).toISOString().split('T');
  const minutes = Math.abs(offset);
  const digits = (n: number) => String(n).padStart(2, '0');
  const shift = `${offset < 0 ? '-' : '+'}${digits(Math.floor(minutes / 60))}${digits(minutes % 60)}`;
  return `${day} ${time.replace(/(?:\.000)?Z$/, '')} ${shift}`;
}

/** Minutes that a time zone is ahead of UTC. */
function offsetOf(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    timeZoneName: 'longOffset',
  }).formatToParts(at);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0'] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

const DATE =
  /^(\d{4}-\d\d-\d\d)(?:(?:[Tt]| +)(\d\d:\d\d)(:\d\d)?(?:[.,](\d+))? *(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** The moment that a date means, as YAML reads it: a time without offset is UTC, a day alone begins at the site's midnight. */
function momentOf(value: unknown, zone: string): number | undefined {
  if (value instanceof Date) return value.getTime();
  const text = typeof value === 'object' && value !== null ? mapOf(value).text : value;
  const match = typeof text === 'string' ? DATE.exec(text.trim()) : null;
  if (match === null) return undefined;
  const [, day = '', time, seconds = ':00', fraction = '0', shift = 'Z'] = match;
  if (time === undefined) return midnight(day, zone);
  const offset = /^z$/i.test(shift) ? 'Z' : `${shift.slice(0, 3)}:${shift.slice(3).replace(':', '') || '00'}`;
  return known(Date.parse(`${day}T${time}${seconds}.${fraction.slice(0, 3)}${offset}`));
}

function dayOfName(path: string, zone: string): number | undefined {
  const [, year = '', month = '', day = ''] = POST_NAME.exec(path.slice(path.lastIndexOf('/') + 1)) ?? [];
  if (year === '') return undefined;
  const century = year.length === 2 ? `20${year}` : year;
  return midnight(`${century}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`, zone);
}

function midnight(day: string, zone: string): number | undefined {
  const at = known(Date.parse(day));
  return at === undefined ? undefined : at - offsetOf(at, zone) * 60_000;
}

function known(milliseconds: number): number | undefined {
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

/** What the folder of a site must not publish; `init` and `npm install` put it there. */
const PRIVATE = ['.pressmark/', 'pressmark.config.mjs', 'package.json', 'package-lock.json', 'node_modules/'];
/** Jekyll 3 forgets these as soon as a site has its own `exclude:`. */
const FORGOTTEN = [
  'Gemfile',
  'Gemfile.lock',
  'vendor/bundle/',
  'vendor/cache/',
  'vendor/gems/',
  'vendor/ruby/',
];
const UNEXCLUDED = 'does not exclude';

/** What `exclude:` lacks. */
function missingExcludes(files: SiteFiles, config: Config): readonly string[] {
  // Files outside of the source folder are never read.
  if (sourceFolder(config) !== '') return [];
  const present = listIn(config, 'exclude').map((item) => item.replace(/^\.?\/|\/$/g, ''));
  const isKept = majorVersion(files, config) === 4;
  const known = new Set([...present, ...(isKept || config.exclude === undefined ? ['node_modules'] : [])]);
  const wanted = [...PRIVATE, ...(hasOwnPlugins(files) ? [] : ['plugins/'])];
  const missing = wanted.filter((item) => !known.has(item.replace(/\/$/, '')));
  if (missing.length === 0 || isKept || config.exclude !== undefined) return missing;
  return [...missing, 'node_modules/', ...FORGOTTEN];
}

/** Whether `plugins/` holds something else than Pressmark's plugins, which are JavaScript. */
function hasOwnPlugins(files: SiteFiles): boolean {
  return files.list('plugins').some((name) => !/\.[cm]?[jt]s$/.test(name));
}

function excludeEdit(files: SiteFiles, config: Config): FileEdit | undefined {
  const path = configPath(files) ?? '_config.yml';
  const missing = missingExcludes(files, config);
  if (missing.length === 0 || path.endsWith('.toml')) return undefined;
  const text = addExcludes(files.read(path) ?? '', missing);
  const reason = `exclude: keeps Pressmark's files out of the site and out of the watcher of jekyll serve: ${missing.join(', ')}`;
  return text === undefined ? undefined : { path, text, reason };
}

function problems(files: SiteFiles, settings: SiteSettings, newLayout?: string): readonly Problem[] {
  const read = readConfig(files);
  const { path, data: config } = read;
  const found: Problem[] = [];
  const warn = (text: string, fix: string) => found.push({ level: 'warn', text, fix });
  const fail = (text: string, fix: string) => found.push({ level: 'fail', text, fix });

  if (read.kind === 'unreadable')
    fail(`${path} cannot be read: ${read.reason}`, `Correct ${path}; jekyll build shows the line.`);
  const url = siteUrlOf(files, config);
  if (url !== undefined && settings.siteUrl !== '' && url !== settings.siteUrl)
    warn(
      `The site is at ${url} in ${path} (url and baseurl), but siteUrl is ${settings.siteUrl}.`,
      `Make siteUrl in pressmark.config.mjs and url with baseurl in ${path} the same.`,
    );
  if (url === undefined && settings.siteUrl !== '') {
    const { origin, pathname } = new URL(settings.siteUrl);
    const base = folder(pathname);
    if (folder(textIn(config, 'baseurl') ?? '') !== base)
      warn(
        `baseurl in ${path} is ${quote(textIn(config, 'baseurl') ?? '')}, but siteUrl is ${settings.siteUrl}: links and style sheets lead to the wrong path.`,
        `Set baseurl: "${base === '' ? '' : `/${base}`}" and url: "${origin}" in ${path}.`,
      );
    else
      warn(
        `${path} has no url; feeds and canonical links do not name the site.`,
        `Set url: "${origin}" in ${path}.`,
      );
  }
  const missing = missingExcludes(files, config);
  if (missing.length > 0)
    warn(
      `${path} ${UNEXCLUDED} ${missing.join(', ')}: Jekyll publishes or watches Pressmark's files.`,
      `Add these lines to exclude in ${path}.`,
    );
  if (listIn(config, 'include').some((item) => item === '.env' || item === '.*' || item === '*'))
    fail(
      `include in ${path} publishes .env, which holds the signing secret.`,
      `Remove that entry from include, or add .env to exclude and remove it from include.`,
    );
  const layouts = layoutNames(files, config);
  const content = contentFolder(config);
  const layout =
    newLayout ??
    textIn(defaultsOfPosts(config, content), 'layout') ??
    layoutOf(files, config, readPosts(files, content));
  if (layout === undefined)
    warn(
      'The site has no layout for posts: an article becomes a page without head and body.',
      'Add _layouts/post.html, and layout: post to articles.frontMatter.',
    );
  else if (layout !== 'none' && !layouts.includes(layout) && !hasTheme(config))
    fail(
      `There is no layout ${layout} in _layouts, and the site has no theme.`,
      `Add _layouts/${layout}.html, or name another layout in articles.frontMatter.`,
    );
  const names = files.list(settings.content).filter((name) => !name.endsWith('/') && !name.startsWith('.'));
  const undated = names.filter(
    (name) => /\.(?:html|markdown|mkdown|mkdn|mkd|md)$/.test(name) && !POST_NAME.test(name),
  );
  if (undated.length > 0)
    warn(
      `Jekyll ignores ${undated.slice(0, 3).join(', ')}${undated.length > 3 ? ` and ${undated.length - 3} more` : ''} in ${settings.content}: the name does not begin with a date.`,
      `Rename such a file to YYYY-MM-DD-name, or move it to _drafts.`,
    );
  if (folder(settings.content) !== content)
    warn(
      `Articles are stored in ${settings.content}, but Jekyll reads posts from ${content}.`,
      `Set content: '${content}' in pressmark.config.mjs.`,
    );
  const renderer = textIn(config, 'markdown');
  const dialect = textIn(mapOf(config.kramdown), 'input');
  if (renderer !== undefined && !/^kramdown$/i.test(renderer))
    warn(
      `The site's Markdown renderer is ${renderer}, with which Pressmark has not been tested.`,
      "Set body: 'html' below articles in pressmark.config.mjs.",
    );
  else if (dialect !== undefined && dialect !== 'GFM')
    warn(
      `kramdown reads ${dialect} here and not GFM, so that fenced code is not code.`,
      "Set body: 'html' below articles in pressmark.config.mjs.",
    );
  const extensions = textIn(config, 'markdown_ext');
  if (
    extensions !== undefined &&
    !extensions
      .split(',')
      .map((name) => name.trim())
      .includes('md')
  )
    fail(
      `markdown_ext in ${path} does not include md: Jekyll prints Markdown as it is.`,
      `Add md to markdown_ext, or set body: 'html' below articles.`,
    );
  const zone = textIn(config, 'timezone');
  if (zone !== undefined && !isTimeZone(zone))
    warn(
      `timezone ${zone} in ${path} is not an IANA name; dates are written in UTC.`,
      'Write a name such as Europe/Rome.',
    );
  if (config.show_drafts === true)
    warn(`show_drafts in ${path} publishes drafts.`, 'Remove it, and pass --drafts to jekyll serve instead.');
  if (config.unpublished === true)
    warn(
      `unpublished in ${path} publishes posts with published: false, which lookups do not resolve.`,
      'Remove it, and pass --unpublished to jekyll serve instead.',
    );
  if (typeof config.limit_posts === 'number' && config.limit_posts > 0)
    fail(`limit_posts in ${path} drops all but ${config.limit_posts} posts.`, 'Remove it.');
  return found;
}

function mostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

function mapOf(value: unknown): Config {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Config) : {};
}

function textIn(config: Config, key: string): string | undefined {
  const value = config[key];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** A list of texts; Jekyll splits a text at white space. */
function listIn(config: Config, key: string): readonly string[] {
  const value = config[key];
  if (typeof value === 'string') return value.split(/\s+/);
  return Array.isArray(value) ? value.map(String) : [];
}

function shellWord(text: string): string {
  return /^[\w./=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
