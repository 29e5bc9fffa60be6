import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { KeptPacks } from './kept-packs.js';
import { compressed, writeObjectFile } from './object-file.js';
import type { ObjectType, Repository } from './repository.js';
import type { TreeEdit } from './tree.js';

/** An object in a pack. */
interface PackedObject {
  /** Where its entry begins. */
  readonly offset: number;
  /** The checksum of the entry. */
  readonly crc: number;
  /** The length of its delta chain. */
  readonly depth: number;
  /** The length of its content. */
  readonly size: number;
}

/** The types of entries, as `git help format-pack` has them. */
const TYPES = { commit: 1, tree: 2, blob: 3, ofsDelta: 6 };
/** The maximum length of a delta chain. */
const MAX_DEPTH = 50;
/** From here on, an index has another form of offsets. A batch is much smaller. */
const MAX_OFFSET = 2 ** 31;

/** The first bytes of a pack, and of its index: a mark and a version. */
const PACK_HEAD = Buffer.from('PACK\0\0\0\x02', 'latin1');
const INDEX_HEAD = Buffer.from('\xfftOc\0\0\0\x02', 'latin1');

/**
 * One pack with its index; a tree is stored as a delta from an earlier one. Both are written here and not by
 * `git index-pack`, which unpacks and hashes every object again: that takes a third of the time of a batch.
 *
 * @param packs keeps the pack until a ref leads to its objects.
 */
export function createPack(repository: Repository, packs: KeptPacks | undefined) {
  const entries: Buffer[] = [];
  const packed = new Map<string, PackedObject>();
  let offset = PACK_HEAD.length + 4;

  async function add(
    id: string,
    type: ObjectType,
    content: Buffer,
    change?: { from: string; edit: TreeEdit },
  ): Promise<void> {
    const base = change && packed.get(change.from);
    const size = content.length;
    const delta =
      change !== undefined && base !== undefined && base.depth < MAX_DEPTH
        ? { bytes: deltaOf(base.size, size, change.edit), depth: base.depth + 1, back: offset - base.offset }
        : undefined;
    const bytes = delta?.bytes ?? content;
    const head = entryHead(delta ? TYPES.ofsDelta : TYPES[type], bytes.length);
    const back = delta ? deltaOffset(delta.back) : Buffer.alloc(0);
    const entry = Buffer.concat([head, back, await compressed(bytes)]);
    entries.push(entry);
    packed.set(id, { offset, crc: crc32(entry), depth: delta?.depth ?? 0, size });
    offset += entry.length;
  }

  /** Writes the pack. @returns the folders that have new files. @throws the system's errors. */
  async function finish(): Promise<readonly string[]> {
    if (offset >= MAX_OFFSET) throw new Error(`a pack of ${offset} bytes is too large`);
    const pack = withChecksum([PACK_HEAD, uint32([packed.size]), ...entries]);
    const index = withChecksum([indexOf(packed), pack.checksum]);
    const objects = join(repository.commonDir, 'objects');
    const folder = join(objects, 'pack');
    const name = `pack-${pack.checksum.toString('hex')}`;
    const { mode } = fs.statSync(objects);
    await packs?.keep(name);
    await writeObjectFile(join(folder, `${name}.pack`), pack.bytes, mode);
    // Git finds a pack by its index.
    await writeObjectFile(join(folder, `${name}.idx`), index.bytes, mode);
    return [folder];
  }

  function withChecksum(parts: readonly Buffer[]): { readonly bytes: Buffer; readonly checksum: Buffer } {
    const content = Buffer.concat(parts);
    const checksum = createHash(repository.objectFormat).update(content).digest();
    return { bytes: Buffer.concat([content, checksum]), checksum };
  }

  return { add, finish };
}

/**
 * The index of a pack without the checksums at its end: how many names have a first byte of at most each value; then the
 * names in order, and the checksums and the offsets of their entries.
 */
function indexOf(packed: ReadonlyMap<string, PackedObject>): Buffer {
  const sorted = [...packed].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = Buffer.from(sorted.map(([id]) => id).join(''), 'hex');
  const firstBytes = sorted.map(([id]) => Number.parseInt(id.slice(0, 2), 16));
  const counts = Array.from({ length: 256 }, (_, byte) => firstBytes.filter((first) => first <= byte).length);
  return Buffer.concat([
    INDEX_HEAD,
    uint32(counts),
    names,
    uint32(sorted.map(([, { crc }]) => crc)),
    uint32(sorted.map(([, { offset }]) => offset)),
  ]);
}

function uint32(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}

/** Type and size at the head of an entry: three bits and four, then seven bits a byte. */
function entryHead(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push((bytes.pop() ?? 0) | 128, rest & 127);
  }
  return Buffer.from(bytes);
}

/** How far before its delta the base begins, in the encoding of OBJ_OFS_DELTA: see `git help format-pack`. */
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

/** The delta of an edit: copies the old content before the edit, inserts the new bytes, copies the rest. */
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
