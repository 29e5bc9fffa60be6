import { hash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../errors.js';
import { discard, syncDirectory } from '../../fs/atomic-write.js';
import { isLockFile, takeKernelLock } from '../../fs/lock.js';
import type { LockHelper } from '../../fs/lock-helper.js';
import { createMutex } from '../../fs/mutex.js';
import { workFileAt } from './work-file.js';

/** A folder for the files of one checkout, before they get their names in the work tree. */
export interface CheckoutFolder {
  readonly path: string;
  /** A free path at which a replaced file of this content stays readable: a program may have it open, and save. */
  replacedPath(content: Buffer | undefined): string;
  remove(): Promise<void>;
}

/** The folders of this process's checkouts; see `createCheckoutFolders`. */
export interface CheckoutFolders {
  add(): Promise<CheckoutFolder>;
  /**
   * Removes what dead processes have left. A file that a person saved at the moment in which it was replaced is theirs:
   * it gets a name of its own in `top`. The caller holds the store's lock.
   *
   * @returns the names of such files.
   */
  sweep(top: string): Promise<string[]>;
  close(): Promise<void>;
}

const LOCK = /^(checkout-[0-9a-f]+)\.lock$/;
const FOLDER = /^checkout-[0-9a-f]+$/;
const REPLACED = /^replaced-([0-9a-f]{64})-\d+$/;

/** How long a lock that only a sweep can hold is waited for, in milliseconds. */
const LOCK_MS = 10_000;

/**
 * All folders of a process are in one, beside which is a lock file: its kernel lock says that the process is alive, in
 * whatever container it runs.
 *
 * @param staging the folder in which they are made; on the file system of the work tree.
 */
export function createCheckoutFolders(staging: string, helper: LockHelper): CheckoutFolders {
  const name = `checkout-${randomBytes(8).toString('hex')}`;
  const own = join(staging, name);
  const lock = `${own}.lock`;
  const mutex = createMutex();
  let held: number | undefined;

  /** The lock comes before the folder, as a folder without one is a dead process's. */
  async function takeLock(): Promise<void> {
    if (held !== undefined && isLockFile(held, lock)) return;
    release();
    await mkdir(staging, { recursive: true });
    held = await takeKernelLock(lock, helper, LOCK_MS);
  }

  function release(): void {
    if (held !== undefined) fs.closeSync(held);
    held = undefined;
  }

  async function add(): Promise<CheckoutFolder> {
    await mutex.run(takeLock);
    await mkdir(own, { recursive: true });
    const path = await mkdtemp(join(own, 'files-'));
    let count = 0;
    return {
      path,
      replacedPath: (content) => join(path, `replaced-${digestOf(content)}-${count++}`),
      remove: () => rm(path, { recursive: true, force: true }),
    };
  }

  async function sweep(top: string): Promise<string[]> {
    const others = new Set(
      namesIn(staging)
        .map((one) => LOCK.exec(one)?.[1] ?? one)
        .filter((one) => FOLDER.test(one)),
    );
    others.delete(name);
    const found: string[] = [];
    for (const other of others) {
      const folder = join(staging, other);
      if (!(await isDead(`${folder}.lock`, helper))) continue;
      const recovered = recover(folder, top);
      if (recovered.length > 0) await syncDirectory(top);
      found.push(...recovered);
      await rm(folder, { recursive: true, force: true });
      discard(`${folder}.lock`);
    }
    return found;
  }

  async function close(): Promise<void> {
    await rm(own, { recursive: true, force: true });
    if (held !== undefined) discard(lock);
    release();
  }

  return { add, sweep, close };
}

async function isDead(lock: string, helper: LockHelper): Promise<boolean> {
  let fd: number;
  try {
    fd = fs.openSync(lock, 'r');
  } catch (error) {
    return systemCode(error) === 'ENOENT'; // else it is not ours to judge: another user’s
  }
  try {
    return await helper.take(fd, 0);
  } finally {
    fs.closeSync(fd);
  }
}

/** Gives the replaced files of a process that a person has saved since a name of their own. */
function recover(own: string, top: string): string[] {
  const found: string[] = [];
  for (const folder of namesIn(own).map((name) => join(own, name)))
    for (const name of namesIn(folder)) {
      const replaced = REPLACED.exec(name)?.[1];
      const digest = digestOf(workFileAt(join(folder, name))?.content);
      if (replaced === undefined || digest === replaced) continue;
      const recovered = `recovered-${digest.slice(0, 12)}`;
      fs.renameSync(join(folder, name), join(top, recovered));
      found.push(recovered);
    }
  return found;
}

function namesIn(folder: string): string[] {
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
}

function digestOf(content: Buffer | undefined): string {
  return hash('sha256', content ?? '');
}
