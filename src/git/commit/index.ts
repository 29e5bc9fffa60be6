import { link, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../errors.js';
import { emptyTree, type Repository } from '../cli/repository.js';
import { parseRaw } from '../cli/trees.js';
import { withoutNewConflicts } from './index-conflicts.js';
import type { IndexLock } from './index-lock.js';

/** How many entries git is told on its command line. */
const FEW = 8;

/** What the index shall have at a path. */
export interface WantedEntry {
  readonly path: string;
  readonly blob: string;
  /** Blobs of ours that it may have now; anything else but the tip's own the owner has staged. */
  readonly known: ReadonlySet<string>;
}

/**
 * What the index has where that differs from the tip: a blob, or zeros for a removal.
 *
 * @param paths what is asked about; everything, where it is not said.
 */
export async function stagedBlobs(
  repository: Repository,
  tip: string | null,
  paths?: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const { stdout } = await repository.git([
    'diff-index',
    '--cached',
    '--raw',
    '-z',
    '--no-abbrev',
    '--no-renames',
    tip ?? emptyTree(repository),
    ...(paths === undefined ? [] : ['--', ...paths]),
  ]);
  return new Map(parseRaw(stdout).map(({ path, newBlob }) => [path, newBlob]));
}

/**
 * Puts entries for exactly these paths into the index, whose lock is held; everything else in it stays, and so
 * does what the owner has staged at these very paths.
 *
 * @param staged what differs from the tip there now.
 * @returns the paths that were left because the owner has staged something there.
 */
export async function setIndexEntries(
  repository: Repository,
  lock: IndexLock,
  staged: ReadonlyMap<string, string>,
  wanted: readonly WantedEntry[],
): Promise<string[]> {
  const isOwners = ({ path, known }: WantedEntry) => {
    const blob = staged.get(path);
    return blob !== undefined && !known.has(blob);
  };
  const entries = wanted.filter((entry) => !isOwners(entry) && staged.get(entry.path) !== entry.blob);
  const lines = entries.map(({ path, blob }) => `100644 ${blob} 0\t${path}\0`);
  await writeEntries(repository, lock, lines);
  return wanted.filter(isOwners).map(({ path }) => path);
}

/**
 * Lays entries over the index, whose lock is held, and leaves the rest of it as it is.
 *
 * @param lines as `git update-index -z --index-info` takes them.
 */
export async function writeEntries(
  repository: Repository,
  lock: IndexLock,
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return;
  const { git, gitDir } = repository;
  const index = join(gitDir, 'index');
  try {
    // Git writes a new file beside it and renames that, so a second name does for a copy.
    await link(index, lock.draft);
  } catch (error) {
    // before the first `git add` there is no index
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  const { args, input } = updateOf(lines);
  await git(['update-index', ...args], { input, indexFile: lock.draft });
  await flush(lock.draft);
  await withoutNewConflicts(repository, () => rename(lock.draft, index));
}

/** A few entries go on the command line: git starts sooner without an input. */
function updateOf(lines: readonly string[]): { args: readonly string[]; input: string } {
  const infos = lines.map((line) => /^(100644) ([0-9a-f]+) 0\t(.+)\0$/.exec(line));
  if (lines.length > FEW || infos.includes(null))
    return { args: ['-z', '--index-info'], input: lines.join('') };
  const entries = infos.flatMap((info) => ['--cacheinfo', info?.slice(1).join(',') ?? '']);
  return { args: ['--add', '--replace', ...entries], input: '' };
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
