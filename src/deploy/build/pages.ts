import { join } from 'node:path';
import { decodeSegment, encodeSegment, filesOfAddress } from '../../article/address/files-of-address.js';
import { isBelow, placeOf } from '../folder-files.js';

/** The file at an address of an output. */
export type FoundPage =
  | { readonly kind: 'page'; readonly name: string; readonly path: string }
  /** A symbolic link out of the output folder, which is never followed. */
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

/**
 * All addresses at which static hosts serve an output file, percent-encoded, the file's own name first: `x/index.html` is at
 * `/x/`, and `x.html` at `/x.html` and `/x`.
 *
 * @param file below the output folder, with forward slashes.
 */
export function addressesOfFile(file: string): string[] {
  const address = `/${file.split('/').map(encodeSegment).join('/')}`;
  if (/(?:^|\/)index\.html?$/.test(file)) return [address.replace(/index\.html?$/, '')];
  return /\.html?$/.test(file) ? [address, address.replace(/\.html?$/, '')] : [address];
}

/** Percent-encodes an address as URL parsers do. */
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

/**
 * The part of a URL or link below the site's address: `https://example.com/base/x/` and `/base/x/` are `/x/` in a site at
 * `https://example.com/base`.
 *
 * @param siteUrl without a trailing slash.
 * @returns undefined for an address of another site, or outside the base path.
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
