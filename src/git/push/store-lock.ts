import { createLock } from '../../fs/lock.js';
import type { LockHelper } from '../../fs/lock-helper.js';
import { createMutex } from '../../fs/mutex.js';

/** The store's lock, for work on the files of a site; see `createStoreLock`. */
export interface StoreLock {
  /** Runs `work` while this process has the lock. @throws what `work` throws; PressmarkError LOCK_TIMEOUT. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Releases the lock for good, after the work that was begun or waits for its turn. */
  close(): Promise<void>;
}

/**
 * Runs one piece of work at a time on a site's files, across the processes of its folder: no file is replaced while the
 * store writes.
 *
 * @param stateDir the state folder, which holds the store's lock.
 * @param idleMs how long the lock is kept while it is not needed, in milliseconds.
 */
export function createStoreLock(stateDir: string, idleMs: number, helper: LockHelper): StoreLock {
  const lock = createLock({ directory: stateDir, helper, idleMs });
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
