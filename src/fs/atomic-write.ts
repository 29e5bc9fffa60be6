import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { systemCode } from '../errors.js';

// In the thread pool, though each takes microseconds: while the disk commits its own journal every one of them may
// have to wait for it, and the thread that answers deliveries has better things to do.
const open = promisify(fs.open);
const writeFile = promisify(fs.writeFile);
const fsync = promisify(fs.fsync);
const unlink = promisify(fs.unlink);

/** A file that is on the disk but has no name yet that counts. */
export interface Staged {
  readonly temp: string;
  /** Its status; inode, size and modification time stay when it gets its name. */
  readonly stat: fs.Stats;
}

/** Distinguishes this thread's temp files from all others. */
const RUN = randomBytes(6).toString('hex');
let tempFiles = 0;

/** Names that only ever stand for unfinished work: `recover.ts` removes them while it holds the lock. */
const LEFTOVER = /^\.pressmark-[\w-]+\.tmp$/;

/** Whether a file name is that of a temp file. */
export function isLeftover(name: string): boolean {
  return LEFTOVER.test(name);
}

/**
 * Writes `data` into a new temp file and waits until it is on the disk. After a failed fsync the kernel calls
 * the lost pages clean, so nothing is tried again on the same file; the temp file is removed and the error
 * thrown.
 *
 * @param folder where the temp file lies; on the file system that it will get its name on.
 * @param mode permissions of the file that will be replaced; new files follow the umask.
 */
export async function stage(folder: string, data: string | Uint8Array, mode?: number): Promise<Staged> {
  const temp = tempPath(folder);
  const fd = await open(temp, 'wx');
  try {
    try {
      if (mode !== undefined) fs.fchmodSync(fd, mode & 0o7777);
      await writeFile(fd, data); // goes on after short writes, unlike a single write
      await fsync(fd);
      return { temp, stat: fs.fstatSync(fd) };
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    discard(temp);
    throw error;
  }
}

/** A path for a new temp file in a folder. */
export function tempPath(folder: string): string {
  return join(folder, `.pressmark-${RUN}-${tempFiles++}.tmp`);
}

/**
 * Gives a staged file its name, never over a file that is there. The temp name stays.
 *
 * @returns false if `target` exists already.
 */
export function putNew(temp: string, target: string): boolean {
  try {
    fs.linkSync(temp, target);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    if (!lacksHardLinks(error)) throw error;
    // The store's lock keeps other receivers away from this name.
    if (fs.lstatSync(target, { throwIfNoEntry: false }) !== undefined) return false;
    fs.renameSync(temp, target);
  }
  return true;
}

/** Whether a link failed because this file system has no hard links, or grants none on this file. */
function lacksHardLinks(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(systemCode(error) ?? '');
}

/**
 * Removes a temp file that is not needed any more, where it is still there. If that fails, nothing that was promised has
 * failed: the next start removes it.
 */
export async function dropTemp(temp: string): Promise<void> {
  try {
    await unlink(temp);
  } catch {
    // see above
  }
}

/** Removes a file that may be gone already; its absence is what is wanted. */
export function discard(path: string): void {
  fs.rmSync(path, { force: true });
}

/** Waits until a directory's entries are on the disk: without it a rename can be lost with the power. */
export function syncDirectory(directory: string): Promise<void> {
  return syncFile(directory);
}

/** Waits until a file's content, as it stands, is on the disk. */
export async function syncFile(path: string): Promise<void> {
  const fd = fs.openSync(path, 'r');
  try {
    await fsync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Makes a directory and those above it; their names are on the disk when it resolves. */
export async function makeDurableDirectory(directory: string): Promise<void> {
  const first = fs.mkdirSync(directory, { recursive: true });
  if (first === undefined) return;
  for (let at = directory; at !== dirname(first); at = dirname(at)) await syncDirectory(dirname(at));
}

/** Replaces or creates a file so that a reader sees the old or the new one whole, also after a power loss. */
export async function writeAtomically(
  target: string,
  data: string | Uint8Array,
  mode?: number,
): Promise<void> {
  const { temp } = await stage(dirname(target), data, mode);
  try {
    fs.renameSync(temp, target);
  } catch (error) {
    discard(temp);
    throw error;
  }
  await syncDirectory(dirname(target));
}
