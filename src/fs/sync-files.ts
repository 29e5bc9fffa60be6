import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { childEnvironment } from '../child-environment.js';
import { isGone } from '../errors.js';
import { syncFile } from './atomic-write.js';

/**
 * Waits until files and their names are on the disk, many of them at once: on Linux by one sync of their file system, which
 * takes a hundredth of the time and holds up nobody else's syncs one by one.
 *
 * @param folder where they are, at any depth; it must exist.
 * @param paths the files, absolute; of those that are gone, a power loss does not bring any back.
 * @param timeoutMs how long is waited at most.
 * @returns whether they are.
 * @throws what the system says of a file that cannot be synced.
 */
export async function syncFiles(
  folder: string,
  paths: readonly string[],
  timeoutMs: number,
): Promise<boolean> {
  const late = AbortSignal.timeout(timeoutMs);
  // Elsewhere `sync` returns before the files are on the disk.
  if (process.platform === 'linux' && (await isFileSystemSynced(folder, late))) return true;
  for (const path of [...paths, ...foldersOf(folder, paths)]) {
    if (late.aborted) return false;
    await syncIfThere(path);
  }
  return true;
}

/**
 * Waits until the entries of the folders that files are or were in, and of those above, are on the disk.
 *
 * @param top the folder above which none is synced.
 * @param paths the files, absolute.
 */
export async function syncFoldersOf(top: string, paths: Iterable<string>): Promise<void> {
  await Promise.all([...foldersOf(top, paths)].map(syncIfThere));
}

function foldersOf(top: string, paths: Iterable<string>): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of paths)
    for (let at = dirname(path); at.length >= top.length && !folders.has(at); at = dirname(at))
      folders.add(at);
  return folders;
}

/** Syncs a file or a folder, which may have been removed or replaced by the other meanwhile. */
export async function syncIfThere(path: string): Promise<void> {
  try {
    await syncFile(path);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Runs `sync -f`. @returns false if there is no such program, or an old one, or it fails. */
function isFileSystemSynced(folder: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('sync', ['-f', folder], {
      stdio: 'ignore',
      env: childEnvironment(),
      signal,
      killSignal: 'SIGKILL',
    });
    child.once('error', () => {
      child.unref(); // one that waits for the disk cannot be killed
      resolve(false);
    });
    child.once('exit', (code) => resolve(code === 0));
  });
}
