import { setTimeout } from 'node:timers/promises';
import { PressmarkError } from '../../errors.js';
import type { Log } from '../../log.js';
import { changesBetween, isAncestor } from '../cli/objects.js';
import type { Repository } from '../cli/repository.js';
import { blobsInHistory } from '../cli/trees.js';
import { type Branch, readHead } from '../commit/head.js';
import type { Identity } from '../commit/identity.js';
import type { IndexLocker } from '../commit/index-lock.js';
import { takeIntoIndex } from '../commit/index-merge.js';
import { moveRef } from '../commit/ref-update.js';
import { isSparse } from '../committable.js';
import type { Origins } from './edit-bases.js';
import { FETCHED_REF } from './remote.js';
import type { Exclusive } from './store-lock.js';
import { changeWorkFiles, type WorkTreeChanged } from './worktree-checkout.js';

/** What became of an attempt to have the local branch follow. */
export type Followed =
  /** The branch holds everything now; `tip` is its last commit, `paths` what changed in the work tree. */
  | { readonly tip: string; readonly paths: readonly string[] }
  /** It cannot follow before a person has done something. */
  | { readonly waitingFor: string };

export interface FollowOptions {
  readonly repository: Repository;
  readonly locker: IndexLocker;
  readonly identity: Identity;
  /** The local branch, `refs/heads/…`. */
  readonly ref: string;
  /** Where files are made ready. */
  readonly staging: string;
  readonly log: Log;
  /** Ends the waiting for the index. */
  readonly signal: AbortSignal;
  /** Keeps everybody else from writing the site's files meanwhile. */
  readonly exclusive: Exclusive;
  /** Where it is written down what files were made from that stay behind. */
  readonly origins?: Origins;
}

const MAX_ATTEMPTS = 10;

/**
 * Brings a commit of the remote into the local branch, the index and the work tree: by moving the branch forward,
 * or, where there are commits that the remote does not have, by a merge made in memory. Commits of a person are
 * never rewritten, their uncommitted changes never overwritten.
 *
 * @throws PressmarkError GIT_FAILED.
 */
export async function follow(commit: string, options: FollowOptions): Promise<Followed> {
  const { repository, ref } = options;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const head = await readHead(repository);
    if ('waitingFor' in head) return { waitingFor: head.waitingFor };
    if (head.ref !== ref) return { waitingFor: `HEAD to be on ${ref.replace('refs/heads/', '')} again` };
    const next = await joined(head.tip, commit, options);
    if (next === undefined)
      return {
        waitingFor:
          `you to merge ${ref.replace('refs/heads/', '')} with the remote’s (git pull, git push): both have commits ` +
          'of people that the other has not, or change the same lines',
      };
    if (next === head.tip) return { tip: next, paths: [] };
    if (await isSparse(repository)) return { waitingFor: 'you to run git pull: the clone is sparse' };
    const followed = await moveOn(head, { next, commit }, options);
    if (followed !== undefined) return followed;
    // another git command has the branch for a moment, or has moved it
    await setTimeout(20 * (attempt + 1));
  }
  throw new PressmarkError('GIT_FAILED', 'the branch could not be moved to what the remote has');
}

/** Has files, index and branch go from `head` to `next`; undefined where somebody came in between. */
async function moveOn(
  { ref, tip }: Branch,
  { next, commit }: { readonly next: string; readonly commit: string },
  { repository, locker, log, signal, exclusive, origins, staging }: FollowOptions,
): Promise<Followed | undefined> {
  const changes = await changesBetween(repository, tip, next);
  const isCommitted = (paths: readonly string[]) => blobsInHistory(repository, next, paths, tip);
  let changed: WorkTreeChanged | undefined;
  try {
    const left = await exclusive.run(async () => {
      changed = await changeWorkFiles(repository, changes, isCommitted, staging);
      return (await origins?.leave(changes, changed.left)) ?? changed.left;
    });
    const lock = await locker.take(signal);
    if (lock === undefined) return { waitingFor: 'another git command that has locked the index' };
    try {
      // Until it was locked, `git restore` could put back what the index has, which is the version before.
      const replaced = changed?.replaced() ?? [];
      origins?.forget(replaced);
      const now = await readHead(repository);
      if (replaced.length > 0 || 'waitingFor' in now || now.ref !== ref || now.tip !== tip) return undefined;
      await takeIntoIndex(repository, lock, tip, changes, isCommitted);
      const also = { ref: FETCHED_REF, to: commit };
      const move = { ref, to: next, from: tip, also, reason: 'pressmark: follow the remote' };
      if (!(await moveRef(repository, locker, log, move))) return undefined;
      for (const { path, why } of left)
        log.warn({ path, why }, 'a file of the work tree does not follow the remote');
      return { tip: next, paths: changes.map(({ path }) => path) };
    } finally {
      await lock.release();
    }
  } finally {
    await changed?.close();
  }
}

/** The commit that holds both; undefined where only a person can make it. */
async function joined(
  tip: string | null,
  commit: string,
  { repository, identity, ref }: FollowOptions,
): Promise<string | undefined> {
  if (tip === null || tip === commit || (await isAncestor(repository, tip, commit))) return commit;
  if (await isAncestor(repository, commit, tip)) return tip;
  // Where people's commits are on both sides, one may be meant to replace the other (an amended commit, a rebase).
  const [here, there] = await Promise.all([
    isAllOurs(repository, commit, tip),
    isAllOurs(repository, tip, commit),
  ]);
  if (!here && !there) return undefined;
  const { git } = repository;
  const merged = await git(['merge-tree', '--write-tree', '--no-messages', tip, commit], {
    accept: [1, 128, 129],
  });
  // 1: conflicts; 128: histories that have nothing in common; 129: a git before 2.38, which cannot merge in memory
  if (merged.code !== 0) return undefined;
  const { author, committer } = identity;
  const message = `Merge ${ref.replace('refs/heads/', '')} of the remote`;
  const tree = merged.stdout.trim();
  const made = await git(['commit-tree', tree, '-p', tip, '-p', commit, '-m', message], {
    env: {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_COMMITTER_NAME: committer.name,
      GIT_COMMITTER_EMAIL: committer.email,
    },
  });
  return made.stdout.trim();
}

/** Whether every commit that `to` has and `from` has not is one that Pressmark made of an article. */
async function isAllOurs({ git }: Repository, from: string, to: string): Promise<boolean> {
  const format = '%(trailers:key=Article-Id,valueonly,separator=%x20)';
  const { stdout } = await git(['log', '-z', `--format=${format}`, '--no-merges', to, '--not', from]);
  return stdout
    .split('\0')
    .slice(0, -1)
    .every((id) => id !== '');
}
