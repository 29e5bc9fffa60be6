import { filesOfAddress, percentEncoded } from '../../article/address/files-of-address.js';
import { isReservedFile } from '../../article/address/reserved.js';
import type { SiteInfo } from '../../host/pages/page-types.js';

/** Longest name that file systems allow, in bytes. */
const LONGEST_NAME = 255;

/** Whether a URL is that of one of the site's own pages and files; an article there gets no page. */
export function isReservedUrl(url: string, site: SiteInfo): boolean {
  const file = fileOf(url, site);
  return file !== undefined && isReservedFile(file);
}

/**
 * The file below the output folder at which a public URL is served, or undefined if a static file cannot
 * stand for it: another origin, outside the site's base path, a query, or a segment that would not be a plain file
 * name.
 */
export function fileOf(url: string, site: SiteInfo): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname, search, username, password } = new URL(url);
  const prefix = `${site.basePath}/`;
  if (origin !== new URL(site.url).origin || `${search}${username}${password}` !== '') return undefined;
  if (!pathname.startsWith(prefix) || pathname === prefix) return undefined; // the home page is none of an article
  const files = filesOfAddress(pathname.slice(site.basePath.length));
  const file = /\.html?$/i.test(pathname) ? files[0] : files.find((one) => one.endsWith('/index.html'));
  return file?.split('/').every(isPlainName) === true ? file : undefined;
}

/** Whether a name may be that of a file. Those with a dot first are what servers and git keep to themselves. */
function isPlainName(name: string): boolean {
  return !name.startsWith('.') && !/[\x00-\x1f\x7f]/.test(name) && Buffer.byteLength(name) <= LONGEST_NAME;
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
  return `${site.basePath}${percentEncoded(path)}`;
}

/** Makes links of addresses: a path below the site's base path, or a URL, without the origin where it is the site's own. */
export function linksOf(site: SiteInfo): (address: string) => string {
  const { origin } = new URL(site.url);
  return (address) => {
    if (address.startsWith('/')) return linkBelow(address, site);
    return address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;
  };
}
