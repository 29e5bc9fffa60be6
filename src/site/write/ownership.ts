import fs from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { unpacked } from '../outputs/compressed-variants.js';
import type { Manifest } from './manifest.js';

// Whose a file in the output folder is, and what a power loss has left of one.

/** Whether a file is Pressmark's and no owner's own: it holds what was written, or it bears our mark. */
export function isReplaceable(
  file: string,
  present: Buffer,
  { files, formerOf }: Pick<Manifest, 'files' | 'formerOf'>,
): boolean {
  const known = files.get(file);
  if (known === undefined) return isMarked(file, present);
  const crc = crc32(present);
  if ([known, ...formerOf(file)].some((written) => written.crc === crc)) return true;
  return hasPageMark(unpacked(file, present) ?? present);
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
  /^# Pressmark\n(?:User-agent: \*\nAllow: \/\n\nSitemap: [^\n]+\n|[^\n]*\/\*\n {2}X-Content-Type-Options: nosniff\n(?: {2}Content-Security-Policy: [^\n]+\n)?(?:[^\n]+\n {2}Cache-Control: public, max-age=31536000, immutable\n)*)$/;

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
const MTIME_TOLERANCE_MS = 2_000;

/** A power loss can lose the last lines of the manifest, and keep pages that were written up to this long after them. */
const LOST_MS = 60_000;

/** A file of the output that a power loss has damaged. */
export interface Damage {
  /** Below the output folder. */
  readonly file: string;
  /** The checksum of what the file holds now; undefined where the file is missing or cannot be read. */
  readonly crc: number | undefined;
}

/**
 * The files of the output that a power loss has damaged: of those that are not known to be on the disk, the ones that do
 * not hold what was written, and no work of their owner since. Reads each of them, which are those of the last minute as
 * a rule.
 *
 * @param root the output folder.
 */
export function* damagedFiles(
  root: string,
  manifest: Pick<Manifest, 'unsynced' | 'files' | 'removed' | 'lastWriteMs'>,
): Generator<Damage> {
  const lastWriteMs = manifest.lastWriteMs();
  for (const file of manifest.unsynced.keys()) {
    const known = manifest.files.get(file);
    const path = join(root, file);
    const present = contentOf(path);
    if (present === undefined) {
      if (known !== undefined) yield { file, crc: undefined };
      continue;
    }
    const crc = crc32(present);
    if (known?.crc === crc) continue;
    // What was changed later than Pressmark has written the file is its owner's. Of a file that was announced, and of
    // which the manifest has lost the rest, nobody knows when that was.
    const written = known ?? manifest.removed.get(file);
    const latest = written === undefined ? lastWriteMs + LOST_MS : written.mtimeMs + MTIME_TOLERANCE_MS;
    const mtimeMs = fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (mtimeMs <= latest || isBlankOrZeroed(file, present)) yield { file, crc };
  }
}

/** What a file holds; undefined where there is none, or it cannot be read, as a folder. */
export function contentOf(path: string): Buffer | undefined {
  try {
    return fs.readFileSync(path);
  } catch {
    return undefined;
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
export function isBlankOrZeroed(file: string, bytes: Uint8Array): boolean {
  if (bytes.every((byte) => byte === 0)) return true;
  return TEXT.test(file) && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(ZEROS);
}
