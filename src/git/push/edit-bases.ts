import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';
import type { TreeChange } from '../cli/history.js';
import type { Repository } from '../cli/repository.js';
import type { NotFollowed } from './worktree-checkout.js';

/**
 * The version that each file of the work tree was made from: the one in HEAD, unless another one is recorded here.
 * Paths are from the top of the work tree; a version is the name of its blob, and the empty name stands for no file.
 */
export interface EditBases {
  /** Records that a file got this content, or was found to have it, before HEAD did. */
  set(path: string, blob: string): void;
  /** The recorded version. Ask for it before you read HEAD: it is deleted once HEAD has it. */
  get(path: string): string | undefined;
  delete(paths: readonly string[]): void;
  /** Returns a function that deletes what was recorded until now; to be called once HEAD has it. */
  deleteLater(): () => void;
  /**
   * Records the versions of the stale files: HEAD moves on without them. The caller holds the store's lock.
   *
   * @returns those of `notFollowed` that are stale indeed; the others were made from what HEAD will have.
   */
  recordStale(
    changes: readonly TreeChange[],
    notFollowed: readonly NotFollowed[],
  ): Promise<readonly NotFollowed[]>;
  /**
   * Records, before a file is written, that a merge has made its text: of no commit that stands yet. After a kill the text
   * would pass for a person's edit of HEAD's version. The caller holds the store's lock.
   *
   * @returns a function that takes the record back, where the file was not written.
   */
  recordMerged(path: string, blob: string): Promise<() => Promise<void>>;
  /** Deletes the records of files that are as HEAD has them, or were made from its version. The caller holds the store's lock. */
  deleteStale(paths: readonly string[]): Promise<void>;
  /** Records that stale files have the content of these blobs now. The caller holds the store's lock. */
  setCurrent(blobs: ReadonlyMap<string, string>): Promise<void>;
}

/** Bases in memory; those of stale files are in a file, as a text could be lost without them. */
export function createEditBases({ gitDir }: Pick<Repository, 'gitDir'>): EditBases {
  const bases = new Map<string, string>();

  function deleteLater(): () => void {
    const recorded = [...bases];
    return () => {
      for (const [path, blob] of recorded) if (bases.get(path) === blob) bases.delete(path);
    };
  }

  async function recordStale(
    changes: readonly TreeChange[],
    notFollowed: readonly NotFollowed[],
  ): Promise<readonly NotFollowed[]> {
    const remaining = new Map(notFollowed.map((one) => [one.path, one]));
    const stale = await staleBases({ gitDir });
    const count = stale.size;
    for (const { path, before, after } of changes) {
      const isEdited = remaining.get(path)?.isEdited;
      if (isEdited === undefined && after !== null) bases.set(path, after.id);
      if (isEdited !== true) continue;
      const base = bases.get(path) ?? stale.get(path) ?? before?.id ?? '';
      if (base === (after?.id ?? '')) remaining.delete(path);
      else stale.set(path, base);
    }
    if (stale.size > count) await save(gitDir, stale);
    return [...remaining.values()];
  }

  async function recordMerged(path: string, blob: string): Promise<() => Promise<void>> {
    const before = await staleBases({ gitDir });
    await save(gitDir, new Map(before).set(path, blob));
    return () => save(gitDir, before);
  }

  async function deleteStale(paths: readonly string[]): Promise<void> {
    const stale = await staleBases({ gitDir });
    const count = stale.size;
    for (const path of paths) stale.delete(path);
    if (stale.size < count) await save(gitDir, stale);
  }

  async function setCurrent(blobs: ReadonlyMap<string, string>): Promise<void> {
    const stale = await staleBases({ gitDir });
    for (const [path, blob] of blobs) {
      stale.delete(path);
      bases.set(path, blob);
    }
    await save(gitDir, stale);
  }

  return {
    set: (path, blob) => void bases.set(path, blob),
    get: (path) => bases.get(path),
    delete: (paths) => {
      for (const path of paths) bases.delete(path);
    },
    deleteLater,
    recordStale,
    recordMerged,
    deleteStale,
    setCurrent,
  };
}

/** The stale files, which HEAD has moved on without, and the version that each was made from; also those of `recordMerged`. */
export async function staleBases({ gitDir }: Pick<Repository, 'gitDir'>): Promise<Map<string, string>> {
  try {
    return new Map(Object.entries<string>(JSON.parse(await readFile(fileIn(gitDir), 'utf8'))));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return new Map();
    throw error;
  }
}

async function save(gitDir: string, stale: ReadonlyMap<string, string>): Promise<void> {
  const file = fileIn(gitDir);
  if (stale.size === 0) return rm(file, { force: true });
  await mkdir(dirname(file), { recursive: true });
  await writeAtomically(file, `${JSON.stringify(Object.fromEntries(stale), null, 2)}\n`);
}

function fileIn(gitDir: string): string {
  return join(gitDir, 'pressmark', 'left-behind.json');
}
