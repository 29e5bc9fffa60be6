import { randomBytes } from 'node:crypto';
import { type FileHandle, link, mkdir, open, readdir, rm, stat, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { messageOf, PressmarkError, systemCode } from '../../errors.js';
import { syncDirectory } from '../../fs/atomic-write.js';
import type { LockHelper } from '../../fs/lock-helper.js';
import { createMutex } from '../../fs/mutex.js';
import type { Log } from '../../log.js';
import type { Repository } from '../cli/repository.js';
import { namesOfHolders } from './lock-holders.js';
import {
  beginLine,
  endLine,
  freeRefLocks,
  parseMove,
  type RefMove,
  type RefMoveRecorder,
} from './ref-update.js';
import { createStuckLocks } from './stuck-locks.js';

/** Git's `index.lock`, held. */
export interface IndexLock {
  /** A free path on the index's file system for its next version. */
  readonly draft: string;
  release(): Promise<void>;
}

/** Takes git's `index.lock`, for one piece of work of this process at a time; see `createIndexLocker`. */
export interface IndexLocker extends RefMoveRecorder {
  /**
   * Waits until this process has let it go, and for some seconds where somebody else holds it; a lock that was waited
   * for in vain is not waited for again.
   *
   * @returns undefined where it was held all the time.
   * @throws PressmarkError GIT_FAILED when `signal` ends the waiting, or the git directory cannot be written.
   */
  take(signal: AbortSignal): Promise<IndexLock | undefined>;
  /** A free path on the index's file system for a next version of the index; sweeping removes what a killed process leaves. */
  newDraft(): string;
  /** Shows to other receivers that this one is alive, so that they notice its death. */
  announce(): Promise<void>;
  /** Removes the locks that a killed Pressmark and its git have left. A lock of anybody else is never touched. */
  sweep(): Promise<void>;
  /**
   * Sweeps, and counts the receivers on this repository that have died, or have stopped with work left, and that this
   * process has found since the last call. Perhaps nobody else finishes their work.
   */
  sweepDeadReceivers(): Promise<number>;
  /**
   * Remembers the first of these lock files that is there, after git has waited for it in vain.
   *
   * @returns that file; undefined where none is there any more.
   */
  markStuck(locks: readonly string[]): Promise<string | undefined>;
  /** A lock file that was waited for in vain and is still held; to wait for it again would delay an answer. */
  stuckLock(): Promise<string | undefined>;
  /** @param hasWorkLeft whether other receivers are to find this one dead, and to finish its work. */
  close(hasWorkLeft?: boolean): Promise<void>;
}

/** How long a busy index is waited for, in milliseconds; a stop has seven seconds for everything. */
const LONGEST_WAIT_MS = 4_000;

/**
 * The lock is a hard link to a token file of this process: the inode proves whose it is, and a kernel lock on
 * the token says whether its process is alive.
 */
export function createIndexLocker(
  places: Pick<Repository, 'gitDir' | 'commonDir' | 'top'>,
  helper: LockHelper,
  log: Log,
  longestWaitMs = LONGEST_WAIT_MS,
): IndexLocker {
  const { gitDir } = places;
  const folder = join(gitDir, 'pressmark');
  const id = randomBytes(8).toString('hex');
  const token = join(folder, `token-${id}`);
  const lockPath = join(gitDir, 'index.lock');
  const holders = createMutex();
  const moves = createMutex();
  const stuck = createStuckLocks();
  let held: FileHandle | undefined;
  let drafts = 0;
  let making: Promise<void> | undefined;
  /** The tokens of dead receivers that were found since the last call of `sweepDeadReceivers`. */
  const foundDead = new Set<string>();
  /** Those of them that stay, as a lock may be theirs or not; they are counted once. */
  const stayingDead = new Set<string>();

  /** Two that make it at once would each take the other's for a dead one's, and nobody could let go of the index. */
  function makeToken(): Promise<void> {
    making ??= makeNewToken().finally(() => {
      making = undefined;
    });
    return making;
  }

  async function makeNewToken(): Promise<void> {
    await mkdir(folder, { recursive: true });
    await held?.close();
    held = await open(token, 'a', 0o600);
    for (const made of [folder, gitDir]) await syncDirectory(made);
    // somebody who sweeps may have come in between, and removes it now
    if (!(await helper.take(held.fd, 0))) await rm(token, { force: true });
  }

  function newDraft(): string {
    return join(folder, `index-${id}-${drafts++}`);
  }

  async function tryTake(): Promise<boolean> {
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        await link(token, lockPath);
        return true;
      } catch (error) {
        // ours: it could not be removed when it was let go, and nobody else of this process holds it now
        if (systemCode(error) === 'EEXIST') return isFileAt(held, lockPath);
        if (systemCode(error) !== 'ENOENT') throw failed(error);
        await makeToken();
      }
    }
    throw failed(undefined);
  }

  async function take(signal: AbortSignal): Promise<IndexLock | undefined> {
    const leave = await holders.enter();
    try {
      if (await takeFromOthers(signal)) return { draft: newDraft(), release: () => release().finally(leave) };
    } catch (error) {
      leave();
      throw error;
    }
    leave();
    return undefined;
  }

  async function takeFromOthers(signal: AbortSignal): Promise<boolean> {
    const start = performance.now();
    let pause = 10;
    let hasSwept = false;
    while (!(await tryTake())) {
      if (signal.aborted)
        throw new PressmarkError('GIT_FAILED', 'the git index was still locked when time was up');
      if (!hasSwept) await sweep();
      hasSwept = true;
      if ((await stuck.find()) === lockPath) return false;
      if (performance.now() - start > longestWaitMs) {
        await markStuck([lockPath]);
        return false;
      }
      // not in step with a program that locks at a regular beat
      // (an abort ends the pause; it is looked at above)
      await setTimeout(pause * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
      pause = Math.min(pause * 1.5, 500);
    }
    return true;
  }

  async function markStuck(locks: readonly string[]): Promise<string | undefined> {
    const lock = await stuck.remember(locks);
    if (lock === undefined) return undefined;
    const holders = await namesOfHolders([places.top, gitDir, places.commonDir], [lock]);
    log.info({ lock: basename(lock), holders }, 'a lock of git is held for long; these programs may hold it');
    return lock;
  }

  async function release(): Promise<void> {
    try {
      await removeLock();
    } catch (error) {
      // what it was held for is done; the next time it is taken over, or removed at the end
      log.warn({ reason: messageOf(error) }, 'the git index.lock could not be removed');
    }
  }

  /** Somebody may have removed our lock by hand, and another program may have its own there now. */
  async function removeLock(): Promise<void> {
    if (await isFileAt(held, lockPath)) await unlink(lockPath);
  }

  async function announce(): Promise<void> {
    if (held === undefined) await makeToken();
  }

  async function sweepDeadReceivers(): Promise<number> {
    await sweep();
    const count = foundDead.size;
    foundDead.clear();
    return count;
  }

  async function sweep(): Promise<void> {
    for (const name of await namesIn(folder)) {
      const other = join(folder, name);
      if (!name.startsWith('token-') || other === token) continue;
      await withDeadToken(other, helper, async (file) => {
        if (!stayingDead.has(name)) foundDead.add(name);
        stayingDead.add(name);
        if (await isFileAt(file, lockPath)) {
          await unlink(lockPath);
          log.info('removed the git index.lock that a killed Pressmark had left');
        }
        const move = parseMove(await file.readFile('utf8'));
        // While it is not known whose a lock is, the token stays: nothing else says that it may be ours.
        if (move !== undefined && !(await freeRefLocks(places, move, log))) return;
        const drafts = (await namesIn(folder)).filter((one) =>
          one.startsWith(name.replace('token-', 'index-')),
        );
        for (const draft of drafts) await rm(join(folder, draft), { force: true });
        await unlink(other);
        stayingDead.delete(name);
      });
    }
  }

  async function stuckLock(): Promise<string | undefined> {
    if ((await stuck.find()) === undefined) return undefined;
    // another Pressmark that held it may have been killed since
    await sweep();
    return stuck.find();
  }

  function record<T>(move: RefMove, work: () => Promise<T>): Promise<T> {
    return moves.run(async () => {
      if (held === undefined) await makeToken();
      await held?.truncate(0);
      await held?.write(beginLine(move));
      // After a power loss the lock of this move may be on the disk, and nothing else says whose it was.
      await held?.sync();
      try {
        return await work();
      } finally {
        // It stays: until git's folder is synced, a power loss may bring back the locks that git has removed.
        await held?.write(endLine());
      }
    });
  }

  async function close(hasWorkLeft = false): Promise<void> {
    if (held === undefined) return;
    // without the token nobody could tell whose the lock is
    await removeLock();
    if (!hasWorkLeft) await rm(token, { force: true });
    await held.close();
    held = undefined;
  }

  return {
    take,
    newDraft,
    announce,
    sweep,
    sweepDeadReceivers,
    markStuck,
    stuckLock,
    record,
    close,
  };
}

function failed(cause: unknown): PressmarkError {
  return new PressmarkError('GIT_FAILED', 'the git index cannot be locked', { cause });
}

/** Does `work` if the process that made a token has ended, keeping others who sweep away meanwhile. */
async function withDeadToken(
  token: string,
  helper: LockHelper,
  work: (file: FileHandle) => Promise<void>,
): Promise<void> {
  let file: FileHandle;
  try {
    file = await open(token, 'r');
  } catch {
    // swept by somebody else at the same time, or not ours to read
    return;
  }
  try {
    if (await helper.take(file.fd, 0)) await work(file);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    // somebody else has swept it
  } finally {
    await file.close();
  }
}

/** Whether an open file is the one that stands at `path`. */
async function isFileAt(file: FileHandle | undefined, path: string): Promise<boolean> {
  try {
    const [open, there] = await Promise.all([file?.stat({ bigint: true }), stat(path, { bigint: true })]);
    return open?.ino === there.ino && open.dev === there.dev;
  } catch {
    // nothing there: nothing to remove
    return false;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    // Pressmark has never committed here
    return [];
  }
}
