import { spawn } from 'node:child_process';
import { systemCode } from '../errors.js';
import { syncFile } from './atomic-write.js';

/**
 * Waits until files are on the disk, many of them at once: on Linux by one sync of their file system, which takes
 * a hundredth of the time and holds up nobody else's syncs one by one.
 *
 * @param folder where they are; it must exist.
 * @param paths the files; those that are gone need no sync.
 * @param timeoutMs how long is waited at most.
 * @returns whether they are.
 * @throws what the system says of a file that cannot be synced.
 */
export async function syncFiles(
  folder: string,
  paths: Iterable<string>,
  timeoutMs: number,
): Promise<boolean> {
  const late = AbortSignal.timeout(timeoutMs);
  // Elsewhere `sync` returns before the files are on the disk.
  if (process.platform === 'linux' && (await isFileSystemSynced(folder, late))) return true;
  for (const path of paths) {
    if (late.aborted) return false;
    await syncFile(path).catch((error: unknown) => {
      if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error;
    });
  }
  return true;
}

/** Runs `sync -f`. @returns false where there is no such program, or an old one, or it fails. */
function isFileSystemSynced(folder: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('sync', ['-f', folder], { stdio: 'ignore', signal, killSignal: 'SIGKILL' });
    child.once('error', () => {
      child.unref(); // one that waits for the disk cannot be killed
      resolve(false);
    });
    child.once('exit', (code) => resolve(code === 0));
  });
}
