/** Folders at the top of a site that its own pages and files stand in. */
const FOLDERS = ['archive', 'assets', 'authors', 'pagefind', 'search', 'tags'];

/** Files at the top of a site. */
const FILES = [
  '404.html',
  'CNAME',
  '_headers',
  'favicon.svg',
  'feed.json',
  'feed.xml',
  'index.html',
  'robots.txt',
  'rss.xml',
  'sitemap.xml',
];

/** What other generators, themes and hosts have at the top of a site, and what the server answers by default. */
const CUSTOMARY = [
  'admin',
  'api',
  'archives',
  'articles',
  'atom',
  'author',
  'categories',
  'category',
  'content',
  'healthz',
  'page',
  'pages',
  'plugins',
  'public',
  'static',
  'tag',
  'templates',
  'webhook',
];

/** Folders and files at the top of a site, which are its own. */
export const OWN_PLACES: readonly string[] = [...FOLDERS, ...FILES];

const SLUGS = new Set([
  ...FOLDERS,
  ...FILES.map((file) => file.toLowerCase().replace(/\..*/, '')),
  ...CUSTOMARY,
]);

/** Names that Windows gives to devices, whatever the extension. */
const WINDOWS = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** Whether no new article gets this slug: its page could clash with one of the site, or with a device of Windows. */
export function isReservedSlug(slug: string): boolean {
  return SLUGS.has(slug) || WINDOWS.test(slug);
}

const files = FILES.map((file) => file.replaceAll('.', '\\.').replace(/html$/, 'html?'));

/** A file is reserved as a folder too; a large site's sitemap has several files. */
const PLACES = new RegExp(
  `^(?:(?:${files.join('|')}|sitemap[^/]*\\.xml)(?:/.*)?|(?:${FOLDERS.join('|')})(?:/.*|\\.html?))$`,
  'i',
);

/**
 * Whether a file of the built site is one of the site's own pages and files, which an article must not replace.
 *
 * @param file below the output folder, with forward slashes.
 */
export function isReservedFile(file: string): boolean {
  return PLACES.test(file);
}
