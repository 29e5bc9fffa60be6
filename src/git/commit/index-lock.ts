import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { messageOf, PressmarkError } from '../../errors.js';
import type { LockHelper } from '../../fs/lock-helper.js';
import { createMutex } from '../../fs/mutex.js';
import type { Log } from '../../log.js';
import { createReceiverToken, type ReceiverToken } from './receiver-token.js';
import type { LockPlaces } from './ref-update.js';
import { createStuckLocks, type StuckLocks } from './stuck-locks.js';

/** Git's `index.lock`, held. */
export interface IndexLock {
  /** A free path on the index's file system for its next version. */
  readonly nextIndex: string;
  release(): Promise<void>;
}

/** Takes git's `index.lock`, for one piece of work of this process at a time; see `createIndexLocker`. */
export interface IndexLocker extends Omit<ReceiverToken, 'linkAs' | 'unlinkAs'> {
  /**
   * Waits until this process has let it go, and for some seconds where somebody else holds it; a lock that was waited
   * for in vain is not waited for again.
   *
   * @returns undefined where it was held all the time.
   * @throws PressmarkError GIT_FAILED when `signal` ends the waiting, or the git directory cannot be written.
   */
  take(signal: AbortSignal): Promise<IndexLock | undefined>;
  /** Remembers a lock file that git has waited for in vain. */
  readonly markStuck: StuckLocks['add'];
  /** A lock file that was waited for in vain and is still held; to wait for it again would delay an answer. */
  stuckLock(): Promise<string | undefined>;
}

/** How long a busy index is waited for, in milliseconds; a stop has seven seconds for everything. */
const LONGEST_WAIT_MS = 4_000;

/** The lock is a hard link to the token of this process: it shows whose it is, and whether its process is alive. */
export function createIndexLocker(
  places: LockPlaces,
  helper: LockHelper,
  log: Log,
  longestWaitMs = LONGEST_WAIT_MS,
): IndexLocker {
  const { linkAs, unlinkAs, ...token } = createReceiverToken(places, helper, log);
  const lockPath = join(places.gitDir, 'index.lock');
  const turns = createMutex();
  const stuck = createStuckLocks(places, log);

  async function take(signal: AbortSignal): Promise<IndexLock | undefined> {
    const endTurn = await turns.enter();
    try {
      if (await takeFromOthers(signal))
        return { nextIndex: token.nextIndex(), release: () => release().finally(endTurn) };
    } catch (error) {
      endTurn();
      throw error;
    }
    endTurn();
    return undefined;
  }

  async function takeFromOthers(signal: AbortSignal): Promise<boolean> {
    const start = performance.now();
    let pause = 10;
    let hasSwept = false;
    while (!(await linkAs(lockPath))) {
      if (signal.aborted)
        throw new PressmarkError('GIT_FAILED', 'the git index was still locked when time was up');
      if (!hasSwept) await token.sweep();
      hasSwept = true;
      if ((await stuck.find()) === lockPath) return false;
      if (performance.now() - start > longestWaitMs) {
        await stuck.add([lockPath]);
        return false;
      }
      // not in step with a program that locks at a regular beat
      // (an abort ends the pause; it is looked at above)
      await setTimeout(pause * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
      pause = Math.min(pause * 1.5, 500);
    }
    return true;
  }

  async function release(): Promise<void> {
    try {
      await unlinkAs(lockPath);
    } catch (error) {
      // what it was held for is done; the next time it is taken over, or removed at the end
      log.warn({ reason: messageOf(error) }, 'the git index.lock could not be removed');
    }
  }

  async function stuckLock(): Promise<string | undefined> {
    if ((await stuck.find()) === undefined) return undefined;
    // another Pressmark that held it may have been killed since
    await token.sweep();
    return stuck.find();
  }

  return { ...token, take, markStuck: stuck.add, stuckLock };
}
