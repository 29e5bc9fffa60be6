import { buildFolder } from '../../deploy/build/build-state.js';
import { createLock, type Lock } from '../../fs/lock.js';
import { findLockHelper } from '../../fs/lock-helper.js';

/** Another build may take long, in milliseconds. */
const LOCK_WAIT_MS = 30 * 60_000;

/**
 * One build by the site's own generator at a time: by the receivers on the folder, by a program that a killed receiver has
 * started, and by hand.
 */
export function buildLock(stateDir: string): Lock {
  return createLock({
    directory: buildFolder(stateDir),
    helper: findLockHelper(),
    timeoutMs: LOCK_WAIT_MS,
  });
}
