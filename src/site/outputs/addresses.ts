import { isReservedFile } from '../../article/reserved.js';
import type { SiteInfo } from '../../host/page-types.js';

/** Longest name that file systems allow, in bytes. */
const LONGEST_NAME = 255;

/** A path that no parser changes, each of its names a file's, with a slash at the end. */
const PLAIN_PATH = /^(?:[a-z0-9][a-z0-9-]{0,200}\/)+$/;

/** Whether a URL is that of one of the site's own pages and files; an article there gets no page. */
export function isReservedUrl(url: string, site: SiteInfo): boolean {
  const file = fileOf(url, site);
  return file !== undefined && isReservedFile(file);
}

/**
 * The file below the output folder at which a public URL is served, or undefined where a static file cannot
 * stand for it: another origin, outside the site's base path, a query, or a segment that would not be a plain file
 * name.
 */
export function fileOf(url: string, site: SiteInfo): string | undefined {
  // As nearly every address is: a parser takes ten times as long, which a start with 100,000 articles would feel.
  const path = url.startsWith(`${site.url}/`) ? url.slice(site.url.length + 1) : '';
  if (PLAIN_PATH.test(path)) return `${path}index.html`;
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname, search, username, password } = new URL(url);
  const prefix = `${site.basePath}/`;
  if (origin !== new URL(site.url).origin || `${search}${username}${password}` !== '') return undefined;
  if (!pathname.startsWith(prefix)) return undefined;

  const segments = pathname.slice(prefix.length).replace(/\/$/, '').split('/');
  const names = segments.map(nameOf);
  if (!names.every((name) => name !== undefined)) return undefined;
  const isFile = /\.html?$/i.test(pathname);
  return [...names, ...(isFile ? [] : ['index.html'])].join('/');
}

/** A path segment as the name of a file or folder; undefined for one that is none, or would lead elsewhere. */
function nameOf(segment: string): string | undefined {
  let name: string;
  try {
    name = decodeURIComponent(segment);
  } catch {
    return undefined; // not UTF-8
  }
  // Names with a dot first are refused as well: `..`, and what servers and git keep to themselves.
  if (name === '' || name.startsWith('.') || /[/\\\x00-\x1f\x7f]/.test(name)) return undefined;
  return Buffer.byteLength(name) > LONGEST_NAME ? undefined : name;
}

/** The file of one of the site's own pages, whose path ends in a slash or names a file. */
export function fileAt(path: string): string {
  return path.endsWith('/') ? `${path.slice(1)}index.html` : path.slice(1);
}

/** The path of the page in a file, the other way round. */
export function pathOf(file: string): string {
  return `/${file.replace(/(^|\/)index\.html$/, '$1')}`;
}

/** A path below the site's base path as a link. */
export function linkBelow(path: string, site: SiteInfo): string {
  return `${site.basePath}${path}`;
}

/** Makes links of addresses: a path below the site's base path, or a URL, without the origin where it is the site's own. */
export function linksOf(site: SiteInfo): (address: string) => string {
  const { origin } = new URL(site.url);
  return (address) => {
    if (address.startsWith('/')) return linkBelow(address, site);
    return address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;
  };
}
