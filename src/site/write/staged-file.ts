import fs from 'node:fs';
import { crc32 } from 'node:zlib';
import { systemCode } from '../../errors.js';
import { discard, tempPath } from '../../fs/atomic-write.js';
import type { Content } from '../outputs/output.js';
import type { WrittenFile } from './manifest.js';

/** A file of the output that is written and has no name yet that counts. */
export interface StagedFile {
  readonly temp: string;
  /** What the manifest will say of it; a rename changes none of it. */
  readonly written: WrittenFile;
}

/**
 * Writes bytes into a new file of a folder, which is made where it is missing.
 *
 * @param source for a compressed variant: the checksum of the file that it was made of.
 */
export function stageFile(folder: string, bytes: Uint8Array, source?: number): StagedFile {
  const temp = tempPath(folder);
  const fd = openNew(temp, folder);
  try {
    fs.writeFileSync(fd, bytes);
    return { temp, written: writtenFile(bytes, fs.fstatSync(fd), source) };
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
export function writtenFile(bytes: Uint8Array, { size, mtimeMs }: fs.Stats, source?: number): WrittenFile {
  const written = { size, mtimeMs, crc: crc32(bytes) };
  return source === undefined ? written : { ...written, source };
}
