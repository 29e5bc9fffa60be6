import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { childEnvironment } from '../child-environment.js';
import { isGone } from '../errors.js';
import { syncFile } from './atomic-write.js';

/**
 * Waits until many files and their names are on the disk. On Linux, one sync of the whole file system does it in a hundredth of
 * the time of single syncs.
 *
 * @param folder an existing folder that contains the files, at any depth.
 * @param paths the files, absolute. The removal of files that are gone is synced.
 * @param timeoutMs the time limit, in milliseconds.
 * @returns false if the time was not enough.
 * @throws the system's error for a file that cannot be synced.
 */
export async function syncFiles(
  folder: string,
  paths: readonly string[],
  timeoutMs: number,
): Promise<boolean> {
  const late = AbortSignal.timeout(timeoutMs);
  // On other systems, `sync` returns before the files are on the disk.
  if (process.platform === 'linux' && (await isFileSystemSynced(folder, late))) return true;
  for (const path of [...paths, ...foldersOf(folder, paths)]) {
    if (late.aborted) return false;
    await syncIfThere(path);
  }
  return true;
}

/**
 * Waits until the entries of the files' folders and the folders above are on the disk. The files may have been removed.
 *
 * @param top the topmost folder to sync.
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

/** Syncs a file or a folder, if it still exists. */
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
      child.unref(); // a process that waits for the disk cannot be killed
      resolve(false);
    });
    child.once('exit', (code) => resolve(code === 0));
  });
}
