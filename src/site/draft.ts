import { hash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { systemCode } from '../errors.js';
import { discard } from '../fs/atomic-write.js';
import type { WrittenFile } from './manifest.js';

/** What a file holds: text, as a rule; a theme's pictures and fonts are bytes. */
export type Content = string | Uint8Array;

/** A file of the output that is written and has no name yet that counts. */
export interface Draft {
  readonly temp: string;
  /** What the manifest will say of it; a rename changes none of it. */
  readonly written: WrittenFile;
}

/** Tells this thread's drafts from everybody else's. */
const RUN = randomBytes(6).toString('hex');
let drafts = 0;

/** Writes bytes into a new file of a folder, which is made where it is missing. */
export function writeDraft(folder: string, bytes: Uint8Array): Draft {
  const temp = join(folder, `.pressmark-${RUN}-${drafts++}.tmp`);
  const fd = openNew(temp, folder);
  try {
    fs.writeFileSync(fd, bytes);
    const { size, mtimeMs } = fs.fstatSync(fd);
    return { temp, written: writtenFile(bytes, size, mtimeMs) };
  } catch (error) {
    discard(temp);
    throw error;
  } finally {
    fs.closeSync(fd);
  }
}

function openNew(path: string, folder: string): number {
  try {
    return fs.openSync(path, 'wx');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    fs.mkdirSync(folder, { recursive: true });
    return fs.openSync(path, 'wx');
  }
}

/** Content as the bytes of a file. */
export function bytesOf(content: Content): Buffer {
  return typeof content === 'string'
    ? Buffer.from(content)
    : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

/** What tells a page of ours where the manifest has been lost; every text of the built-in theme carries one. */
const MARK =
  /<meta name="generator" content="Pressmark|<generator>Pressmark|"_pressmark":|(?:<!--|\/\*|#) Pressmark\b/;

/** Whether a file bears the mark of those that Pressmark makes. */
export function isMarked(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // In ASCII, and as a rule near the beginning.
  return (
    MARK.test(buffer.toString('latin1', 0, NEAR)) ||
    (buffer.length > NEAR && MARK.test(buffer.toString('latin1')))
  );
}

/** Where most files have their mark, in bytes from the beginning. */
const NEAR = 2_048;

/** What the manifest says of a file of these bytes. */
export function writtenFile(bytes: Uint8Array, size: number, mtimeMs: number): WrittenFile {
  const crc = crc32(bytes);
  // A digest takes longer than anything else that is done here, and only what bears no mark needs one to be known again.
  return isMarked(bytes) ? { size, mtimeMs, crc } : { size, mtimeMs, crc, digest: digestOf(bytes) };
}

/** Tells bytes that bear no mark from others. */
export function digestOf(bytes: Uint8Array): string {
  return hash('sha256', bytes).slice(0, 32);
}
