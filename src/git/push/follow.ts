import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import { branchName, isOn, readHead } from '../commit/head.js';
import { identityOf, identityVariables, type Person } from '../identity.js';
import { changesBetween, isAncestor, type TreeChange } from '../objects.js';
import type { Repository } from '../repository.js';
import { leftByMerge } from './torn-files.js';

/** The result of `follow`. */
export type Followed =
  /** The branch has the remote's commit now; `changes` are the changes of the work tree. */
  | { readonly kind: 'followed'; readonly changes: readonly TreeChange[] }
  /** The branch can follow only after a person has done something. */
  | { readonly kind: 'waiting'; readonly waitingFor: string };

export interface FollowOptions {
  readonly repository: Repository;
  /** Author and committer of merges. @default the identity in git's config */
  readonly author: Person | undefined;
  /** Whether merges are signed with the owner's key and settings. */
  readonly sign: boolean;
  /** The local branch, `refs/heads/…`. */
  readonly ref: string;
  /** Commits of the remote's other branches, which do not count as unpushed commits of a person. */
  readonly shared?: readonly string[];
  /** Runs work while this process holds the store's lock, so that nothing is stored while git writes files. */
  whileLocked<T>(work: () => Promise<T>): Promise<T>;
}

/** How long git may take to merge and to write files, in milliseconds; a large site needs long. */
const LIMIT_MS = 600_000;

/** How many times a merge is made while the branch moves. */
const ATTEMPTS = 5;

/** How many conflicting files a message names. */
const MOST_NAMES = 3;

/**
 * Brings a commit of the remote into the local branch, the index and the work tree: by a fast-forward or, if there are local
 * commits, by a merge made in memory. A person's commits are never rewritten, and uncommitted changes never overwritten: if the
 * remote has changed such a file, the branch waits.
 *
 * @throws PressmarkError GIT_FAILED; LOCK_TIMEOUT.
 */
export async function follow(commit: string, options: FollowOptions): Promise<Followed> {
  const { repository, ref, whileLocked } = options;
  const branch = branchName(ref);
  let next = commit;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const head = await readHead(repository);
    if (head.kind === 'not now') return waiting(head.waitingFor);
    if (head.ref !== ref) return waiting(`HEAD to be on ${branch} again`);
    if (next === head.tip) return { kind: 'followed', changes: [] };
    // The owner may have switched to another branch during the wait for the lock.
    const moved = await whileLocked(async () =>
      (await isOn(repository, head)) ? fastForward(repository, head.tip, next) : undefined,
    );
    if (moved === undefined) continue;
    if (moved.kind !== 'moved') return moved;
    const merge = await merged(head.tip, commit, options);
    if (merge === undefined)
      return waiting(
        `you to merge ${branch} with the remote’s (git pull, git push): both have commits of people that the other ` +
          'has not, or change the same lines',
      );
    next = merge;
  }
  throw new PressmarkError('GIT_FAILED', 'the branch moves on faster than it can be merged');
}

/**
 * Moves HEAD's branch, the index and the work tree to a commit by `git merge --ff-only`, which changes nothing if it would
 * overwrite an uncommitted file. The caller holds the store's lock.
 *
 * @param from HEAD's commit; null before the first.
 * @returns `moved` if HEAD has commits that `to` lacks, so that a fast-forward is not possible.
 */
async function fastForward(
  repository: Repository,
  from: string | null,
  to: string,
): Promise<Followed | { readonly kind: 'moved' }> {
  const [changes, first] = await Promise.all([
    changesBetween(repository, from, to),
    mergeFastForward(repository, to),
  ]);
  const inTheWay = filesIn(first.said);
  const isClear = inTheWay.length > 0 && (await clear(repository, from, to, inTheWay));
  const { isDone, said } = isClear ? await mergeFastForward(repository, to) : first;
  if (isDone && from !== null && said.startsWith('Already up to date'))
    return { kind: 'followed', changes: [] };
  if (isDone) return { kind: 'followed', changes };
  if (/Not possible to fast-forward|Diverging branches|unrelated histories/.test(said))
    return { kind: 'moved' };
  const names = filesIn(said);
  if (names.length === 0)
    throw new PressmarkError('GIT_FAILED', 'git merge --ff-only failed', { cause: new Error(said) });
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return waiting(
    `you to commit or restore ${names.slice(0, MOST_NAMES).join(', ')}${more}, which the remote has changed`,
  );
}

async function mergeFastForward({ git }: Repository, to: string): Promise<{ isDone: boolean; said: string }> {
  const args = ['merge', '--ff-only', '--no-stat', '--no-autostash', '--no-verify-signatures', to];
  const { code, stdout, stderr } = await git(args, { accept: [1, 2, 128], timeoutMs: LIMIT_MS });
  return { isDone: code === 0, said: `${stdout}${stderr}` };
}

/** Returns the conflicting files in git's output. */
function filesIn(said: string): string[] {
  return said.split('\n').flatMap((line) => (line.startsWith('\t') ? [line.slice(1)] : []));
}

/**
 * Removes conflicting files that an interrupted merge had written, so that git can write them again; their texts are in the
 * history. If a person's file conflicts, too, nothing is removed.
 *
 * @returns whether all conflicts are removed.
 */
async function clear(
  repository: Repository,
  from: string | null,
  to: string,
  inTheWay: readonly string[],
): Promise<boolean> {
  const left = await leftByMerge(repository, from, to, inTheWay);
  if (left.length < inTheWay.length) return false;
  for (const path of left) await rm(join(repository.top, path), { force: true });
  return true;
}

/** Returns a commit with both histories; undefined if only a person can make it. */
async function merged(
  tip: string | null,
  commit: string,
  { repository, author, sign, ref, shared = [] }: FollowOptions,
): Promise<string | undefined> {
  const { git } = repository;
  if (tip === null || tip === commit || (await isAncestor(repository, tip, commit))) return commit;
  // If both sides have people's commits, one may be meant to replace the other (an amended commit, a rebase).
  const isOurs =
    (await hasOnlyArticles(repository, tip, [commit, ...shared])) ||
    (await hasOnlyArticles(repository, commit, [tip]));
  if (!isOurs) return undefined;
  const merge = ['merge-tree', '--write-tree', '--no-messages', tip, commit];
  const { code, stdout, stderr } = await git(merge, { accept: [1, 128, 129], timeoutMs: LIMIT_MS });
  // 1: conflicts; 129: a git before 2.38, which cannot merge in memory
  if (code === 128 && !stderr.includes('unrelated histories'))
    throw new PressmarkError('GIT_FAILED', 'git merge-tree failed', { cause: new Error(stderr) });
  if (code !== 0) return undefined;
  const message = `Merge ${branchName(ref)} of the remote`;
  const parents = ['-p', tip, '-p', commit];
  const made = await git(['commit-tree', ...(sign ? ['-S'] : []), stdout.trim(), ...parents, '-m', message], {
    env: identityVariables(await identityOf(git, author)),
  });
  return made.stdout.trim();
}

/** Whether all commits that `to` has and the others lack are Pressmark's commits of articles. */
async function hasOnlyArticles({ git }: Repository, to: string, others: readonly string[]): Promise<boolean> {
  const format = '%(trailers:key=Article-Id,valueonly,separator=%x20)';
  const { stdout } = await git(['log', '-z', `--format=${format}`, '--no-merges', to, '--not', ...others]);
  return stdout
    .split('\0')
    .slice(0, -1)
    .every((id) => id !== '');
}

function waiting(waitingFor: string): Followed {
  return { kind: 'waiting', waitingFor };
}
