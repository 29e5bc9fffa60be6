import { join } from 'node:path';
import { decodeSegment, filesOfAddress } from '../../article/address/files-of-address.js';
import { isBelow, placeOf } from '../folder-files.js';

/** What an output has at an address. */
export type FoundPage =
  | { readonly kind: 'page'; readonly name: string; readonly path: string }
  /** A symbolic link out of the output folder, through which nothing is read or written. */
  | { readonly kind: 'outside'; readonly name: string }
  | { readonly kind: 'none' };

/** The file that shows an address, without symbolic links in its path. */
export function pageAt(output: string, address: string): FoundPage {
  const root = placeOf(output)?.path;
  if (root === undefined) return { kind: 'none' };
  for (const name of filesOfAddress(address)) {
    const found = placeOf(join(root, name));
    if (found?.stat.isFile() !== true) continue;
    return isBelow(root, found.path) ? { kind: 'page', name, path: found.path } : { kind: 'outside', name };
  }
  return { kind: 'none' };
}

/** What `addressOfFile` looks at besides the file's name. */
export interface AddressHints {
  /** The address that the page's `<link rel="canonical">` names, below the base path. */
  readonly canonical?: string | undefined;
  /** Whether a page of the site links to this address. */
  isLinked(address: string): boolean;
}

/**
 * The address of an output file, percent-encoded: `x/index.html` is at `/x/`. `x.html` is at `/x.html` or `/x`, whichever
 * the page's canonical link names or, failing that, other pages link to; by default `/x.html`.
 *
 * @param file below the output folder, with forward slashes.
 */
export function addressOfFile(file: string, hints: AddressHints = { isLinked: () => false }): string {
  const [first = '/', ...others] = addressesOfFile(file);
  const { canonical } = hints;
  if (canonical !== undefined) {
    const named = [first, ...others].find((address) => address === encodedAddress(canonical));
    if (named !== undefined) return named;
  }
  if (hints.isLinked(first)) return first;
  return others.find((address) => hints.isLinked(address)) ?? first;
}

/** All addresses at which static hosts show an output file, its own name's first. */
export function addressesOfFile(file: string): string[] {
  const address = `/${file.split('/').map(encodeSegment).join('/')}`;
  if (/(?:^|\/)index\.html?$/.test(file)) return [address.replace(/index\.html?$/, '')];
  return /\.html?$/.test(file) ? [address, address.replace(/\.html?$/, '')] : [address];
}

/** An address in the form in which URL parsers write it: what a URL cannot hold is percent-encoded. */
export function encodedAddress(address: string): string {
  const [path = ''] = address.split(/[?#]/, 1);
  return path
    .split('/')
    .map((segment) => {
      const name = decodeSegment(segment);
      return name === undefined ? segment : encodeSegment(name);
    })
    .join('/');
}

function encodeSegment(name: string): string {
  // What RFC 3986 allows in a segment besides unreserved characters stays as it is.
  return encodeURIComponent(name.toWellFormed()).replace(/%(?:24|26|2B|2C|3B|3D|3A|40)/g, decodeURIComponent);
}

/**
 * The part of a URL below the site's address, as a page's links write it: `https://example.com/base/x/` and `/base/x/` are
 * `/x/` in a site at `https://example.com/base`.
 *
 * @param siteUrl without a trailing slash.
 * @returns undefined for an address of another site, and for one that is not below the base path.
 */
export function addressBelow(siteUrl: string, url: string): string | undefined {
  const site = parse(siteUrl);
  const target = parse(url, `${siteUrl}/`);
  if (site === undefined || target === undefined || target.host !== site.host) return undefined;
  const base = site.pathname.replace(/\/$/, '');
  if (target.pathname !== base && !target.pathname.startsWith(`${base}/`)) return undefined;
  return target.pathname.slice(base.length) || '/';
}

function parse(url: string, base?: string): URL | undefined {
  try {
    return new URL(url, base);
  } catch {
    return undefined; // not a URL
  }
}
