import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';
import type { TreeChange } from '../cli/history.js';
import type { Repository } from '../cli/repository.js';
import { blobsAt } from '../cli/tree.js';
import { articleBlob } from '../commit/blobs.js';
import { readHead } from '../commit/head.js';
import type { StoreLock } from './store-lock.js';
import { contentAt } from './work-file.js';
import type { NotFollowed } from './worktree-checkout.js';

/**
 * The version that each file of the work tree was made from: the one in HEAD, unless another one is recorded here.
 * Paths are from the top of the work tree; a version is the name of its blob, and the empty name stands for no file.
 *
 * A file is stale where HEAD has moved on without it, as a person was editing it. Such an edit must not be committed
 * over what others have pushed meanwhile.
 */
export interface BaseVersions {
  /** Records that a file got this content, or was found to have it, before HEAD did. */
  set(path: string, blob: string): void;
  /** The recorded version of a file that is not stale. Ask for it before you read HEAD: it is deleted once HEAD has it. */
  get(path: string): string | undefined;
  delete(paths: readonly string[]): void;
  /** Returns a function that deletes what was recorded until now; to be called once HEAD has it. */
  deleteLater(): () => void;
  /** The stale files, and the version that each was made from; also those of `recordMerged`. */
  stale(): Promise<ReadonlyMap<string, string>>;
  /** Whether a file is stale, after `settle`. */
  isStale(path: string): Promise<boolean>;
  /**
   * Records the versions of the stale files: HEAD moves on without them.
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
  /** Deletes the records of files that are as HEAD has them, or were made from its version. */
  deleteStale(paths: readonly string[]): Promise<void>;
  /**
   * Finds the files that a person has brought to a commit's version, so that the next edit counts as made from it.
   *
   * @param tip the commit; null for none. @default the one that HEAD is at
   */
  settle(tip?: string | null): Promise<void>;
}

/** Base versions in memory; those of stale files are in a file, as a text could be lost without them. */
export function createBaseVersions(repository: Repository, storeLock: Pick<StoreLock, 'run'>): BaseVersions {
  const { gitDir } = repository;
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
    for (const { path, after } of changes)
      if (!remaining.has(path) && after !== null) bases.set(path, after.id);
    const edited = changes.filter(({ path }) => remaining.get(path)?.isEdited === true);
    if (edited.length === 0) return notFollowed;
    await changeStale((stale) => {
      for (const { path, before, after } of edited) {
        const base = bases.get(path) ?? stale.get(path) ?? before?.id ?? '';
        if (base === (after?.id ?? '')) remaining.delete(path);
        else stale.set(path, base);
      }
    });
    return [...remaining.values()];
  }

  async function recordMerged(path: string, blob: string): Promise<() => Promise<void>> {
    const before = await readStale(gitDir);
    await saveStale(gitDir, new Map(before).set(path, blob));
    return () => saveStale(gitDir, before);
  }

  async function deleteStale(paths: readonly string[]): Promise<void> {
    if ((await readStale(gitDir)).size === 0) return;
    await changeStale((stale) => {
      for (const path of paths) stale.delete(path);
    });
  }

  async function settle(tip?: string | null): Promise<void> {
    const stale = await readStale(gitDir);
    if (stale.size === 0) return;
    const commit = tip === undefined ? await headCommit() : tip;
    if (commit === undefined) return;
    const settled = await settledAmong(stale, commit);
    if (settled.size === 0) return;
    await changeStale((now) => {
      for (const [path, blob] of settled) {
        now.delete(path);
        bases.set(path, blob);
      }
    });
  }

  /** Those of stale files that are as a commit has them by now, or were made from its version; with that version. */
  async function settledAmong(
    stale: ReadonlyMap<string, string>,
    commit: string | null,
  ): Promise<Map<string, string>> {
    const committed = await blobsAt(repository, commit, stale.keys());
    const settled = new Map<string, string>();
    for (const [path, base] of stale) {
      const content = await contentAt(repository, path);
      const blob = content && (await articleBlob(repository, path, content.toString('utf8'))).id;
      const atTip = committed.get(path);
      if (blob === atTip || base === atTip) settled.set(path, atTip ?? '');
    }
    return settled;
  }

  /** Without the store's lock: the store may hold it, and wait for the commit that this is asked for. */
  async function isStale(path: string): Promise<boolean> {
    const base = (await readStale(gitDir)).get(path);
    if (base === undefined) return false;
    const commit = await headCommit();
    return commit === undefined || (await settledAmong(new Map([[path, base]]), commit)).size === 0;
  }

  async function headCommit(): Promise<string | null | undefined> {
    const head = await readHead(repository);
    return head.kind === 'branch' ? head.tip : undefined;
  }

  /** Changes the file of the stale files, which the receivers of this work tree share. */
  function changeStale(change: (stale: Map<string, string>) => void): Promise<void> {
    return storeLock.run(async () => {
      const before = await readStale(gitDir);
      const stale = new Map(before);
      change(stale);
      const isSame =
        stale.size === before.size && [...stale].every(([path, base]) => before.get(path) === base);
      if (!isSame) await saveStale(gitDir, stale);
    });
  }

  return {
    set: (path, blob) => void bases.set(path, blob),
    get: (path) => bases.get(path),
    delete: (paths) => {
      for (const path of paths) bases.delete(path);
    },
    deleteLater,
    stale: () => readStale(gitDir),
    isStale,
    recordStale,
    recordMerged,
    deleteStale,
    settle,
  };
}

async function readStale(gitDir: string): Promise<Map<string, string>> {
  try {
    return new Map(Object.entries<string>(JSON.parse(await readFile(fileIn(gitDir), 'utf8'))));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return new Map();
    throw error;
  }
}

async function saveStale(gitDir: string, stale: ReadonlyMap<string, string>): Promise<void> {
  const file = fileIn(gitDir);
  if (stale.size === 0) return rm(file, { force: true });
  await mkdir(dirname(file), { recursive: true });
  await writeAtomically(file, `${JSON.stringify(Object.fromEntries(stale), null, 2)}\n`);
}

function fileIn(gitDir: string): string {
  return join(gitDir, 'pressmark', 'stale-edits.json');
}
