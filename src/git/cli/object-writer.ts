import fs from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { syncDirectory } from '../../fs/atomic-write.js';
import { eachAtATime } from '../../fs/each-at-a-time.js';
import type { KeptPacks } from './kept-packs.js';
import { compressed, writeObjectFile } from './object-file.js';
import { createPack } from './pack.js';
import { type ObjectType, objectId, type Repository } from './repository.js';
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
  /** Adds an object that git has written: it may not be on the disk yet. */
  addWritten(id: string): void;
  /** Resolves when all of them are in the repository and on the disk. @throws the system's errors. */
  finish(): Promise<void>;
}

/** So many objects are made without a pause: deliveries are being answered on this thread. */
const MADE_PER_TURN = 40;
/** At most so many files are written at the same time: those of a few commits. */
const WRITTEN_AT_ONCE = 20;

/**
 * Writes new objects: a few as files of their own, as git does it, many as one pack, which is synced once.
 *
 * @param isMany whether they are many.
 * @param packs keeps the pack until a ref leads to its objects.
 */
export function createObjectWriter(
  repository: Repository,
  isMany: boolean,
  packs: KeptPacks | undefined,
): ObjectWriter {
  const objects = join(repository.commonDir, 'objects');
  const known = new Set<string>();
  const written = new Set<string>();
  const form = isMany ? createPack(repository, packs) : createLooseFiles(objects);

  async function add(...[type, content, change]: Parameters<ObjectWriter['add']>): Promise<string> {
    const id = objectId(repository, type, content);
    if (known.has(id)) return id;
    known.add(id);
    if (known.size % MADE_PER_TURN === 0) await nextTurn();
    await form.add(id, type, content, change);
    return id;
  }

  async function finish(): Promise<void> {
    const changed = new Set(await form.finish());
    await Promise.all([
      // A folder that is gone has taken the objects along.
      ...[...changed, objects].map(syncDirectory),
      ...[...written].map(repository.syncObject),
    ]);
  }

  return { add, addWritten: (id) => written.add(id), finish };
}

/** A file for each object. */
function createLooseFiles(objects: string) {
  const files: { readonly id: string; readonly bytes: Buffer }[] = [];

  async function add(id: string, type: ObjectType, content: Buffer): Promise<void> {
    const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
    files.push({ id, bytes: await compressed(bytes) });
  }

  /** @returns the folders that have new files. */
  async function finish(): Promise<readonly string[]> {
    const { mode } = fs.statSync(objects);
    const folders: string[] = [];
    await eachAtATime(WRITTEN_AT_ONCE, files, async ({ id, bytes }) => {
      const folder = join(objects, id.slice(0, 2));
      folders.push(folder);
      await writeObjectFile(join(folder, id.slice(2)), bytes, mode);
    });
    return folders;
  }

  return { add, finish };
}
