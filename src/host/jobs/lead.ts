import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import { makeDurableDirectory } from '../../fs/atomic-write.js';
import { isLockFile, takeKernelLock } from '../../fs/lock.js';
import { findLockHelper, type LockHelper } from '../../fs/lock-helper.js';

/** How often the receiver tries to take the lock, in milliseconds. */
const TRY_EVERY_MS = 2_000;

/**
 * The lock that decides which of the receivers on a folder runs the jobs. When that receiver ends, another one takes the lock.
 *
 * @param folder the folder of jobs, which is created.
 */
export function createLead(folder: string) {
  const path = join(folder, 'lock');
  let helper: LockHelper | undefined;
  let lock: number | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;

  /** Whether this receiver still has the lock: somebody may have removed the state folder. */
  function isHeld(): boolean {
    return lock !== undefined && isLockFile(lock, path);
  }

  /** Tries to take the lock, at most every two seconds. @returns whether this receiver has it. */
  async function take(): Promise<boolean> {
    if (performance.now() - triedAt < TRY_EVERY_MS) return false;
    triedAt = performance.now();
    await makeDurableDirectory(folder);
    try {
      helper ??= findLockHelper();
      lock = await takeKernelLock(path, helper, 0);
      return true;
    } catch (error) {
      if (error instanceof PressmarkError && error.code === 'LOCK_TIMEOUT') return false;
      throw error;
    }
  }

  function release(): void {
    if (lock !== undefined) fs.closeSync(lock);
    lock = undefined;
  }

  return { isHeld, take, release };
}
