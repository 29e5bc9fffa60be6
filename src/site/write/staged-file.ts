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

/** Distinguishes this thread's staged files from all others. */
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
