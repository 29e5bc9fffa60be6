import { readFile, stat, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { messageOf, systemCode } from '../../errors.js';
import type { Log } from '../../log.js';
import type { Repository } from '../cli/repository.js';
import { possibleHolders } from './lock-holders.js';

/** The move of a ref from the commit where it is; from null, there is no such ref yet. */
export interface OtherMove {
  readonly ref: string;
  readonly to: string;
  readonly from: string | null;
}

/** A ref that is being moved; written down before git is asked to, as a killed git leaves its locks behind. */
export interface RefMove {
  readonly ref: string;
  /** The commit it moves to; null where the ref is removed. */
  readonly to: string | null;
  /** A ref that moves in the same transaction. */
  readonly also?: OtherMove;
  /** When git was asked, in milliseconds since 1970. */
  readonly since: number;
  /** When it was over, in milliseconds since 1970; undefined while it is under way, and after a kill. */
  readonly until?: number | undefined;
}

/** What git has done when it was asked to move a ref. */
export interface RefMoveResult {
  readonly isMoved: boolean;
  /** Whether git could not remove a lock file of its own. */
  readonly leavesLocks: boolean;
}

/** What `moveRef` is asked for. */
export interface WantedMove extends Pick<RefMove, 'ref' | 'to' | 'also'> {
  readonly from?: string | null;
  /** For the reflog. */
  readonly reason?: string;
  /** Whether the objects of the new commit are on the disk, as those of `writeCommits` are. @default false */
  readonly isOnDisk?: boolean;
}

/** Where moves are written down for the next process. */
export interface RefMoveRecorder {
  /**
   * Does `work` with the move written down, one move of this process at a time, and frees the locks that git leaves
   * behind. As long as one of them stays, so does the record of its move.
   *
   * @returns whether the ref was moved.
   * @throws what `work` throws.
   */
  record(move: RefMove, work: () => Promise<RefMoveResult>): Promise<boolean>;
}

/** More than the timeout of `git update-ref`. */
const GIT_LIFE_MS = 40_000;
/** A lock that lies still for so long belongs to no living git command, which holds one for some milliseconds. */
const STILL_MS = 1_000;
/** How far the clock of a file system may be behind ours. */
const CLOCK_MS = 50;

/**
 * Moves or removes a ref, if it still is where it was: a compare-and-set.
 *
 * @param from the commit it is at; null where there is no such ref yet; undefined moves it from wherever it is.
 * @returns false where it is somewhere else, or another git command has it for the moment.
 * @throws PressmarkError GIT_FAILED.
 */
export async function moveRef(
  repository: Repository,
  recorder: RefMoveRecorder,
  { ref, to, from, also, reason, isOnDisk = false }: WantedMove,
): Promise<boolean> {
  const zeros = '0'.repeat((to ?? from ?? '').length);
  const reflog = reason === undefined ? [] : ['--create-reflog', '-m', reason];
  const old = from === undefined ? [] : [from ?? zeros];
  const alone = to === null ? ['-d', ref, ...old] : [...reflog, ref, to, ...old];
  const args = also === undefined ? alone : [...reflog, '--stdin', '-z'];
  const input =
    also && `update ${ref}\0${to}\0${old.join('')}\0update ${also.ref}\0${also.to}\0${also.from ?? zeros}\0`;
  const move: RefMove = { ref, to, since: Date.now(), ...(also && { also }) };
  // Objects first: a branch that is on the disk before its commit breaks the repository at a power loss.
  if (to !== null && !isOnDisk) await repository.syncObjectsAndRef(ref);
  return recorder.record(move, async () => {
    const options = { accept: [1, 128], ...(input !== undefined && { input }) };
    const { code, stderr } = await repository.git(['update-ref', ...args], options);
    return { isMoved: code === 0, leavesLocks: /^warning: unable to unlink .*\.lock\b/m.test(stderr) };
  });
}

/** Where the locks of a repository are, and where those who take them run. */
export type LockPlaces = Pick<Repository, 'gitDir' | 'commonDir' | 'top'>;

/**
 * Removes the lock files that git has left behind, as it was killed while it made this move, or could not remove them.
 *
 * @returns false where one may be ours that stays for now: a program is running that may have made it, or the disk fails.
 */
export async function freeRefLocks(places: LockPlaces, move: RefMove, log: Log): Promise<boolean> {
  const decided = await freeLocksOf(places, move, log);
  if (move.also === undefined) return decided;
  const also = { ...move.also, since: move.since, until: move.until };
  return (await freeLocksOf(places, also, log)) && decided;
}

/** The lock files that git makes while it moves or removes a ref, that of the ref itself first. */
export function locksOf(
  { gitDir, commonDir }: Pick<Repository, 'gitDir' | 'commonDir'>,
  ref: string,
  isRemoved = false,
): [string, ...string[]] {
  const own = join(ref.startsWith('refs/worktree/') ? gitDir : commonDir, `${ref}.lock`);
  const tables = new Set([gitDir, commonDir].map((folder) => join(folder, 'reftable', 'tables.list.lock')));
  return [
    own,
    join(gitDir, 'HEAD.lock'),
    ...tables,
    ...(isRemoved ? [join(commonDir, 'packed-refs.lock')] : []),
  ];
}

/**
 * The lock of the ref itself holds the commit that we were moving to, which nobody else has: that proves it ours. Another
 * commit proves it another program's; anything else is what a power loss has made of a content that was not synced. The
 * other locks are empty. Such a lock is ours if it was made while our git ran, and if no program that could have made it
 * is alive: git holds its locks only while it runs.
 */
async function freeLocksOf(
  places: LockPlaces,
  { ref, to, since, until = since + GIT_LIFE_MS }: RefMove,
  log: Log,
): Promise<boolean> {
  const locks = locksOf(places, ref, to === null);
  const [own] = locks;
  const content = await readFile(own, 'utf8').then(
    (text) => text.trim(),
    () => undefined, // no lock there
  );
  const isTheirs = content !== undefined && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(content) && content !== to;
  const made = await Promise.all(
    locks.map(async (path) => ({ path, ino: await madeThen(path, since, until) })),
  );
  const candidates = made.filter(({ path, ino }) => ino !== undefined && !(isTheirs && path === own));
  if (candidates.length === 0) return true;
  // Whoever is in the middle of moving the ref, such as this process, may hold the others as well, or may have met ours.
  if (isTheirs) return false;
  const isProven = (path: string) => path === own && content === to && to !== null;
  const holders = () =>
    possibleHolders(
      [places.top, places.gitDir, places.commonDir],
      candidates.map(({ path }) => path),
    );
  const before = await holders();
  // Whoever has made one lives then and now; who comes and goes meanwhile has not.
  await setTimeout(STILL_MS);
  const now = await holders();
  const isHeld = before === undefined || now === undefined || [...now].some((one) => before.has(one));
  let isDecided = true;
  for (const { path, ino } of candidates) {
    if ((await madeThen(path, since, until)) !== ino) continue;
    if (isHeld && !isProven(path)) {
      log.debug({ ref, lock: basename(path) }, 'a lock stays: a program is running that may hold it');
      isDecided = false;
      continue;
    }
    try {
      await unlink(path);
      log.info({ ref, lock: basename(path) }, 'removed a lock that git had left');
    } catch (error) {
      if (systemCode(error) === 'ENOENT') continue;
      log.warn(
        { ref, lock: basename(path), reason: messageOf(error) },
        'a lock that git has left could not be removed',
      );
      isDecided = false;
    }
  }
  return isDecided;
}

/** The inode of a file that was made while the command ran. A `HEAD.lock` that is not empty changes HEAD, as we never do. */
async function madeThen(path: string, since: number, until: number): Promise<bigint | undefined> {
  try {
    const { ino, mtimeMs, size } = await stat(path, { bigint: true });
    if (size > 0n && basename(path) === 'HEAD.lock') return undefined;
    const made = Number(mtimeMs);
    return made >= since - CLOCK_MS && made <= until + CLOCK_MS ? ino : undefined;
  } catch {
    return undefined;
  }
}
