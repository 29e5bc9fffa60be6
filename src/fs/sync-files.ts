import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { systemCode } from '../errors.js';
import { syncDirectory, syncFile } from './atomic-write.js';

/**
 * Waits until files and their names are on the disk, many of them at once: on Linux by one sync of their file system, which
 * takes a hundredth of the time and holds up nobody else's syncs one by one.
 *
 * @param folder where they are, at any depth; it must exist.
 * @param paths the files; of those that are gone, a power loss does not bring any back.
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
  const folders = new Set([folder]);
  for (const path of paths) {
    if (late.aborted) return false;
    await unlessGone(syncFile(path));
    for (let above = dirname(path); !folders.has(above); above = dirname(above)) folders.add(above);
  }
  for (const one of folders) {
    if (late.aborted) return false;
    await unlessGone(syncDirectory(one));
  }
  return true;
}

async function unlessGone(sync: Promise<void>): Promise<void> {
  try {
    await sync;
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error;
  }
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
