import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { messageOf } from '../../errors.js';
import { versionAt } from '../../fs/fingerprint.js';
import { syncFoldersOf, syncIfThere } from '../../fs/sync-files.js';
import { saidIn } from '../git.js';
import { blobId, commitAt, entriesAt, FILE, noObject, type TreeEntry } from '../objects.js';
import type { Repository } from '../repository.js';
import { type Status, statusOf } from '../status.js';
import type { NewVersion } from './build-commits.js';
import { type Branch, hasLeft, isOn } from './head.js';

/** Marks Pressmark's moves in the log of HEAD. */
export const REFLOG_MESSAGE = 'pressmark: articles';

/** How many times the index is reset while HEAD moves. */
const TAKE_BACK_ATTEMPTS = 5;

/** The pauses between attempts while another program holds a lock, in milliseconds. */
const PAUSES_MS = [50, 100, 200, 400];

/** How long git may take to lock the index before HEAD is checked anyway, in milliseconds. */
const LOCK_MS = 1_000;

/** Commits for the branch. */
export interface NewCommits {
  readonly files: readonly NewVersion[];
  /** The result of `buildCommits`. */
  readonly commits: readonly string[];
  /** The paths that the owner has staged. */
  readonly staged: ReadonlySet<string>;
  /** The version of the index in which they were staged, by `versionAt`. */
  readonly index: string | undefined;
  /** A time before their first object was written, by `performance.now()`. */
  readonly since: number;
}

/**
 * Adds the files of new commits to the index, except at paths that the owner has staged, and then moves the branch to the
 * commits.
 *
 * @returns undefined if HEAD has moved since `head` was read, or the owner has staged one of the files: then the commits must be
 *   made again. `tidied` resolves when the temporary ref is removed; no answer waits for that.
 * @throws PressmarkError GIT_FAILED, for example if another program keeps the index or the branch locked.
 */
export async function moveBranch(
  repository: Repository,
  head: Branch,
  { files, commits, staged, index, since }: NewCommits,
): Promise<{ readonly tidied: Promise<unknown> } | undefined> {
  const last = commits.at(-1) ?? '';
  const { git, gitDir, commonDir } = repository;
  const entries = new Map<string, TreeEntry>();
  for (const { path, mode, content, assets = new Map() } of files) {
    for (const [asset, id] of assets) entries.set(asset, { mode: FILE, id });
    if (staged.has(path)) continue;
    if (content === null) entries.set(path, { mode: '0', id: noObject(repository) });
    else entries.set(path, { mode, id: typeof content === 'string' ? content : blobId(repository, content) });
  }
  const ref = nextRef();
  await syncObjectFolders(commonDir, since);
  const marked = git(['update-ref', ref, last]).then(() => syncRefs(gitDir, ref));
  const isStagedSince = async () =>
    versionAt(join(gitDir, 'index')) !== index &&
    (await stagedByOwner(repository, await statusOf(repository, [...entries.keys()]))).size > 0;
  // The index comes first: if the branch had files that the index lacks, they would look as if the owner had removed them. HEAD
  // is checked while the index is locked: a rebase that has begun gets no entries, and one that begins later finds them and
  // refuses. If the lock was another program's, git fails, and HEAD is checked again for the next attempt.
  const indexed = writeIndex(repository, entries, async () => {
    await marked;
    await untilIndexIsLocked(repository);
    return (await isOn(repository, head)) && !(await isStagedSince());
  });
  const isIndexed = async () => {
    const isWritten = await indexed;
    await syncIfThere(gitDir);
    return isWritten && (await isOn(repository, head));
  };
  try {
    const command = ['update-ref', '-m', REFLOG_MESSAGE, '--stdin'];
    const tip = head.tip ?? noObject(repository);
    const update = `update ${head.ref} ${last} ${tip}\n`;
    if (!(await runWhenReady(repository, command, update, isIndexed))) {
      await takeBack(repository, entries, ref);
      return undefined;
    }
    await syncRefs(commonDir, head.ref);
    if (await hasLeft(repository, head)) {
      // A switch since then has taken the entries along to another branch, where they look as if the owner had staged them. A
      // branch that has moved on keeps the commits.
      await git(command, { input: `update ${head.ref} ${tip} ${last}\n`, accept: [128] });
      await takeBack(repository, entries, ref);
      return undefined;
    }
    // Only after the sync: a power loss before it may leave the files in the index but not on the branch.
    return { tidied: git(['update-ref', '-d', ref]).catch(() => undefined) }; // else the next comparison does it; see uncommitted.ts
  } catch (error) {
    // The command for the branch may fail while the index is still being written.
    await indexed.catch(() => undefined);
    await takeBack(repository, entries, ref);
    if (/ but expected |reference already exists|unable to resolve reference/.test(messageOf(saidIn(error))))
      return undefined;
    throw error;
  }
}

function writeIndex(
  repository: Repository,
  entries: ReadonlyMap<string, TreeEntry>,
  isReady?: () => Promise<boolean>,
): Promise<boolean> {
  const input = [...entries].map(([path, { mode, id }]) => `${mode} ${id} 0\t${path}\0`).join('');
  return runWhenReady(repository, ['update-index', '-z', '--index-info'], input, isReady);
}

/**
 * Starts a command before its input is ready, as half of its time is its start. It gets the input when `isReady` resolves to
 * true, and no input if it resolves to false; each attempt asks again.
 *
 * @returns the last value of `isReady`.
 */
async function runWhenReady(
  { git }: Repository,
  command: readonly string[],
  input: string,
  isReady = async () => true,
): Promise<boolean> {
  let last = Promise.resolve(true);
  await patiently(() => {
    const ready = isReady();
    ready.catch(() => undefined); // if the command fails, too, its own error is thrown
    last = ready;
    const inputWhenReady = async function* () {
      if (await ready) yield Buffer.from(input);
    };
    return git(command, { input: inputWhenReady() });
  });
  return last;
}

/** Resolves when git or another program has locked the index. The wait is limited: git may have failed to lock it. */
async function untilIndexIsLocked({ gitDir }: Repository): Promise<void> {
  const end = performance.now() + LOCK_MS;
  while (!existsSync(join(gitDir, 'index.lock')) && performance.now() < end) await setTimeout(2);
}

/** Syncs the folders of a ref. Git syncs its file. */
async function syncRefs(gitDir: string, ref: string): Promise<void> {
  await syncFoldersOf(gitDir, [join(gitDir, ref), join(gitDir, 'reftable', 'tables.list')]);
}

/**
 * Resets the index entries that were written to HEAD's, so that they do not look as if the owner had staged them. If that
 * fails, the ref stays and marks them as Pressmark's. If HEAD moves in the meantime, the entries are reset again.
 */
async function takeBack(
  repository: Repository,
  entries: ReadonlyMap<string, TreeEntry>,
  ref: string,
): Promise<void> {
  const absent = { mode: '0', id: noObject(repository) };
  let written = entries;
  for (let attempt = 0; attempt < TAKE_BACK_ATTEMPTS; attempt++) {
    const { tip, files } = await statusOf(repository, [...written.keys()]);
    const ours = [...written].flatMap(([path, { id }]) => {
      const { head = absent, index = absent } = files.get(path) ?? {};
      return files.has(path) && index.id === id ? [[path, head] as const] : [];
    });
    if (ours.length === 0) break;
    written = new Map(ours);
    await writeIndex(repository, written);
    if ((await commitAt(repository, 'HEAD')) === tip) break;
  }
  await syncIfThere(repository.gitDir);
  await repository.git(['update-ref', '-d', ref]);
}

/** Repeats a command while it fails because of a lock file. */
export async function patiently<T>(command: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await command();
    } catch (error) {
      if (!/File exists/.test(messageOf(saidIn(error)))) throw error;
      await setTimeout(pause);
    }
  }
  return command();
}

/** The coarsest resolution of file times, in milliseconds. */
const TICK_MS = 2_000;

/**
 * Syncs the object folders that were changed since a moment. Git syncs the files themselves. As a network disk has its own
 * clock, its present time is the latest change of a folder, but not later than our clock.
 *
 * @param since the moment, by `performance.now()`.
 */
export async function syncObjectFolders(commonDir: string, since: number): Promise<void> {
  const objects = join(commonDir, 'objects');
  const folders = [objects, ...(await readdir(objects)).map((name) => join(objects, name))];
  const times = await Promise.all(folders.map(async (folder) => (await stat(folder)).mtimeMs));
  const present = Math.min(Math.max(...times), Date.now());
  const first = present - (performance.now() - since) - TICK_MS;
  await Promise.all(
    folders.map((folder, at) => ((times[at] ?? 0) > first ? syncIfThere(folder) : undefined)),
  );
}

/** The refs for commits that are on no branch yet, one for each batch. */
const NEXT_REFS = 'refs/worktree/pressmark/';

/**
 * Returns a new ref for the commits of a batch. If Pressmark or its git is killed after the index was written, the ref
 * distinguishes Pressmark's entries from the owner's staged ones.
 */
export function nextRef(): string {
  return `${NEXT_REFS}${randomBytes(8).toString('hex')}`;
}

/**
 * Returns the paths that the owner has staged: the index differs from HEAD, and not by an entry that Pressmark wrote for an
 * unfinished batch.
 */
export async function stagedByOwner(repository: Repository, { files }: Status): Promise<Set<string>> {
  const differing = [...files].flatMap(([path, { head, index }]) => (head?.id === index?.id ? [] : [path]));
  if (differing.length === 0) return new Set();
  const theirs = new Set(differing);
  for (const { commit } of await nextCommits(repository))
    for (const [path, { id }] of await entriesAt(repository, commit, differing))
      if (files.get(path)?.index?.id === id) theirs.delete(path);
  return theirs;
}

/** A commit that is on no branch yet, and the ref that leads to it. */
export interface NextCommit {
  readonly commit: string;
  readonly ref: string;
}

/**
 * Removes refs that killed processes have left, if they still have the same commits. The caller has checked that git has all
 * files.
 */
export async function removeNextRefs({ git }: Repository, refs: readonly NextCommit[]): Promise<void> {
  for (const { ref, commit } of refs) await git(['update-ref', '-d', ref, commit], { accept: [1] });
}

/** Lists the commits that are on no branch yet. */
export async function nextCommits({ git }: Repository): Promise<NextCommit[]> {
  const format = '--format=%(objectname) %(refname)';
  const { stdout } = await git(['for-each-ref', format, NEXT_REFS]);
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [commit = '', ref = ''] = line.split(' ');
      return { commit, ref };
    });
}
