/** What `addressOfFile` looks at besides the file's name. */
export interface AddressHints {
  /** The address that the page's `<link rel="canonical">` names, below the base path. */
  readonly canonical?: string | undefined;
  /** Whether a page of the site links to this address. */
  isLinked(address: string): boolean;
}

/**
 * The output files that may show an address, the likeliest first: `/blog/x/` is `blog/x/index.html`, `/blog/x` may be
 * `blog/x`, `blog/x.html` or `blog/x/index.html`. All are below the output folder. Query and fragment do not count.
 *
 * @param address the path of a URL below the site's, starting with a slash; percent-encoded or not.
 * @returns file names with forward slashes; empty where no file can have this address.
 */
export function filesOfAddress(address: string): string[] {
  const [path = ''] = address.split(/[?#]/, 1);
  if (!path.startsWith('/')) return [];
  const segments = path.slice(1).split('/').map(decodeSegment);
  const names: string[] = [];
  for (const [index, segment] of segments.entries()) {
    if (segment === undefined) return [];
    if (segment === '' && index < segments.length - 1) return []; // `//` is another address
    names.push(segment);
  }
  const last = names.at(-1) ?? '';
  const folder = names.slice(0, -1).map((name) => `${name}/`);
  const below = folder.join('');
  if (last === '') return [`${below}index.html`];
  if (/\.x?html?$/i.test(last)) return [`${below}${last}`, `${below}${last}/index.html`];
  return [`${below}${last}.html`, `${below}${last}/index.html`, `${below}${last}`];
}

/** A file name of one segment; undefined where it can be none. */
function decodeSegment(segment: string): string | undefined {
  let name: string;
  try {
    name = decodeURIComponent(segment);
  } catch {
    return undefined; // `%` without two hexadecimal digits, or bytes that are not UTF-8
  }
  return name === '.' || name === '..' || /[/\\\0]/.test(name) ? undefined : name;
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
