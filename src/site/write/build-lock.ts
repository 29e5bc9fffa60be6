import { PressmarkError } from '../../errors.js';
import { createLock } from '../../fs/lock.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import type { Log } from '../../log.js';

/** A full build of a large site may keep another process waiting. */
const TIMEOUT_MS = 600_000;

/** How long the lock is kept after a build, as taking it costs more than building a page. */
const IDLE_MS = 2_000;

/** Keeps the processes on one site's folder from building at the same time; the kernel frees it where one is killed. */
export interface BuildLock {
  /** Waits for its turn. Every call is paired with `leave`. */
  enter(): Promise<void>;
  leave(): void;
  close(): void;
}

/**
 * The build lock of a site.
 *
 * @param directory where it lives; made when it is needed.
 */
export function createBuildLock(directory: string, log: Log): BuildLock {
  const open = () =>
    createLock({ directory, helper: findLockHelper(), timeoutMs: TIMEOUT_MS, idleMs: IDLE_MS });
  let lock: ReturnType<typeof open> | undefined;
  let isAlone = false;

  async function enter(): Promise<void> {
    try {
      if (!isAlone) lock ??= open();
    } catch (error) {
      // A receiver does not even start then; a lone `pressmark build` needs no lock.
      if (!(error instanceof PressmarkError && error.code === 'LOCK_HELPER_MISSING')) throw error;
      isAlone = true;
      log.debug({ reason: error.message }, 'building without a lock');
    }
    await lock?.enter();
  }

  return { enter, leave: () => lock?.leave(), close: () => lock?.close() };
}
