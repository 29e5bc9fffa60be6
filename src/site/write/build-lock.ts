import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf, PressmarkError } from '../../errors.js';
import { createLock, type Lock } from '../../fs/lock.js';
import { findLockHelper, type LockHelper } from '../../fs/lock-helper.js';
import type { Log } from '../../log.js';
import { isGone } from '../../store/catalog/entry.js';

/** A full build of a large site may keep another process waiting. */
const TIMEOUT_MS = 600_000;

/** How long the lock is kept after a build, as taking it costs more than building a page. */
const IDLE_MS = 2_000;

/**
 * The build lock of a site keeps processes from building at the same time, and tells whether a builder is alive. The
 * kernel frees the lock of one that is killed.
 *
 * @param directory where it lives; made when it is needed.
 */
export function createBuildLock(directory: string, log: Log) {
  const builders = join(directory, 'builders');
  const run = randomBytes(6).toString('hex');
  const helper = findOptionalHelper(log);
  const lock = helper && createLock({ directory, helper, timeoutMs: TIMEOUT_MS, idleMs: IDLE_MS });
  /** The lock that shows that this builder is alive. */
  let token: { readonly key: string; readonly lock: Lock } | undefined;

  /** Announces to the others that a builder with this key is alive, until it has another key or is closed. */
  async function announceBuilder(key: string): Promise<void> {
    if (helper === undefined || token?.key === key) return;
    const folder = join(builders, `${key}-${run}`);
    try {
      removeToken();
      fs.mkdirSync(folder, { recursive: true });
      const taken = createLock({ directory: folder, helper });
      await taken.enter();
      token = { key, lock: taken };
      for (const name of others()) await isAlive(join(builders, name), helper); // removes those that were killed
    } catch (error) {
      // On a full disk, say. Others may build everything again, which is right, too.
      log.debug({ reason: messageOf(error) }, 'other builders on the folder do not see this one');
    }
  }

  /** Whether another builder with this key is alive. */
  async function isBuilderAlive(key: string): Promise<boolean> {
    if (helper === undefined || key === '') return false;
    for (const name of others())
      if (name.startsWith(`${key}-`) && (await isAlive(join(builders, name), helper))) return true;
    return false;
  }

  /** The builders that have announced themselves, also those that were killed since. */
  function others(): string[] {
    try {
      return fs.readdirSync(builders).filter((name) => !name.endsWith(`-${run}`));
    } catch (error) {
      if (isGone(error)) return [];
      throw error;
    }
  }

  function removeToken(): void {
    if (token === undefined) return;
    fs.rmSync(join(builders, `${token.key}-${run}`), { recursive: true, force: true });
    token.lock.close();
    token = undefined;
  }

  function close(): void {
    removeToken();
    lock?.close();
  }

  return {
    /** Waits for its turn. Every call is paired with `leave`. */
    enter: async () => lock?.enter(),
    leave: () => lock?.leave(),
    announceBuilder,
    isBuilderAlive,
    close,
  };
}

/** The program that takes locks; undefined where there is none, and this process is alone. */
export function findOptionalHelper(log?: Log): LockHelper | undefined {
  try {
    return findLockHelper();
  } catch (error) {
    // A receiver does not even start then; a lone `pressmark build` needs no lock.
    if (!(error instanceof PressmarkError && error.code === 'LOCK_HELPER_MISSING')) throw error;
    log?.debug({ reason: error.message }, 'building without a lock');
    return undefined;
  }
}

/** Whether the builder that has announced itself by this folder is alive; else the folder is removed. */
async function isAlive(folder: string, helper: LockHelper): Promise<boolean> {
  const token = createLock({ directory: folder, helper, timeoutMs: 0 });
  try {
    await token.enter();
    fs.rmSync(folder, { recursive: true, force: true });
    return false;
  } catch (error) {
    if (error instanceof PressmarkError && error.code === 'LOCK_TIMEOUT') return true;
    if (isGone(error)) return false; // it has just ended
    throw error;
  } finally {
    token.close();
  }
}
