import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';
import type { Repository } from '../cli/repository.js';
import { filesAt } from '../cli/tree.js';
import { readHead } from './head.js';
import { entryOf, type IndexEntry, stagedBlobs, writeEntries } from './index.js';
import type { IndexLock, IndexLocker } from './index-lock.js';

/** The entries that Pressmark is about to write into the index; see `readIndexIntents`. */
export interface IndexIntents {
  /** Whether an entry of the index was put there by Pressmark, for a commit that it did not come to. */
  isIntended(entry: IndexEntry): boolean;
  /** Records entries before they are written into the index. */
  add(entries: readonly IndexEntry[]): Promise<void>;
  readonly isEmpty: boolean;
  /** Removes all: the index holds no uncommitted entry of Pressmark. */
  clear(): Promise<void>;
  /** Removes entries whose commits are made. */
  remove(entries: readonly IndexEntry[]): Promise<void>;
}

/**
 * Reads the intents. An index entry that differs from HEAD was staged by the owner, who is about to commit it, or it was
 * written by a receiver that was killed before it moved the branch. The intents show which. The caller holds the index.
 */
export async function readIndexIntents({ gitDir }: Pick<Repository, 'gitDir'>): Promise<IndexIntents> {
  const file = join(gitDir, 'pressmark', 'index-intents');
  const intended = new Set((await contentOf(file)).split('\0').slice(0, -1));

  async function add(entries: readonly IndexEntry[]): Promise<void> {
    for (const entry of entries) intended.add(lineOf(entry));
    if (entries.length > 0) await save();
  }

  async function remove(entries: readonly IndexEntry[]): Promise<void> {
    for (const entry of entries) intended.delete(lineOf(entry));
    // the entries that a killed receiver has left are still needed
    await (intended.size === 0 ? rm(file, { force: true }) : save());
  }

  async function save(): Promise<void> {
    await writeAtomically(file, [...intended].map((line) => `${line}\0`).join(''));
  }

  const clear = () => rm(file, { force: true });
  return {
    isEmpty: intended.size === 0,
    clear,
    isIntended: (entry) => intended.has(lineOf(entry)),
    add,
    remove,
  };
}

function lineOf({ path, blob }: IndexEntry): string {
  return `${blob} ${path}`;
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/**
 * Sets those index entries back to HEAD that a killed receiver has left. The owner's next commit must not contain them,
 * and they must not pass for the owner's.
 *
 * @returns how many entries were set back.
 */
export async function rollBackLeftEntries(
  repository: Repository,
  locker: IndexLocker,
  signal: AbortSignal,
): Promise<number> {
  if ((await readIndexIntents(repository)).isEmpty) return 0;
  const lock = await locker.take(signal);
  if (lock === undefined) return 0;
  try {
    const intents = await readIndexIntents(repository);
    const count = await rollBackEntries(repository, lock, intents.isIntended);
    if (count === undefined) return 0;
    await intents.clear();
    return count;
  } finally {
    await lock.release();
  }
}

/**
 * Sets those of the index's entries back to HEAD that differ from it and are ours; the index is held.
 *
 * @returns how many; undefined where that cannot be done now, as the owner is in the middle of something.
 */
export async function rollBackEntries(
  repository: Repository,
  lock: IndexLock,
  isOurs: (entry: IndexEntry) => boolean,
): Promise<number | undefined> {
  const head = await readHead(repository);
  if (head.kind === 'not now') return undefined;
  const staged = await stagedBlobs(repository, head.tip);
  const paths = [...staged].filter(([path, blob]) => isOurs({ path, blob })).map(([path]) => path);
  const files = await filesAt(repository, head.tip, paths);
  await writeEntries(
    repository,
    lock,
    paths.map((path) => entryOf(path, files.get(path))),
  );
  return paths.length;
}
