export { percentEncoded } from '../../contract/canonical-url.js';

/**
 * The output files that may show an address, in the order in which hosts look for them: `/blog/x/` is `blog/x/index.html`,
 * `/blog/x` may be `blog/x`, `blog/x.html` or `blog/x/index.html`. All are below the output folder. Query and fragment are
 * ignored.
 *
 * @param address the path of a URL below the site's, starting with a slash; percent-encoded or not.
 * @returns file names with forward slashes; empty if no file can have this address.
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
  return [`${below}${last}`, `${below}${last}.html`, `${below}${last}/index.html`];
}

/** Decodes the percent escapes of an address, as in front matter; returns it unchanged if they are malformed. */
export function decodedAddress(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

/** Decodes one segment of a file name; undefined if it is not a possible name. */
export function decodeSegment(segment: string): string | undefined {
  let name: string;
  try {
    name = decodeURIComponent(segment);
  } catch {
    return undefined; // `%` without two hexadecimal digits, or bytes that are not UTF-8
  }
  return name === '.' || name === '..' || /[/\\\0]/.test(name) ? undefined : name;
}

/** Encodes a file's or folder's name for an address: everything but the characters that RFC 3986 allows in a segment. */
export function encodeSegment(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(/%(?:24|26|2B|2C|3B|3D|3A|40)/g, decodeURIComponent);
}
