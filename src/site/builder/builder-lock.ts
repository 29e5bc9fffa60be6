import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError } from '../../errors.js';
import { takeKernelLock } from '../../fs/lock.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import type { Log } from '../../log.js';

export interface BuilderLockOptions {
  readonly log: Log;
  /** Whether the lock is still wanted. */
  isWanted(): boolean;
  /** How long the lock is waited for, in milliseconds. @default as long as it is wanted */
  readonly longestMs?: number;
}

/** How long the helper waits at a time. */
const TURN_MS = 5_000;

/**
 * Waits until this process is the one that builds the site: the kernel gives the lock to one at a time, and takes it back
 * when that one ends or is killed. All other receivers on the folder store and commit.
 *
 * @returns the descriptor that holds the lock until it is closed.
 * @throws PressmarkError LOCK_TIMEOUT, LOCK_HELPER_MISSING
 */
export async function takeBuilderLock(
  stateDir: string,
  { log, isWanted, longestMs = Number.POSITIVE_INFINITY }: BuilderLockOptions,
): Promise<number> {
  const helper = findLockHelper();
  fs.mkdirSync(stateDir, { recursive: true });
  const end = performance.now() + longestMs;
  for (let isFirst = true; ; isFirst = false) {
    const left = Math.min(TURN_MS, Math.max(0, end - performance.now()));
    try {
      return await takeKernelLock(join(stateDir, 'builder.lock'), helper, left);
    } catch (error) {
      if (!(error instanceof PressmarkError) || error.code !== 'LOCK_TIMEOUT') throw error;
      if (!isWanted() || performance.now() >= end)
        throw new PressmarkError(
          'LOCK_TIMEOUT',
          'another process builds this site, such as a running receiver; stop it, or let it build',
          { cause: error },
        );
      if (isFirst) log.info('another process builds this site; this one will when that process ends');
    }
  }
}
