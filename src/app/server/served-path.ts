/** Longest name that file systems allow, in bytes. */
const LONGEST_NAME = 255;

/**
 * The file below the built site that a URL's path names; a path that ends in a slash, or is empty, names a folder.
 * Every segment is decoded once and must then be a plain name, so that no spelling of `..`, of a slash or of a
 * dot file leads anywhere.
 *
 * @param pathname the path as it was sent, starting with a slash.
 * @returns undefined for a path that names nothing that is served.
 */
export function servedPath(pathname: string): string | undefined {
  if (!pathname.startsWith('/')) return undefined;
  const segments = pathname.slice(1).split('/');
  const folder = segments.at(-1) === '' ? segments.pop() : undefined;
  const names = segments.map(nameOf);
  if (!names.every((name) => name !== undefined)) return undefined;
  return names.join('/') + (folder !== undefined && names.length > 0 ? '/' : '');
}

/** Dot files are private, but for the one folder of them that is meant for the public. */
export function isHidden(name: string): boolean {
  return name.startsWith('.') && name !== '.well-known';
}

function nameOf(segment: string): string | undefined {
  let name: string;
  try {
    name = decodeURIComponent(segment);
  } catch {
    return undefined; // not UTF-8, so no file's name
  }
  if (name === '' || isHidden(name) || /[/\\\x00-\x1f\x7f]/.test(name)) return undefined;
  return Buffer.byteLength(name) > LONGEST_NAME ? undefined : name;
}
