import { filesOfAddress, percentEncoded } from '../../article/address/files-of-address.js';
import { isReservedFile } from '../../article/address/reserved.js';
import type { SiteInfo } from '../../host/pages/page-types.js';

/** The longest file name that file systems allow, in bytes. */
const LONGEST_NAME = 255;

/** Whether a URL is reserved for the site's own pages and files; an article there gets no page. */
export function isReservedUrl(url: string, site: SiteInfo): boolean {
  const file = fileOf(url, site);
  return file !== undefined && isReservedFile(file);
}

/**
 * Returns the file below the output folder for a public URL; undefined if no static file can serve it: another origin, a path
 * outside the site's base path, a query, or a segment that is no plain file name.
 */
export function fileOf(url: string, site: SiteInfo): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin, pathname, search, username, password } = new URL(url);
  const prefix = `${site.basePath}/`;
  if (origin !== new URL(site.url).origin || `${search}${username}${password}` !== '') return undefined;
  if (!pathname.startsWith(prefix) || pathname === prefix) return undefined; // the home page is not an article's
  const files = filesOfAddress(pathname.slice(site.basePath.length));
  const file = /\.html?$/i.test(pathname) ? files[0] : files.find((one) => one.endsWith('/index.html'));
  return file?.split('/').every(isPlainName) === true ? file : undefined;
}

/** Whether a name is allowed for a file. Servers and git do not publish names that begin with a dot. */
function isPlainName(name: string): boolean {
  return !name.startsWith('.') && !/[\x00-\x1f\x7f]/.test(name) && Buffer.byteLength(name) <= LONGEST_NAME;
}

/** Returns the file for a path of the site, which ends in a slash or names a file. */
export function fileAt(path: string): string {
  return path.endsWith('/') ? `${path.slice(1)}index.html` : path.slice(1);
}

/** Returns the path for a file of the site, the reverse of `fileAt`. */
export function pathOf(file: string): string {
  return `/${file.replace(/(^|\/)index\.html$/, '$1')}`;
}

/** Makes a link from a path below the site's base path. */
export function linkBelow(path: string, site: SiteInfo): string {
  return `${site.basePath}${percentEncoded(path)}`;
}

/**
 * Returns a function that makes links from addresses, which are paths below the site's base path, or URLs; the site's own
 * origin is left out.
 */
export function linksOf(site: SiteInfo): (address: string) => string {
  const { origin } = new URL(site.url);
  return (address) => {
    if (address.startsWith('/')) return linkBelow(address, site);
    return address.startsWith(`${origin}/`) ? address.slice(origin.length) : address;
  };
}
