import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { systemCode } from '../errors.js';

// These run in the thread pool, although each takes microseconds: while the file system commits its journal, each may have to
// wait, and would block the thread that answers deliveries. Links and renames do not, as nothing may run between them and the
// comparison before.
const open = promisify(fs.open);
const writeFile = promisify(fs.writeFile);
const fsync = promisify(fs.fsync);
const unlink = promisify(fs.unlink);

/** A file that is on the disk, but only under a temporary name. */
export interface Staged {
  readonly temp: string;
  /** The file's status. Inode, size and modification time do not change when it is renamed. */
  readonly stat: fs.Stats;
}

/** Distinguishes this thread's temp files from all others. */
const RUN = randomBytes(6).toString('hex');
let tempFiles = 0;

/** The names of temp files, which `recover.ts` removes while it holds the lock. */
const LEFTOVER = /^\.pressmark-[\w-]+\.tmp$/;

/** Whether a file name is a temp file's. */
export function isLeftover(name: string): boolean {
  return LEFTOVER.test(name);
}

/**
 * Writes `data` to a new temp file and waits until it is on the disk. After a failed fsync, the kernel marks the lost pages as
 * clean, so a second fsync would prove nothing: the temp file is removed and the error thrown.
 *
 * @param folder the folder for the temp file, on the file system of the final file.
 * @param mode the permissions of the file to replace; new files follow the umask.
 */
export async function stage(folder: string, data: string | Uint8Array, mode?: number): Promise<Staged> {
  const temp = tempPath(folder);
  const fd = await open(temp, 'wx');
  try {
    try {
      if (mode !== undefined) fs.fchmodSync(fd, mode & 0o7777);
      await writeFile(fd, data); // continues after short writes, unlike a single write
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
 * Links a staged file to its final name, but never replaces a file. The temp name may stay.
 *
 * @returns false if `target` exists already.
 */
export function putNew(temp: string, target: string): boolean {
  try {
    fs.linkSync(temp, target);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    if (!lacksHardLinks(error)) throw error;
    // No race: the store's lock excludes other receivers.
    if (fs.lstatSync(target, { throwIfNoEntry: false }) !== undefined) return false;
    fs.renameSync(temp, target);
  }
  return true;
}

/** Whether a link failed because the file system has no hard links or refuses one for this file. */
function lacksHardLinks(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(systemCode(error) ?? '');
}

/** Removes a temp file that is no longer needed, if it still exists. Errors are ignored, as the next start removes it. */
export async function dropTemp(temp: string): Promise<void> {
  try {
    await unlink(temp);
  } catch {
    // the next start removes it
  }
}

/** Removes a file if it exists. */
export function discard(path: string): void {
  fs.rmSync(path, { force: true });
}

/** Waits until a directory's entries are on the disk; without that, a power loss can undo a rename. */
export function syncDirectory(directory: string): Promise<void> {
  return syncFile(directory);
}

/** Waits until a file's present content is on the disk. */
export async function syncFile(path: string): Promise<void> {
  const fd = fs.openSync(path, 'r');
  try {
    await fsync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Makes a directory and its parents; their names are on the disk when it resolves. */
export async function makeDurableDirectory(directory: string): Promise<void> {
  const first = fs.mkdirSync(directory, { recursive: true });
  if (first === undefined) return;
  for (let at = directory; at !== dirname(first); at = dirname(at)) await syncDirectory(dirname(at));
}

/** Replaces or creates a file atomically: a reader sees either the old or the new content, even after a power loss. */
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
