import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { PressmarkError, systemCode } from '../errors.js';
import { discard } from './atomic-write.js';
import type { LockHelper } from './lock-helper.js';

/** The age from which a waiter's file is removed as left over, in milliseconds. Until then it only costs speed. */
const WAITER_FORGOTTEN_MS = 60_000;

/** How often an idle holder looks for waiters, in milliseconds. */
const IDLE_POLL_MS = 10;

export interface LockOptions {
  /** The state folder, for the lock file and the waiters' files. */
  readonly directory: string;
  readonly helper: LockHelper;
  /** How long to wait for the lock, in milliseconds. @default 20000 */
  readonly timeoutMs?: number;
  /** How long an idle lock is kept, in milliseconds, as taking it takes longer than one write. @default 200 */
  readonly idleMs?: number;
}

/** The cross-process lock on one site's folder; see `createLock`. */
export type Lock = ReturnType<typeof createLock>;

/**
 * Creates a kernel lock (flock on an open file): a paused holder never loses it, a killed holder frees it at once, and it works
 * across containers that share a volume. Within this process, any number of callers hold it at the same time; they must order
 * their own work.
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
   * Takes the lock, or joins its users. A `leave` must follow each successful call.
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
      // The disk may be full. Without its file, a waiter gets the lock only when the holder is idle.
    }
    try {
      fd = await takeKernelLock(path, helper, timeoutMs);
      if (!signIn(fd)) handovers++;
    } finally {
      discard(note);
    }
  }

  /**
   * Writes this holder's name into the lock file.
   *
   * @returns whether the name was there, so that no other process has held the lock since.
   */
  function signIn(lockFile: number): boolean {
    try {
      if (fs.readFileSync(lockFile, 'utf8') === name) return true;
      fs.ftruncateSync(lockFile);
      fs.writeFileSync(lockFile, name);
    } catch {
      // The disk may be full. Assume that another process has held the lock.
    }
    return false;
  }

  /** Ends one use of the lock. After the last one, the lock is released when another process waits, or after `idleMs`. */
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

  /** Whether another process waits for the lock: no new work should start before the lock was released. */
  function contended(): boolean {
    try {
      // If the state folder was removed, this lock protects nothing, and must be taken again.
      if (fd !== undefined && !isLockFile(fd, path)) return true;
      return fs.readdirSync(waiting).some((name) => isAlive(join(waiting, name)));
    } catch {
      return true; // no folder, or no free file descriptor: releasing the lock is always safe
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
    /** Releases the lock at once, at the end of the process. */
    close: release,
    /** How many times this process got the lock after another holder, which may have written files. */
    get handovers() {
      return handovers;
    },
  };
}

/**
 * Takes the kernel lock on the file at `path`, which is created if it does not exist.
 *
 * @returns the file descriptor, which holds the lock until it is closed.
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
    // A lock on a file that was replaced in the meantime protects nothing.
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

/** Whether the open file is still the file at `path`, which may have been removed or replaced. */
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
