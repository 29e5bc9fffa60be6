import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';
import { systemCode } from '../../errors.js';
import { syncIfThere } from './fsync-directories.js';
import { objectId, type Repository } from './repository.js';
import type { TreeEdit } from './tree.js';

/** Writes objects into a repository; see `createObjectWriter`. */
export interface ObjectWriter {
  /**
   * Adds an object.
   *
   * @param change how a tree differs from one that was added before.
   * @returns its name.
   */
  add(type: ObjectType, content: Buffer, change?: { from: string; edit: TreeEdit }): Promise<string>;
  /** Adds an object that git has written: its folder may not be on the disk yet. */
  addWritten(id: string): void;
  /** Resolves when all of them are in the repository and on the disk. @throws the system's errors, GIT_FAILED. */
  finish(): Promise<void>;
}

type ObjectType = 'commit' | 'tree' | 'blob';

/** A third of the processor time of zlib's own level, for 7 % more bytes. */
const LEVEL = 3;
/** So few bytes, as of a row of a tree, are not worth the twentyfold time that zlib needs to begin. */
const TINY = 200;
/** Contents up to so many bytes are compressed on this thread: to hand them to another one costs this one as much. */
const SMALL = 65_536;
/** So many objects are made without a pause: deliveries are being answered on this thread. */
const MADE_PER_TURN = 40;

/**
 * Writes new objects: a few as files of their own, as git does it, many as one pack, which is synced once.
 *
 * @param isMany whether they are many.
 */
export function createObjectWriter(repository: Repository, isMany: boolean): ObjectWriter {
  const objects = join(repository.commonDir, 'objects');
  const known = new Set<string>();
  const written = new Set<string>();
  const form = isMany ? createPack(repository) : createLooseFiles(objects);

  async function add(...[type, content, change]: Parameters<ObjectWriter['add']>): Promise<string> {
    const id = objectId(repository, type, content);
    if (known.has(id)) return id;
    known.add(id);
    if (known.size % MADE_PER_TURN === 0) await nextTurn();
    await form.add(id, type, content, change);
    return id;
  }

  async function finish(): Promise<void> {
    const changed = await form.finish();
    await Promise.all([
      ...[...new Set([...changed, objects])].map(syncIfThere),
      ...[...written].map(repository.syncObject),
    ]);
  }

  return { add, addWritten: (id) => written.add(id), finish };
}

/** Objects in one of the two forms that git has for them. */
interface ObjectForm {
  add(
    id: string,
    type: ObjectType,
    content: Buffer,
    change?: { from: string; edit: TreeEdit },
  ): Promise<void>;
  /** @returns the folders that have new files. */
  finish(): Promise<readonly string[]>;
}

/** A file for each object. */
function createLooseFiles(objects: string): ObjectForm {
  const files: { readonly id: string; readonly bytes: Promise<Buffer> }[] = [];

  async function add(id: string, type: ObjectType, content: Buffer): Promise<void> {
    const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
    files.push({ id, bytes: compressed(bytes) });
  }

  async function finish(): Promise<readonly string[]> {
    // As in git, files may be read by those who may read the folder: by a group, where the repository is shared.
    const mode = fs.statSync(objects).mode & 0o7777;
    return Promise.all(
      files.map(async ({ id, bytes }) => {
        const folder = join(objects, id.slice(0, 2));
        await write(folder, join(folder, id.slice(2)), await bytes, mode);
        return folder;
      }),
    );
  }

  return { add, finish };
}

// Not by file handles, which take the thread that answers twice the time.
const open = promisify(fs.open);
const writeFile = promisify(fs.writeFile);
const fsync = promisify(fs.fsync);
const rename = promisify(fs.rename);

/** Writes a file through to the disk under a name by which git removes what a killed process leaves, and renames it. */
async function write(folder: string, target: string, bytes: Buffer, folderMode: number): Promise<void> {
  const temp = join(folder, `tmp_obj_${randomBytes(8).toString('hex')}`);
  const fd = await openIn(folder, temp, folderMode);
  try {
    try {
      await writeFile(fd, bytes);
      fs.fchmodSync(fd, folderMode & 0o444);
      await fsync(fd);
    } finally {
      fs.closeSync(fd);
    }
    await rename(temp, target);
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
    fs.chmodSync(folder, mode);
  } catch (error) {
    // somebody else was first
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

/** The types of entries, as `git help format-pack` has them. */
const TYPES = { commit: 1, tree: 2, blob: 3, ofsDelta: 6 };
/** How many deltas lead to an object at the most. */
const MAX_DEPTH = 50;

/** One pack; a tree stands in it as a delta from an earlier one. Git itself checks it and makes its index. */
function createPack(repository: Repository): ObjectForm {
  const entries: Buffer[] = [];
  const places = new Map<string, { readonly at: number; readonly depth: number; readonly size: number }>();
  let length = 12;

  async function add(...[id, type, content, change]: Parameters<ObjectForm['add']>): Promise<void> {
    const base = change && places.get(change.from);
    const isDelta = base !== undefined && base.depth < MAX_DEPTH;
    const bytes = isDelta && change ? deltaOf(base.size, content.length, change.edit) : content;
    const data = await compressed(bytes);
    const at = length;
    const head = isDelta
      ? [entryHead(TYPES.ofsDelta, bytes.length), deltaOffset(at - base.at)]
      : [entryHead(TYPES[type], bytes.length)];
    entries.push(...head, data);
    length += [...head, data].reduce((sum, part) => sum + part.length, 0);
    places.set(id, { at, depth: isDelta ? base.depth + 1 : 0, size: content.length });
  }

  async function finish(): Promise<readonly string[]> {
    const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
    head.writeUInt32BE(places.size, 8);
    const pack = Buffer.concat([head, ...entries]);
    const checksum = createHash(repository.objectFormat).update(pack).digest();
    const input = Buffer.concat([pack, checksum]);
    await repository.git(['index-pack', '--stdin'], { input, isSelfDelimiting: true });
    return [join(repository.commonDir, 'objects', 'pack')];
  }

  return { add, finish };
}

/** Type and size at the head of an entry: three bits and four, then seven bits a byte. */
function entryHead(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push((bytes.pop() ?? 0) | 128, rest & 127);
  }
  return Buffer.from(bytes);
}

/** How far before its delta the base stands: seven bits a byte, highest first, each further byte counting from one. */
function deltaOffset(offset: number): Buffer {
  const bytes = [offset & 127];
  for (let rest = Math.floor(offset / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest -= 1;
    bytes.unshift(128 | (rest & 127));
  }
  return Buffer.from(bytes);
}

/** A size in a delta: seven bits a byte, lowest first. */
function deltaSize(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest & 127) | 128);
  return [...bytes, rest];
}

/** The delta of an edit: the old content before it is copied, its own text inserted, the old content behind it copied. */
function deltaOf(oldSize: number, newSize: number, { at, removed, inserted }: TreeEdit): Buffer {
  const inserts: Buffer[] = [];
  for (let from = 0; from < inserted.length; from += 127) {
    const part = inserted.subarray(from, from + 127);
    inserts.push(Buffer.from([part.length]), part);
  }
  const rest = at + removed;
  return Buffer.concat([
    Buffer.from([...deltaSize(oldSize), ...deltaSize(newSize), ...copyInstructions(0, at)]),
    ...inserts,
    Buffer.from(copyInstructions(rest, oldSize - rest)),
  ]);
}

/** Instructions that copy a part of the old content; each copies 65,535 bytes at the most. */
function copyInstructions(start: number, length: number): number[] {
  const bytes: number[] = [];
  for (let done = 0; done < length; ) {
    const [at, size] = [start + done, Math.min(length - done, 0xffff)];
    bytes.push(0b1011_1111, at & 255, (at >>> 8) & 255, (at >>> 16) & 255, at >>> 24, size & 255, size >>> 8);
    done += size;
  }
  return bytes;
}

const deflated = promisify<Buffer, { level: number }, Buffer>(deflate);

async function compressed(content: Buffer): Promise<Buffer> {
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
