import { crc32 } from 'node:zlib';
import { unpacked } from '../outputs/compressed-variants.js';
import { isDebris } from './damage.js';
import type { WrittenFile } from './manifest.js';

/**
 * Whether a file is Pressmark's and no owner's own: it is what the manifest says, or it bears our mark, or nobody wrote
 * what it holds.
 *
 * @param known what the manifest says of it.
 */
export function isReplaceable(file: string, present: Buffer, known: WrittenFile | undefined): boolean {
  if (known === undefined) return isMarked(file, present) || isDebris(file, present);
  return crc32(present) === known.crc || isMarkedPage(file, present) || isDebris(file, present);
}

/**
 * What tells a file of ours where the manifest has been lost, exactly as our own texts have it: the page's generator, the
 * feeds', and comments where nobody else's file has them. A heading `# Pressmark` is none of them.
 */
const MARKS: readonly RegExp[] = [
  /<meta name="generator" content="Pressmark">/,
  /<generator>Pressmark<\/generator>/,
  /"_pressmark": \{\s*"about": "the generator of this feed"/,
  /^(?:<\?xml [^>]*\?>|<svg [^>]*>)<!-- Pressmark -->/,
  /\/\* Pressmark: the accent colour of the config \*\//,
];

/** The mark of `robots.txt` and `_headers`, which owners like to write themselves, often from the file that stands. */
const PLAIN_MARK = /^# Pressmark\n(?:User-agent: \*\n|[^\n]*\/\*\n {2}X-Content-Type-Options: nosniff\n)/;

/** Where most files have their mark, in bytes from the beginning. */
const NEAR = 2_048;

/** Whether a file of which the manifest knows nothing, or what it unpacks to, bears the mark of those that Pressmark makes. */
export function isMarked(file: string, bytes: Uint8Array): boolean {
  const text = unpacked(file, bytes) ?? bytes;
  return hasPageMark(text) || PLAIN_MARK.test(latin1(text, NEAR));
}

/** Whether a file that differs from what the manifest says is a page of ours nevertheless, and no owner's own. */
export function isMarkedPage(file: string, bytes: Uint8Array): boolean {
  return hasPageMark(unpacked(file, bytes) ?? bytes);
}

function hasPageMark(bytes: Uint8Array): boolean {
  // In ASCII, and as a rule near the beginning.
  return hasMark(latin1(bytes, NEAR)) || (bytes.length > NEAR && hasMark(latin1(bytes)));
}

function latin1(bytes: Uint8Array, end = bytes.length): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', 0, end);
}

function hasMark(text: string): boolean {
  return MARKS.some((mark) => mark.test(text));
}
