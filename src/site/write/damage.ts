import fs from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { isGone } from '../../store/catalog/entry.js';
import type { Manifest } from './manifest.js';

/** How much less exactly a file system may keep times than it says when a file is written. */
export const CLOCK_MS = 2_000;

/** A file of the output that is not as it was written. */
export interface Damage {
  /** Below the output folder. */
  readonly file: string;
  readonly is: 'damaged' | 'missing';
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
      if (known !== undefined) yield { file, is: 'missing' };
    } else if (present === 'unreadable' ? known !== undefined : known?.crc !== crc32(present)) {
      yield { file, is: 'damaged' };
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
export function isDebris(file: string, bytes: Uint8Array | string): boolean {
  if (typeof bytes === 'string') return false;
  if (bytes.every((byte) => byte === 0)) return true;
  return TEXT.test(file) && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(ZEROS);
}
