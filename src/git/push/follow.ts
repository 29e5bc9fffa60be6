import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { PressmarkError } from '../../errors.js';
import { syncFoldersOf } from '../../fs/sync-files.js';
import type { Log } from '../../log.js';
import { blobsInHistory, changesBetween, isAncestor, type TreeChange } from '../cli/history.js';
import type { Repository } from '../cli/repository.js';
import { type Branch, readHead } from '../commit/head.js';
import type { Identity } from '../commit/identity.js';
import { mergeIntoIndex } from '../commit/index.js';
import type { IndexLocker } from '../commit/index-lock.js';
import { moveRef } from '../commit/ref-update.js';
import { isSparse } from '../committable.js';
import { laterMoveOfFetchedRef } from './remote.js';
import { checkOutChanges } from './worktree-checkout.js';
import type { WorktreeState } from './worktree-state.js';

/** The result of an attempt to have the local branch follow. */
export type Followed =
  /** The branch has everything now; `tip` is its last commit. */
  | { readonly kind: 'followed'; readonly tip: string }
  /** It cannot follow before a person has done something. */
  | { readonly kind: 'waiting'; readonly waitingFor: string };

export interface FollowOptions {
  readonly repository: Repository;
  readonly locker: IndexLocker;
  readonly identity: Identity;
  /** The local branch, `refs/heads/…`. */
  readonly ref: string;
  readonly log: Log;
  /** Ends the waiting for the index. */
  readonly signal: AbortSignal;
  readonly worktree: Pick<WorktreeState, 'storeLock' | 'bases' | 'folders'>;
  /** From the top of the work tree to the content folder, with a slash at its end. */
  readonly folder: string;
  /** Receives the files that have changed, below the content folder. */
  onFiles(paths: readonly string[]): void;
}

const MAX_ATTEMPTS = 10;

/**
 * How long git may take to merge, to compare and to write files, in milliseconds: as long as a large site needs. The
 * shutdown ends it.
 */
const LONGEST_MS = 3_600_000;

/**
 * Brings a commit of the remote into the local branch, the index and the work tree: by a fast-forward, or, where there
 * are commits that the remote does not have, by a merge made in memory. Commits of a person are never rewritten, their
 * uncommitted changes never overwritten.
 *
 * @throws PressmarkError GIT_FAILED.
 */
export async function follow(commit: string, options: FollowOptions): Promise<Followed> {
  const deleteBases = options.worktree.bases.deleteLater();
  const followed = await moveTo(commit, options);
  if (followed.kind === 'followed') deleteBases();
  return followed;
}

async function moveTo(commit: string, options: FollowOptions): Promise<Followed> {
  const { repository, ref } = options;
  const branch = ref.replace('refs/heads/', '');
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const head = await readHead(repository);
    if (head.kind === 'not now') return waiting(head.waitingFor);
    if (head.ref !== ref) return waiting(`HEAD to be on ${branch} again`);
    const next = await merged(head.tip, commit, options);
    if (next === undefined)
      return waiting(
        `you to merge ${branch} with the remote’s (git pull, git push): both have commits of people that the other ` +
          'has not, or change the same lines',
      );
    if (next === head.tip) return { kind: 'followed', tip: next };
    if (await isSparse(repository)) return waiting('you to run git pull: the clone is sparse');
    const followed = await moveOn(head, { next, commit }, options);
    if (followed !== undefined) return followed;
    // Another git command has the branch for a moment, or has moved it; or a killed one has left a lock.
    if (attempt === 0) await options.locker.sweep();
    await setTimeout(20 * (attempt + 1));
  }
  throw new PressmarkError('GIT_FAILED', 'the branch could not be moved to what the remote has');
}

/** Moves files, index and branch from `head` to `next`; undefined where another program has changed one meanwhile. */
async function moveOn(
  { ref, tip }: Branch,
  { next, commit }: { readonly next: string; readonly commit: string },
  { repository, locker, log, signal, worktree, folder, onFiles }: FollowOptions,
): Promise<Followed | undefined> {
  const { bases } = worktree;
  const patient = withLongTimeout(repository);
  const changes = await changesBetween(patient, tip, next);
  const isCommitted = (paths: readonly string[]) => blobsInHistory(repository, next, paths, tip);
  const ownChanges = next === commit ? [] : await changesBetween(patient, commit, next);
  const unlikeRemote = new Set(ownChanges.map(({ path }) => path));
  const beforeWrite = async ({ path, after }: TreeChange) =>
    after !== null && unlikeRemote.has(path) ? bases.recordMerged(path, after.id) : async () => undefined;
  const checkout = await checkOutChanges(patient, changes, isCommitted, worktree, beforeWrite);
  try {
    const paths = changes.map(({ path }) => path);
    // Where a power loss took files back that the branch has, they would pass for the owner's changes.
    await syncFoldersOf(
      repository.top,
      paths.map((path) => join(repository.top, path)),
    );
    const stale = await bases.recordStale(changes, checkout.notFollowed);
    const also = await laterMoveOfFetchedRef(repository, commit);
    const lock = await locker.take(signal);
    if (lock === undefined) return waiting('another git command that has locked the index');
    try {
      // Until the index is locked, `git restore` can put back what the index has, which is the version before.
      const replaced = checkout.replaced();
      bases.delete(replaced);
      const now = await readHead(repository);
      if (replaced.length > 0 || now.kind === 'not now' || now.ref !== ref || now.tip !== tip)
        return undefined;
      await mergeIntoIndex(repository, lock, tip, changes, isCommitted);
      const reason = 'pressmark: follow the remote';
      const move = { ref, to: next, from: tip, reason, ...(also && { also }) };
      if (!(await moveRef(repository, locker, move))) return undefined;
    } finally {
      await lock.release();
    }
    for (const { path, why } of stale)
      log.warn({ path, why }, 'a file of the work tree does not follow the remote');
    await bases.deleteStale(paths.filter((path) => !stale.some((one) => one.path === path)));
    onFiles(paths.filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length)));
    return { kind: 'followed', tip: next };
  } finally {
    await checkout.close();
  }
}

/** The commit that has both histories; undefined where only a person can make it. */
async function merged(
  tip: string | null,
  commit: string,
  { repository, identity, ref }: FollowOptions,
): Promise<string | undefined> {
  if (tip === null || tip === commit) return commit;
  const patient = withLongTimeout(repository);
  if (await isAncestor(patient, tip, commit)) return commit;
  if (await isAncestor(patient, commit, tip)) return tip;
  // Where people's commits are on both sides, one may be meant to replace the other (an amended commit, a rebase).
  const [here, there] = await Promise.all([
    hasOnlyArticles(patient, commit, tip),
    hasOnlyArticles(patient, tip, commit),
  ]);
  if (!here && !there) return undefined;
  const { git } = patient;
  const merge = ['merge-tree', '--write-tree', '--no-messages', tip, commit];
  const { code, stdout } = await git(merge, { accept: [1, 128, 129] });
  // 1: conflicts; 128: histories that have nothing in common; 129: a git before 2.38, which cannot merge in memory
  if (code !== 0) return undefined;
  const { author, committer } = identity;
  const message = `Merge ${ref.replace('refs/heads/', '')} of the remote`;
  const made = await git(['commit-tree', stdout.trim(), '-p', tip, '-p', commit, '-m', message], {
    env: {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_COMMITTER_NAME: committer.name,
      GIT_COMMITTER_EMAIL: committer.email,
    },
  });
  return made.stdout.trim();
}

/** Whether each commit that `to` has and `from` has not is one that Pressmark made of an article. */
async function hasOnlyArticles({ git }: Repository, from: string, to: string): Promise<boolean> {
  const format = '%(trailers:key=Article-Id,valueonly,separator=%x20)';
  const { stdout } = await git(['log', '-z', `--format=${format}`, '--no-merges', to, '--not', from]);
  return stdout
    .split('\0')
    .slice(0, -1)
    .every((id) => id !== '');
}

function waiting(waitingFor: string): Followed {
  return { kind: 'waiting', waitingFor };
}

/** The same repository, where git has as long as a large site needs; not for commands that hold a lock of git's. */
function withLongTimeout(repository: Repository): Repository {
  return { ...repository, git: (args, run) => repository.git(args, { timeoutMs: LONGEST_MS, ...run }) };
}
