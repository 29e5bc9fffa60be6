import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';
import { emptyTree, type Repository } from '../cli/repository.js';
import { readHead } from './head.js';
import { type IndexEntry, stagedBlobs, writeEntries } from './index.js';
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
  await writeEntries(repository, lock, await entriesAt(repository, head.tip, paths));
  return paths.length;
}

/** What a commit has at these paths, as lines for the index. */
async function entriesAt(
  repository: Repository,
  commit: string | null,
  paths: readonly string[],
): Promise<string[]> {
  if (paths.length === 0) return [];
  const listed =
    commit === null
      ? ''
      : (await repository.git(['ls-tree', '-z', '--full-tree', commit, '--', ...paths])).stdout;
  const there = listed.split('\0').slice(0, -1);
  const known = new Set(there.map((line) => line.slice(line.indexOf('\t') + 1)));
  const nothing = '0'.repeat(emptyTree(repository).length);
  const gone = paths.filter((path) => !known.has(path)).map((path) => `0 ${nothing}\t${path}\0`);
  return [...there.map((line) => `${line}\0`), ...gone];
}
