import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';
import { systemCode } from '../../errors.js';

/** It takes a third of the processor time of zlib's own level, and makes 7 % more bytes. */
const LEVEL = 3;
/** For contents up to so many bytes, such as a row of a tree, zlib takes twenty times as long as storing them. */
const TINY = 200;
/** Contents up to so many bytes are compressed on this thread: handing them to another one takes as long. */
const SMALL = 65_536;

const deflated = promisify<Buffer, { level: number }, Buffer>(deflate);

/** Compresses the content of an object, in the format of zlib. */
export async function compressed(content: Buffer): Promise<Buffer> {
  if (content.length <= TINY) return stored(content);
  return content.length <= SMALL
    ? deflateSync(content, { level: LEVEL })
    : deflated(content, { level: LEVEL });
}

/** The format of zlib around bytes as they are: a block that is stored, and the checksum Adler-32. */
function stored(content: Buffer): Buffer {
  let [low, high] = [1, 0];
  for (const byte of content) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  const { length } = content;
  const head = [0x78, 0x01, 1, length & 255, length >>> 8, ~length & 255, (~length >>> 8) & 255];
  return Buffer.from([...head, ...content, high >>> 8, high & 255, low >>> 8, low & 255]);
}

// Not file handles, which take twice as much time on this thread, that of the answers.
const open = promisify(fs.open);
const writeFile = promisify(fs.writeFile);
const fsync = promisify(fs.fsync);
const rename = promisify(fs.rename);

/**
 * Writes a file of the folder `objects` through to the disk, under a temporary name that `git prune` removes after a kill,
 * and renames it. Its own folder is made if necessary.
 *
 * @param folderMode the mode of `objects`. As in git, whoever may read that folder may read the file, such as the group of
 *   a shared repository.
 */
export async function writeObjectFile(path: string, bytes: Buffer, folderMode: number): Promise<void> {
  const temp = join(dirname(path), `tmp_obj_${randomBytes(8).toString('hex')}`);
  const fd = await openIn(dirname(path), temp, folderMode);
  try {
    try {
      await writeFile(fd, bytes);
      fs.fchmodSync(fd, folderMode & 0o444);
      await fsync(fd);
    } finally {
      fs.closeSync(fd);
    }
    await rename(temp, path);
  } catch (error) {
    fs.rmSync(temp, { force: true });
    throw error;
  }
}

async function openIn(folder: string, path: string, mode: number): Promise<number> {
  try {
    return await open(path, 'wx');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    makeFolder(folder, mode);
    return open(path, 'wx');
  }
}

function makeFolder(folder: string, mode: number): void {
  try {
    fs.mkdirSync(folder);
    fs.chmodSync(folder, mode & 0o7777);
  } catch (error) {
    // somebody else was first
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}
