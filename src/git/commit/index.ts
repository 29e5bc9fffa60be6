import { mkdirSync, rmSync } from 'node:fs';
import { link, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../../errors.js';
import { syncDirectory, syncFile } from '../../fs/atomic-write.js';
import { versionAt } from '../../fs/stamp.js';
import { NO_BLOBS, type PathBlobs, rawDiff, type TreeChange } from '../cli/history.js';
import { emptyTree, isOlder, type Repository } from '../cli/repository.js';
import { FILE, type TreeEntry } from '../cli/tree.js';
import type { IndexLock } from './index-lock.js';

/** How many entries git gets on its command line. */
const MAX_CACHEINFO_ARGS = 8;

/** What the index has, or shall have, at a path. */
export interface IndexEntry {
  /** From the top of the work tree. */
  readonly path: string;
  /** The empty name stands for no entry. */
  readonly blob: string;
  /** @default FILE */
  readonly mode?: string;
}

/** With more paths the diff is of everything: git matches each pathspec with each entry, and skips equal folders without any. */
const MAX_PATHSPECS = 20;

/**
 * What the index has where that differs from the tip: a blob, or the empty name for a removal.
 *
 * @param paths what is asked about; everything, where it is not said.
 */
export async function stagedBlobs(
  repository: Repository,
  tip: string | null,
  paths?: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const isNamed = paths !== undefined && paths.size <= MAX_PATHSPECS;
  const changes = await rawDiff(
    repository,
    ['diff-index', '--cached'],
    tip ?? emptyTree(repository),
    ...(isNamed ? ['--', ...paths] : []),
  );
  const wanted = changes.filter(({ path }) => paths?.has(path) ?? true);
  return new Map(wanted.map(({ path, after }) => [path, after?.id ?? '']));
}

/** The next version of the index with its entries, made while the index was not locked. */
export interface NextIndex {
  /** What the index had at the paths of the entries where that differs from the tip. */
  readonly staged: ReadonlyMap<string, string>;
  /** Whether the index is still the one that it was made from. */
  isCurrent(): boolean;
  /** Puts it in the place of the index, whose lock is held. */
  use(): Promise<void>;
  remove(): void;
}

/** Makes the next version of the index, as far as nobody has staged anything at the entries' paths. */
export async function prepareIndex(
  repository: Repository,
  nextIndex: string,
  tip: string | null,
  entries: readonly IndexEntry[],
): Promise<NextIndex> {
  const version = indexVersion(repository.gitDir);
  const paths = new Set(entries.map(({ path }) => path));
  const made = makeNextIndex(repository, nextIndex, entries);
  const [staged] = await Promise.all([stagedBlobs(repository, tip, paths), made]).catch(async (error) => {
    await made.catch(() => undefined);
    removeNextIndex(nextIndex);
    throw error;
  });
  return {
    staged,
    isCurrent: () => indexVersion(repository.gitDir) === version,
    use: () => putInPlace(repository, nextIndex),
    remove: () => removeNextIndex(nextIndex),
  };
}

/** Puts entries into the index, whose lock is held, and leaves the rest of it as it is. */
export async function writeEntries(
  repository: Repository,
  { nextIndex }: IndexLock,
  entries: readonly IndexEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  try {
    await makeNextIndex(repository, nextIndex, entries);
    await putInPlace(repository, nextIndex);
  } finally {
    removeNextIndex(nextIndex);
  }
}

async function makeNextIndex(
  repository: Repository,
  nextIndex: string,
  entries: readonly IndexEntry[],
): Promise<void> {
  const { git, gitDir, version } = repository;
  // somebody may have removed it while the receiver runs
  mkdirSync(dirname(nextIndex), { recursive: true });
  try {
    // Git writes a new file beside it and renames that, so a second name does for a copy.
    await link(join(gitDir, 'index'), nextIndex);
  } catch (error) {
    // A repository has no index before the first `git add`.
    if (systemCode(error) !== 'ENOENT' || indexVersion(gitDir) !== undefined) throw error;
  }
  // A few entries go on the command line: git starts sooner without an input.
  const isFew = entries.length <= MAX_CACHEINFO_ARGS && entries.every(({ blob }) => blob !== '');
  const infos = entries.flatMap(({ mode = FILE, blob, path }) => ['--cacheinfo', `${mode},${blob},${path}`]);
  const none = emptyTree(repository).replace(/./g, '0');
  const lines = entries.map(({ mode = FILE, blob, path }) =>
    blob === '' ? `0 ${none}\t${path}\0` : `${mode} ${blob} 0\t${path}\0`,
  );
  const args = isFew ? ['--add', '--replace', ...infos] : ['-z', '--index-info'];
  await git(['update-index', ...args], { input: isFew ? '' : lines.join(''), indexFile: nextIndex });
  // A newer git has synced it, by the setting core.fsync.
  if (isOlder(version, [2, 36])) await syncFile(nextIndex);
}

/**
 * Puts the next index in the place of the index, whose lock is held. The index is on the disk then: a power loss that took it
 * back, and not the branch that moves next, would have the owner's next commit undo the articles.
 */
async function putInPlace(repository: Repository, nextIndex: string): Promise<void> {
  const { gitDir } = repository;
  await withoutNewConflicts(repository, () => rename(nextIndex, join(gitDir, 'index')));
  await syncDirectory(gitDir);
}

/** A killed git command leaves a lock beside it. */
function removeNextIndex(nextIndex: string): void {
  for (const file of [nextIndex, `${nextIndex}.lock`]) rmSync(file, { force: true });
}

/**
 * Writes the changes between two commits into the index, whose lock is held. The owner's staged changes stay.
 *
 * @param tip the commit that the changes begin at.
 * @param isCommitted returns the blobs that the commits in between have. Such an entry was not
 *   staged by the owner; a receiver that was killed before the branch had moved has left it.
 */
export async function mergeIntoIndex(
  repository: Repository,
  lock: IndexLock,
  tip: string | null,
  changes: readonly TreeChange[],
  isCommitted: (paths: readonly string[]) => Promise<PathBlobs>,
): Promise<void> {
  const staged = await stagedBlobs(repository, tip);
  const unsure = changes.map(({ path }) => path).filter((path) => staged.has(path));
  const committed = unsure.length === 0 ? NO_BLOBS : await isCommitted(unsure);
  const isOwners = (path: string) => staged.has(path) && !committed.get(path)?.has(staged.get(path) ?? '');
  const entries = changes
    .filter(({ path }) => !isOwners(path))
    .map(({ path, after }) => entryOf(path, after));
  await writeEntries(repository, lock, entries);
}

/** The entry for what a commit has at a path. */
export function entryOf(path: string, item: TreeEntry | null | undefined): IndexEntry {
  return { path, blob: item?.id ?? '', ...(item && { mode: item.mode }) };
}

/** The index files that were found without conflicts, by git directory; reading a long one takes its time. */
const clean = new Map<string, string>();

/** Whether paths are unmerged, as after a `git stash pop` that met something. */
export async function hasConflicts({ git, gitDir }: Repository): Promise<boolean> {
  const version = indexVersion(gitDir);
  if (version === undefined || clean.get(gitDir) === version) return false;
  const { stdout } = await git(['ls-files', '--unmerged', '-z']);
  if (stdout !== '') return true;
  clean.set(gitDir, version);
  return false;
}

/** Does `replace`, which puts entries without conflicts into an index that is locked: it stays without them. */
async function withoutNewConflicts({ gitDir }: Repository, replace: () => Promise<void>): Promise<void> {
  const before = indexVersion(gitDir);
  const isClean = before !== undefined && clean.get(gitDir) === before;
  await replace();
  const after = isClean ? indexVersion(gitDir) : undefined;
  if (after !== undefined) clean.set(gitDir, after);
}

/** Another one where the index has been replaced; undefined before the first `git add`: there is none. */
function indexVersion(gitDir: string): string | undefined {
  return versionAt(join(gitDir, 'index'));
}
