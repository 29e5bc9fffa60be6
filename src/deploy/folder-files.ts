import fs from 'node:fs';
import { dirname, sep } from 'node:path';
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

/** Whether a path is a folder or below it; both must be real paths. */
export function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
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
