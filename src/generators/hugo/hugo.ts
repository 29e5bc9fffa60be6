import { isMap, mapOf, textAt, type ValueMap } from '../../article/plain-data.js';
import type { AskedSite, Generator, ListedPage, Problem, SiteFacts, SiteFiles } from '../generator.js';
import { jsonOf, unreadableAnswer } from '../inspect/ask.js';
import { authorsInFiles } from '../inspect/authors.js';
import { siteFacts } from '../inspect/facts.js';
import { inferFile, inferPermalink, type SitePost } from '../inspect/infer-pattern.js';
import { untestedVersion } from '../inspect/manifests.js';
import { keysOfPosts } from '../inspect/post-fields.js';
import { buildInSite } from '../inspect/site-build.js';
import { filesBelow, namesIn, publicAddress } from '../inspect/site-files.js';
import { placedPosts, postsOfRule, readPosts } from '../inspect/site-posts.js';
import { knownTimeZone } from '../mapping/dates.js';
import { isArticlePath, KEYS, mapping, slug } from './mapping.js';

/** The configuration files, in the order in which Hugo looks for them. */
const CONFIG_FILES: readonly string[] = ['hugo', 'config'].flatMap((name) =>
  ['toml', 'yaml', 'yml', 'json'].map((extension) => `${name}.${extension}`),
);

/** Hugo; see docs/hugo.md. Tested with Hugo 0.111. */
export const hugo: Generator = {
  name: 'hugo',
  packages: ['hugo-bin', 'hugo-extended', 'hugo-installer'],
  recognise,
  inspect,
  mapping,
  configFiles: [...CONFIG_FILES, 'config', 'layouts', 'themes', 'go.mod', 'go.sum', 'package.json'],
  // Not resources/_gen: some sites commit it, so that they can be built without Sass.
  caches: ['public', '.hugo_build.lock'],
  addressQuery: () => ({ command: LIST, parse: listedPages }),
  pinsAddresses: true,
  staticFolder: () => 'static',
  problems,
};

/** A line that identifies Hugo's `config.json` or `config.toml`. */
const HUGO_KEY =
  /^\s*[{[]?\s*["']?(?:baseURL|languageCode|defaultContentLanguage|permalinks|publishDir|enableRobotsTXT|markup|module|disableKinds)\b/im;

/** The configuration file or folder; undefined if this is not a Hugo site. */
function recognise(files: SiteFiles): string | undefined {
  const root = CONFIG_FILES.find((name) => {
    const text = files.read(name);
    return text !== undefined && (name.startsWith('hugo.') || isHugoConfig(files, text));
  });
  if (root !== undefined) return root;
  const isFolder = files.list('config/_default').some((name) => /^[^.].*\.(?:toml|ya?ml|json)$/.test(name));
  return isFolder && hasHugoFolders(files) ? 'config/_default/' : undefined;
}

function isHugoConfig(files: SiteFiles, text: string): boolean {
  if (/^\s*base_url\s*=/m.test(text)) return false; // Zola's config.toml
  return HUGO_KEY.test(text) || (/^\s*[{[]?\s*["']?title\b/im.test(text) && hasHugoFolders(files));
}

function hasHugoFolders(files: SiteFiles): boolean {
  return ['layouts', 'themes', 'archetypes', 'content'].some((folder) => files.list(folder).length > 0);
}

/** The faults that publish Pressmark's configuration, or stop every build. */
function problems(files: SiteFiles, content: string): Problem[] {
  const isIgnored = CONFIG_FILES.some((name) => /ignoreFiles[\s\S]*pressmark/i.test(files.read(name) ?? ''));
  if (content.replace(/\/$/, '') !== '.' || isIgnored) return [];
  return [
    {
      level: 'fail',
      text: 'contentDir is the site’s own folder, so that Hugo would publish pressmark.config.mjs and stop at package.json.',
      fix: `Add 'pressmark\\.config\\.', 'package(-lock)?\\.json$', '/node_modules/' and '/plugins/' to ignoreFiles, or set contentDir to a folder of its own.`,
    },
  ];
}

/**
 * The command for Hugo's list of pages: one line of comma-separated values per page, after a line with the names of the
 * columns.
 */
const LIST = 'hugo list all';

/** The command for Hugo's configuration. New versions print JSON on request; Hugo 0.111 refuses the flag. */
const CONFIG = 'hugo version; hugo config --format json 2>/dev/null || hugo config';

/** A probe post, written into the copy of the site, which shows the rule of a section without posts. */
const PROBE = 'posts/probe.md';
const LIST_PROBE = `mkdir -p content/posts && printf -- '---\\ntitle: probe\\ndate: 2001-02-03\\n---\\n' > content/${PROBE} && ${LIST}`;

/** Finds out the facts about a Hugo site for `init`. */
async function inspect(site: AskedSite): Promise<SiteFacts> {
  const { files, ask } = site;
  const printed = (await ask(CONFIG, 'hugo config')) ?? '';
  const [, version] = /^hugo v([\d.]+)/m.exec(printed) ?? [];
  const config = readConfig(printed);
  const { siteUrl, timeZone } = config;
  const content = readMounts((await ask('hugo config mounts')) ?? '');
  const pages = async (command: string) => {
    const list = await ask(command, LIST);
    return list === undefined ? [] : listedPages(list, siteUrl ?? 'https://site.invalid');
  };
  const all = readPosts(files, content, await pages(LIST), { isArticlePath, slug });
  const listed = all.filter(({ path }) => isInLanguage(path, config));
  const file = inferFile(placedPosts(listed), timeZone)?.pattern;
  // Only the posts in the folder of a new article are comparable with it.
  const posts = listed.filter(({ path }) => path.startsWith(/^(?:[^:]*\/)?/.exec(file ?? '')?.[0] ?? ''));
  const inferred =
    inferPermalink(postsOfRule(posts, 'url'), timeZone) ??
    (content === 'content' ? inferPermalink(probe(await pages(LIST_PROBE))) : undefined);
  const { output, build, warnings } = await buildInSite(site, 'hugo', 'hugo', config.output, 'publishDir');
  return siteFacts({
    posts,
    keys: keysOfPosts(posts, KEYS, { files, content }),
    shared: ['type', 'layout'],
    authors: authorsInFiles(files, ['data/authors', `${content}/authors`]),
    siteUrl,
    siteUrlSource: 'baseURL',
    language: config.language,
    languageSource: 'defaultContentLanguage',
    content,
    file: file ?? 'posts/:slug.md',
    inferred,
    usualPermalink: '/posts/:slug/',
    output,
    build,
    options: { rawHtml: config.rawHtml || undefined, timeZone, keptTags: selectingTags(files) },
    ignore: ignoreLines(files, output),
    warnings: [...warnings, ...untestedVersion(version, 'Hugo 0.111', [0], 111)],
  });
}

/** A tag by which a layout selects posts. */
const SELECTING =
  /\bTaxonomies\.tags(?:\.([a-z][\w-]*)|\s+"([^"\n]+)")|"\.?Params\.tags"\s+"intersect"\s+\(slice\s+"([^"\n]+)"\s*\)/g;

function selectingTags(files: SiteFiles): string[] {
  const themes = files.list('themes').map((name) => `themes/${name}layouts`);
  return namesIn(
    files,
    ['layouts', ...themes].flatMap((folder) => filesBelow(files, folder)),
    SELECTING,
  );
}

/** Whether a post is in the language of new articles: `index.de.md` and `content/de/` are not, unless that is the language. */
function isInLanguage(path: string, { languages, language }: HugoConfig): boolean {
  const names = [/\.([^./]+)\.[^./]+$/.exec(path)?.[1], path.split('/', 1)[0]];
  return names.every(
    (name = '') => name.toLowerCase() === language || !languages.includes(name.toLowerCase()),
  );
}

function probe(pages: readonly ListedPage[]): Omit<SitePost, 'data'>[] {
  const { address } = pages.find(({ path }) => path === `content/${PROBE}`) ?? {};
  return address === undefined ? [] : [{ path: PROBE, slug: 'probe', date: '2001-02-03', address }];
}

/** The lines for a build's leftovers. An existing folder is left out, as it may be committed on purpose. */
function ignoreLines(files: SiteFiles, output: string): string[] {
  const submodules = (files.read('.gitmodules') ?? '').split('\n').map((line) => line.replace(/\s/g, ''));
  const isKept = submodules.includes(`path=${output}`) || output === '.' || files.list(output).length > 0;
  return [
    ...(isKept ? [] : [`/${output}/`]),
    ...(files.list('resources/_gen').length > 0 ? [] : ['/resources/_gen/']),
    '.hugo_build.lock',
  ];
}

/** Hugo's configuration. */
interface HugoConfig {
  /** Absolute, without a trailing slash. */
  readonly siteUrl: string | undefined;
  /** The default language, in lower case. */
  readonly language: string;
  readonly languages: readonly string[];
  /** The output folder of the configuration; it may be outside the site's folder. */
  readonly output: string;
  readonly timeZone: string | undefined;
  readonly rawHtml: boolean;
}

/**
 * Reads the output of `hugo config`, among other lines: JSON, or the lines of Hugo 0.111, in which maps have the format of Go,
 * and a colon stands for the equals sign if the site sets `metaDataFormat: yaml`.
 */
function readConfig(printed: string): HugoConfig {
  const json = /^\{[\s\S]*\}/m.exec(printed)?.[0];
  const values = json === undefined ? linesOf(printed) : lowercased(jsonOf(json, 'hugo config'));
  const text = (key: string) => textAt(values, key);
  const { markup, languages } = values;
  const renderer = mapOf(mapOf(mapOf(markup).goldmark).renderer);
  return {
    siteUrl: publicAddress(text('baseurl')),
    language: (text('defaultcontentlanguage') ?? 'en').toLowerCase(),
    languages:
      typeof languages === 'string'
        ? [...languages.matchAll(/(?:^map\[|\] )([\w-]+):map\[/g)].map(([, name = '']) => name.toLowerCase())
        : Object.keys(mapOf(languages)),
    output: text('publishdir') ?? 'public',
    timeZone: knownTimeZone(text('timezone')),
    rawHtml: renderer.unsafe === true || (typeof markup === 'string' && /\bunsafe:true\b/.test(markup)),
  };
}

/** A quoted text whose escapes are valid in JSON, too. */
const TEXT = /^"(?:[^"\\\p{Cc}]|\\["\\/bfnrt])*"$/u;

function linesOf(printed: string): ValueMap {
  const lines = [...printed.matchAll(/^([a-z]+)(?: =|:) (.*)$/gm)];
  return Object.fromEntries(
    lines.map(([, key = '', value = '']) => [key, TEXT.test(value) ? JSON.parse(value) : value]),
  );
}

function lowercased(value: unknown): ValueMap {
  return Object.fromEntries(
    Object.entries(mapOf(value)).map(([key, child]) => [
      key.toLowerCase(),
      isMap(child) ? lowercased(child) : child,
    ]),
  );
}

/** Reads the content folder from the output of `hugo config mounts`: a JSON value for the site, and one per module. */
function readMounts(printed: string): string {
  const site = /^\{[\s\S]*?^\}/m.exec(printed)?.[0] ?? '{}';
  const { mounts } = jsonOf(site, 'hugo config mounts');
  const sources = (Array.isArray(mounts) ? mounts : [])
    .map(mapOf)
    .flatMap(({ source, target }) => (target === 'content' && typeof source === 'string' ? [source] : []));
  // Each language may have its own folder, one inside the other or side by side.
  const [first = 'content', ...others] = sources.map((one) => one.replace(/^\.\//, '').replace(/\/$/, ''));
  const parent = first.split('/').slice(0, -1).join('/');
  const isShared = others.length > 0 && parent !== '' && others.every((one) => one.startsWith(`${parent}/`));
  return isShared ? parent : first;
}

function listedPages(printed: string, siteUrl: string): ListedPage[] {
  const [head = [], ...rows] = csvRows(printed);
  const [path = -1, permalink = -1, draft = -1] = ['path', 'permalink', 'draft'].map((name) =>
    head.indexOf(name),
  );
  if (path === -1 || permalink === -1) throw unreadableAnswer(LIST, 'no columns path and permalink', printed);
  const base = new URL(siteUrl).pathname.replace(/\/$/, '');
  return rows.flatMap((row) => {
    const [file, url] = [row[path], row[permalink]];
    if (!file || !url || row[draft] === 'true') return [];
    // Hugo writes the page of `/a//` to the folder `a`.
    const pathname = new URL(url, siteUrl).pathname.replace(/\/{2,}/g, '/');
    return [
      { path: file, address: pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname },
    ];
  });
}

/** Parses rows of comma-separated values. A quoted value may contain commas, line breaks and doubled quotes. */
function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\r?\n|$)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain.replace(/\r$/, ''));
    if (end === ',') continue;
    if (row.length > 1) rows.push(row);
    row = [];
  }
  return rows;
}
