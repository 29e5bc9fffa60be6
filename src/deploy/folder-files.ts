import fs from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { isGone, systemCode } from '../errors.js';
import { discard, isLeftover, tempPath } from '../fs/atomic-write.js';
import { entriesBelow } from '../fs/files-below.js';

/** Called with each skipped symbolic link. */
export type OnSkipped = (link: string) => void;

/**
 * The names of all files below a folder, relative to it, with forward slashes. Symbolic links are skipped, as they may lead to
 * private files. A site may have tens of thousands of files, so do not call this in the process that answers deliveries.
 *
 * @throws the system's errors; a missing folder is an error.
 */
export function filesIn(root: string, onSkipped: OnSkipped = () => undefined): string[] {
  fs.accessSync(root);
  return [...entriesBelow(root)].flatMap(([path, entry]) => {
    if (entry.isSymbolicLink()) onSkipped(path);
    return entry.isFile() && !isLeftover(entry.name) ? [path] : [];
  });
}

/** The target of a path; undefined if it is missing or circular. */
export function placeOf(path: string): { readonly path: string; readonly stat: fs.Stats } | undefined {
  try {
    const real = fs.realpathSync(path);
    return { path: real, stat: fs.statSync(real) };
  } catch (error) {
    if (isGone(error) || ['ELOOP', 'ENAMETOOLONG'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** The status of a path itself; undefined if there is nothing, also if a folder on the way is a file. */
export function statusAt(path: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(path);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Whether a path is a folder or below it; both must be real paths. */
export function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Removes a folder. Folders in it that a build has made read-only are made writable first. */
export function removeFolder(path: string): void {
  const remove = () => fs.rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  try {
    remove();
  } catch (error) {
    if (systemCode(error) !== 'EACCES') throw error;
    makeWritable(path);
    remove();
  }
}

function makeWritable(folder: string): void {
  fs.chmodSync(folder, 0o700);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) makeWritable(join(folder, entry.name));
}

/** Writes a file of an output atomically. It is not synced, as the site is built again after a power loss. */
export function replaceFile(path: string, bytes: Uint8Array, mode = 0o644): void {
  const temp = tempPath(dirname(path));
  try {
    fs.writeFileSync(temp, bytes, { flag: 'wx', mode });
    fs.chmodSync(temp, mode);
    fs.renameSync(temp, path);
  } catch (error) {
    discard(temp);
    throw error;
  }
}
