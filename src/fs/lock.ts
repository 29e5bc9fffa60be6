import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError, systemCode } from '../errors.js';
import { discard } from './atomic-write.js';
import type { LockHelper } from './lock-helper.js';

/** A dead waiter's file is forgotten after this long; it only ever costs speed. */
const WAITER_FORGOTTEN_MS = 60_000;

/** How often the holder looks for waiters while it is idle. */
const IDLE_POLL_MS = 10;

export interface LockOptions {
  /** The state folder; the lock file and the waiters' files live in it. */
  readonly directory: string;
  readonly helper: LockHelper;
  /** How long the lock is waited for. @default 20000 */
  readonly timeoutMs?: number;
  /** How long the lock is kept while nobody needs it, as taking it costs more than a lone write. @default 200 */
  readonly idleMs?: number;
}

/** The cross-process lock on one site's folder; see `createLock`. */
export type Lock = ReturnType<typeof createLock>;

/**
 * A lock that the kernel keeps (flock on an open file): never robbed from a paused holder, freed at once when
 * its holder is killed, valid across containers that share the volume. Within the process any number may be
 * inside at once; what they must not do at the same time is theirs to order.
 */
export function createLock({ directory, helper, timeoutMs = 20_000, idleMs = 200 }: LockOptions) {
  const path = join(directory, 'lock');
  const waiting = join(directory, 'waiting');

  const name = randomUUID();
  let handovers = 0;
  let fd: number | undefined;
  let taking: Promise<void> | undefined;
  let users = 0;
  let idle: NodeJS.Timeout | undefined;

  /**
   * Takes the lock, or keeps it. Every call is paired with `leave`.
   *
   * @returns whether the lock was newly taken.
   * @throws PressmarkError LOCK_TIMEOUT
   */
  async function enter(): Promise<boolean> {
    users++;
    clearInterval(idle);
    if (fd !== undefined) return false;
    try {
      taking ??= take();
      await taking;
      return true;
    } catch (error) {
      leave();
      throw error;
    } finally {
      taking = undefined;
    }
  }

  async function take(): Promise<void> {
    const note = join(waiting, randomUUID());
    try {
      fs.mkdirSync(waiting, { recursive: true });
      fs.writeFileSync(note, '');
    } catch {
      // The disk is full, say; without its note a waiter gets the lock only when the holder is idle.
    }
    try {
      fd = await takeKernelLock(path, helper, timeoutMs);
      if (!signIn(fd)) handovers++;
    } finally {
      discard(note);
    }
  }

  /** Whether nobody else has held the lock since this holder did; its name stands in the lock file from now on. */
  function signIn(lockFile: number): boolean {
    try {
      if (fs.readFileSync(lockFile, 'utf8') === name) return true;
      fs.ftruncateSync(lockFile);
      fs.writeFileSync(lockFile, name);
    } catch {
      // A full disk, say. Then somebody else may have been here.
    }
    return false;
  }

  /** Says that this piece of work is done; the lock is let go of when nobody needs it or another process waits. */
  function leave(): void {
    users--;
    if (users > 0 || fd === undefined) return;
    if (contended()) {
      release();
      return;
    }
    const end = performance.now() + idleMs;
    idle = setInterval(() => {
      if (performance.now() >= end || contended()) release();
    }, IDLE_POLL_MS);
    idle.unref();
  }

  /** Runs work between `enter` and `leave`. @throws what `work` throws; PressmarkError LOCK_TIMEOUT. */
  async function run<T>(work: () => Promise<T>): Promise<T> {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Whether another process waits: no new work should be begun before the lock has been let go. */
  function contended(): boolean {
    try {
      // Somebody removed the state folder: what we hold protects nothing any more, so it is taken anew.
      if (fd !== undefined && !isLockFile(fd, path)) return true;
      return fs.readdirSync(waiting).some((name) => isAlive(join(waiting, name)));
    } catch {
      return true; // no folder, or no descriptor left to look with: letting go is always safe
    }
  }

  function release(): void {
    clearInterval(idle);
    if (fd === undefined) return;
    fs.closeSync(fd);
    fd = undefined;
  }

  return {
    enter,
    leave,
    run,
    contended,
    /** Lets go at once; for the end of the process. */
    close: release,
    /** How often this process has got the lock after another holder, which may have written. */
    get handovers() {
      return handovers;
    },
  };
}

/**
 * Takes the kernel lock on the file at `path`, which is made where it is not there.
 *
 * @returns its descriptor, which holds the lock until it is closed.
 * @throws PressmarkError LOCK_TIMEOUT, LOCK_HELPER_MISSING.
 */
export async function takeKernelLock(path: string, helper: LockHelper, timeoutMs: number): Promise<number> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const fd = fs.openSync(path, 'a+', 0o600);
    const seconds = Math.max(0, (end - performance.now()) / 1000);
    const taken = await helper.take(fd, seconds).catch((cause: unknown) => {
      fs.closeSync(fd);
      if (systemCode(cause) !== 'ENOENT') throw cause;
      throw new PressmarkError(
        'LOCK_HELPER_MISSING',
        `${helper.name} is gone; install the package util-linux`,
        { cause },
      );
    });
    // A lock on a file that somebody has replaced meanwhile protects nothing.
    if (taken && isLockFile(fd, path)) return fd;
    fs.closeSync(fd);
    if (performance.now() >= end) {
      throw new PressmarkError(
        'LOCK_TIMEOUT',
        `another process has held the lock of this site for ${timeoutMs / 1000} s; try again`,
      );
    }
  }
}

/** Whether the open file is still the one at `path`: somebody may have removed or replaced that. */
export function isLockFile(fd: number, path: string): boolean {
  return fs.fstatSync(fd).ino === fs.statSync(path, { throwIfNoEntry: false })?.ino;
}

function isAlive(note: string): boolean {
  const stat = fs.statSync(note, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (Date.now() - stat.mtimeMs < WAITER_FORGOTTEN_MS) return true;
  discard(note);
  return false;
}
