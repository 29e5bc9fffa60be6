import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { systemCode } from '../../errors.js';
import { discard } from '../../fs/atomic-write.js';
import type { Content } from '../outputs/output.js';
import type { WrittenFile } from './manifest.js';

/** A file of the output that is written and has no name yet that counts. */
export interface StagedFile {
  readonly temp: string;
  /** What the manifest will say of it; a rename changes none of it. */
  readonly written: WrittenFile;
}

/** Tells this thread's drafts from everybody else's. */
const RUN = randomBytes(6).toString('hex');
let stagedFiles = 0;

/** Writes bytes into a new file of a folder, which is made where it is missing. */
export function stageFile(folder: string, bytes: Uint8Array): StagedFile {
  const temp = join(folder, `.pressmark-${RUN}-${stagedFiles++}.tmp`);
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

/** What the manifest says of a file of these bytes. */
export function writtenFile(bytes: Uint8Array, size: number, mtimeMs: number): WrittenFile {
  return { size, mtimeMs, crc: crc32(bytes) };
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

/** Whether a file of which the manifest knows nothing bears the mark of those that Pressmark makes. */
export function isMarked(bytes: Uint8Array): boolean {
  return isMarkedPage(bytes) || PLAIN_MARK.test(latin1(bytes, NEAR));
}

/** Whether a file that differs from what the manifest says is a page of ours nevertheless, and no owner's own. */
export function isMarkedPage(bytes: Uint8Array): boolean {
  // In ASCII, and as a rule near the beginning.
  return hasMark(latin1(bytes, NEAR)) || (bytes.length > NEAR && hasMark(latin1(bytes)));
}

function latin1(bytes: Uint8Array, end = bytes.length): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', 0, end);
}

function hasMark(text: string): boolean {
  return MARKS.some((mark) => mark.test(text));
}
