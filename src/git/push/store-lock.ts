import { createLock } from '../../fs/lock.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import { createMutex } from '../../fs/mutex.js';

/** Work on the files of a site, one piece at a time; see `createExclusive`. */
export interface Exclusive {
  /** @throws what `work` throws; PressmarkError LOCK_TIMEOUT. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Lets go of the lock for good, after the work that was begun or waits for its turn. */
  close(): Promise<void>;
}

/**
 * Has one piece of work at a time done on a site's files, across the processes of its folder: while the store
 * writes, none of its files is replaced by another hand.
 *
 * @param stateDir the state folder, in which the store's lock is.
 * @param idleMs how long the lock is kept while nobody needs it, in milliseconds.
 */
export function createExclusive(stateDir: string, idleMs: number): Exclusive {
  const lock = createLock({ directory: stateDir, helper: findLockHelper(), idleMs });
  const mutex = createMutex();

  async function locked<T>(work: () => Promise<T>): Promise<T> {
    await lock.enter();
    try {
      return await work();
    } finally {
      lock.leave();
    }
  }

  return {
    run: (work) => mutex.run(() => locked(work)),
    close: () => mutex.run(async () => lock.close()),
  };
}
