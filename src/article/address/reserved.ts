/** Folders at the top of a site that contain its own pages and files. */
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

/** Usual names at the top of a site with other generators, themes and hosts, and paths that the server answers by default. */
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

/** The site's own folders and files at its top. */
export const OWN_PLACES: readonly string[] = [...FOLDERS, ...FILES];

const SLUGS = new Set([
  ...FOLDERS,
  ...FILES.map((file) => file.toLowerCase().replace(/\..*/, '')),
  ...CUSTOMARY,
]);

/** Names of devices on Windows, with any extension. */
const WINDOWS = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** Whether a slug is reserved: its page could clash with the site's own, or with a device of Windows. */
export function isReservedSlug(slug: string): boolean {
  return SLUGS.has(slug) || WINDOWS.test(slug);
}

const files = FILES.map((file) => file.replaceAll('.', '\\.').replace(/html$/, 'html?'));

/** The paths of reserved files. A file's name is reserved as a folder too; a large site has several sitemap files. */
const PLACES = new RegExp(
  `^(?:(?:${files.join('|')}|sitemap[^/]*\\.xml)(?:/.*)?|(?:${FOLDERS.join('|')})(?:/.*|\\.html?))$`,
  'i',
);

/**
 * Whether a file of the built site is one of the site's own, which an article must not replace.
 *
 * @param file below the output folder, with forward slashes.
 */
export function isReservedFile(file: string): boolean {
  return PLACES.test(file);
}
