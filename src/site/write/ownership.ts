import fs from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { isGone } from '../../store/catalog/entry.js';
import { unpacked } from '../outputs/compressed-variants.js';
import type { Manifest } from './manifest.js';

// Whose a file in the output folder is, and what a power loss has left of one.

/**
 * Whether a file is Pressmark's and no owner's own: it holds what was written, or it bears our mark, or nobody wrote
 * what it holds.
 */
export function isReplaceable(
  file: string,
  present: Buffer,
  { files, formerOf }: Pick<Manifest, 'files' | 'formerOf'>,
): boolean {
  const known = files.get(file);
  if (known === undefined) return isMarked(file, present) || isBlankOrZeroed(file, present);
  const digest = crc32(present);
  if (known.crc === digest || formerOf(file).some(({ crc }) => crc === digest)) return true;
  return hasPageMark(unpacked(file, present) ?? present) || isBlankOrZeroed(file, present);
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

/** How `robots.txt` and `_headers` begin; owners like to write them themselves, often from the file that stands. */
const PLAIN_MARK = '# Pressmark\n';

/** The whole of these files, as Pressmark writes them. */
const PLAIN_FILE =
  /^# Pressmark\n(?:User-agent: \*\nAllow: \/\n\nSitemap: [^\n]+\n|[^\n]*\/\*\n {2}X-Content-Type-Options: nosniff\n(?:[^\n]+\n {2}Cache-Control: public, max-age=31536000, immutable\n)*)$/;

/** Where most files have their mark, in bytes from the beginning. */
const NEAR = 2_048;

/** Whether a file of which the manifest knows nothing, or what it unpacks to, bears the mark of those that Pressmark makes. */
export function isMarked(file: string, bytes: Uint8Array): boolean {
  const text = unpacked(file, bytes) ?? bytes;
  return (
    hasPageMark(text) || (latin1(text, PLAIN_MARK.length) === PLAIN_MARK && PLAIN_FILE.test(latin1(text)))
  );
}

/** Whether a text bears one of `MARKS`, which only Pressmark writes. */
function hasPageMark(bytes: Uint8Array): boolean {
  const isIn = (text: string) => MARKS.some((mark) => mark.test(text));
  // In ASCII, and as a rule near the beginning.
  return isIn(latin1(bytes, NEAR)) || (bytes.length > NEAR && isIn(latin1(bytes)));
}

function latin1(bytes: Uint8Array, end = bytes.length): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', 0, end);
}

/** How much less exactly a file system may keep times than it says when a file is written. */
export const MTIME_TOLERANCE_MS = 2_000;

/** A file of the output that is not as it was written. */
export interface Damage {
  /** Below the output folder. */
  readonly file: string;
  readonly kind: 'damaged' | 'missing';
}

/**
 * The files of the output that a power loss has damaged: of those that are not known to be on the disk, the ones that do
 * not hold what was written. A file that was named and is not in the manifest is one of them: what was written, or
 * that it was removed, is not known any more. Reads each of them, which are those of the last minute as a rule.
 *
 * @param root the output folder.
 */
export function* damagedFiles(
  root: string,
  { unsynced, files }: Pick<Manifest, 'unsynced' | 'files'>,
): Generator<Damage> {
  for (const file of unsynced.keys()) {
    const known = files.get(file);
    const present = contentOf(join(root, file));
    if (present === 'nothing') {
      if (known !== undefined) yield { file, kind: 'missing' };
    } else if (present === 'unreadable' ? known !== undefined : known?.crc !== crc32(present)) {
      yield { file, kind: 'damaged' };
    }
  }
}

/** What a file holds; a folder counts as unreadable. */
export function contentOf(path: string): Buffer | 'nothing' | 'unreadable' {
  try {
    return fs.readFileSync(path);
  } catch (error) {
    return isGone(error) ? 'nothing' : 'unreadable';
  }
}

/** Zeros in a row that no text has, and of which the blocks of a file consist that never reached the disk. */
const ZEROS = Buffer.alloc(512);

/** Files that are texts by their names. */
const TEXT = /\.(?:html|xml|json|css|js|svg|txt)$/;

/**
 * Whether nobody wrote what a file holds: nothing, zeros only, or in a text a block of zeros. This is what a power loss
 * leaves of a file of which not even the name is known any more.
 */
export function isBlankOrZeroed(file: string, bytes: Uint8Array | string): boolean {
  if (typeof bytes === 'string') return false;
  if (bytes.every((byte) => byte === 0)) return true;
  return TEXT.test(file) && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(ZEROS);
}
