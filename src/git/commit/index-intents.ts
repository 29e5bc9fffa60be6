import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';
import type { Repository } from '../cli/repository.js';
import { filesAt } from '../cli/tree.js';
import { readHead } from './head.js';
import { entryOf, type IndexEntry, stagedBlobs, writeEntries } from './index.js';
import type { IndexLock, IndexLocker } from './index-lock.js';

/** The entries that one batch writes into the index, recorded before; see `recordIntents`. */
export interface IntentRecord {
  /** The file that has them. */
  readonly file: string;
  /** Resolves when these entries, too, are recorded, on the disk. */
  add(entries: readonly IndexEntry[]): Promise<void>;
  /** Ends the record: the branch has the entries, on the disk, or they are set back. */
  remove(): Promise<void>;
}

/**
 * Records the entries of a batch. An index entry that differs from HEAD was staged by the owner, who is about to commit
 * it, or it was written by a receiver that was killed before it moved the branch. The records show which.
 */
export function recordIntents(file: string): IntentRecord {
  const intended = new Set<string>();

  async function add(entries: readonly IndexEntry[]): Promise<void> {
    for (const entry of entries) intended.add(lineOf(entry));
    await writeAtomically(file, [...intended].map((line) => `${line}\0`).join(''));
  }

  return { file, add, remove: () => rm(file, { force: true }) };
}

/** The records of several batches. */
export interface IndexIntents {
  readonly isEmpty: boolean;
  /** Whether an entry of the index was put there by Pressmark, for a commit that it did not come to. */
  isIntended(entry: IndexEntry): boolean;
  /** Removes the records: their entries are set back. */
  remove(): Promise<void>;
}

/** Reads the records of the batches that did not end, or that are under way, as far as their file is wanted. */
export async function readIndexIntents(
  { gitDir }: Pick<Repository, 'gitDir'>,
  isWanted: (file: string) => boolean = () => true,
): Promise<IndexIntents> {
  const folder = join(gitDir, 'pressmark');
  const names = (await readdir(folder).catch(absent([]))).filter((name) => name.startsWith('intents-'));
  const files = names.map((name) => join(folder, name)).filter(isWanted);
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(absent(''))));
  const intended = new Set(texts.flatMap((text) => text.split('\0').slice(0, -1)));
  return {
    isEmpty: files.length === 0,
    isIntended: (entry) => intended.has(lineOf(entry)),
    remove: async () => {
      for (const file of files) await rm(file, { force: true });
    },
  };
}

function lineOf({ path, blob }: IndexEntry): string {
  return `${blob} ${path}`;
}

/** Whether the receiver that has made a record has ended: its token is gone. */
function isDead(file: string): boolean {
  const id = basename(file).split('-')[1];
  return !existsSync(join(dirname(file), `token-${id}`));
}

function absent<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (systemCode(error) === 'ENOENT') return instead;
    throw error;
  };
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
  if ((await readIndexIntents(repository, isDead)).isEmpty) return 0;
  const lock = await locker.take(signal);
  if (lock === undefined) return 0;
  try {
    const intents = await readIndexIntents(repository, isDead);
    const head = await readHead(repository);
    // In the middle of a merge, the same entry may be one that the owner has merged.
    if (head.kind === 'not now') return 0;
    const count = await rollBackEntries(repository, lock, head.tip, intents.isIntended);
    await intents.remove();
    return count;
  } finally {
    await lock.release();
  }
}

/**
 * Sets those of the index's entries back to HEAD that differ from it and are ours; the index is held.
 *
 * @param tip the commit that HEAD is at; null before the first.
 * @returns how many.
 */
export async function rollBackEntries(
  repository: Repository,
  lock: IndexLock,
  tip: string | null,
  isOurs: (entry: IndexEntry) => boolean,
): Promise<number> {
  const staged = await stagedBlobs(repository, tip);
  const paths = [...staged].filter(([path, blob]) => isOurs({ path, blob })).map(([path]) => path);
  const files = await filesAt(repository, tip, paths);
  await writeEntries(
    repository,
    lock,
    paths.map((path) => entryOf(path, files.get(path))),
  );
  return paths.length;
}
