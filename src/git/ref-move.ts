import { readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { messageOf, systemCode } from '../errors.js';
import type { Log } from '../log.js';
import type { Repository } from './repository.js';

/** A ref that is being moved; written down before git is asked to, as a killed git leaves its locks behind. */
export interface RefMove {
  readonly ref: string;
  /** The commit it moves to; null where the ref is removed. */
  readonly to: string | null;
  /** When git was asked, in milliseconds since 1970. */
  readonly since: number;
}

/** Where moves are written down for the next process. */
export interface MoveNotes {
  /** Does `work` with the move written down, one move of this process at a time. @throws what `work` throws. */
  during<T>(move: RefMove, work: () => Promise<T>): Promise<T>;
}

/** The longest that a git command lives, and some more. */
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
 * @throws PressmarkError GIT_FAILED; what a killed git has left locked is free again then.
 */
export async function moveRef(
  repository: Repository,
  notes: MoveNotes,
  log: Log,
  { ref, to, from, reason }: { ref: string; to: string | null; from?: string | null; reason?: string },
): Promise<boolean> {
  const zeros = '0'.repeat((to ?? from ?? '').length);
  const reflog = reason === undefined ? [] : ['--create-reflog', '-m', reason];
  const old = from === undefined ? [] : [from ?? zeros];
  const args = to === null ? ['-d', ref, ...old] : [...reflog, ref, to, ...old];
  const move: RefMove = { ref, to, since: Date.now() };
  return notes.during(move, async () => {
    try {
      return (await repository.git(['update-ref', ...args], { accept: [1, 128] })).code === 0;
    } catch (error) {
      await freeRefLocks(repository, move, log);
      throw error;
    }
  });
}

/** Removes the lock files that git has left behind, killed while it made this move. */
export async function freeRefLocks(
  { gitDir, commonDir }: Pick<Repository, 'gitDir' | 'commonDir'>,
  { ref, to, since }: RefMove,
  log: Log,
): Promise<void> {
  const own = join(ref.startsWith('refs/worktree/') ? gitDir : commonDir, `${ref}.lock`);
  const content = await contentOf(own);
  // somebody else is in the middle of moving it
  if (content !== undefined && content !== '' && content !== to) return;
  const locks = [own, join(gitDir, 'HEAD.lock'), join(commonDir, 'reftable', 'tables.list.lock')];
  if (to === null) locks.push(join(commonDir, 'packed-refs.lock'));
  const left = (
    await Promise.all(locks.map(async (path) => ({ path, ino: await madeThen(path, since) })))
  ).filter(({ ino }) => ino !== undefined);
  if (left.length === 0) return;
  await setTimeout(STILL_MS);
  for (const { path, ino } of left) {
    if ((await madeThen(path, since)) !== ino) continue;
    try {
      await unlink(path);
      log.info({ ref }, 'removed a lock that a killed git had left');
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') log.warn({ ref, reason: messageOf(error) }, 'a stale lock stays');
    }
  }
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch {
    // no lock there
    return undefined;
  }
}

/** The inode of a file that was made while the command ran. */
async function madeThen(path: string, since: number): Promise<bigint | undefined> {
  try {
    const { ino, mtimeMs } = await stat(path, { bigint: true });
    const made = Number(mtimeMs);
    return made >= since - CLOCK_MS && made <= since + GIT_LIFE_MS ? ino : undefined;
  } catch {
    return undefined;
  }
}

/** A move as it was written down; undefined where there is none. */
export function parseMove(text: string): RefMove | undefined {
  try {
    const { ref, to, since }: Partial<RefMove> = JSON.parse(text) ?? {};
    const isMove = typeof ref === 'string' && /^refs\/[^\0]+$/.test(ref) && !ref.includes('..');
    return isMove && typeof since === 'number' ? { ref, to: to ?? null, since } : undefined;
  } catch {
    // nothing was under way
    return undefined;
  }
}
