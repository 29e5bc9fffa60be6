import fs from 'node:fs';
import { dirname, sep } from 'node:path';
import { systemCode } from '../errors.js';
import { discard, isLeftover, tempPath } from '../fs/atomic-write.js';
import { entriesBelow } from '../fs/files-below.js';
import { isGone } from '../store/catalog/entry.js';

/** Called with each symbolic link that is left out. */
export type OnSkipped = (link: string) => void;

/**
 * The names of all files below a folder, relative to it, with forward slashes. Symbolic links are left out: they may lead to
 * files that are not for the public. A site may have ten thousands of files: to be called only where no delivery is answered.
 *
 * @throws the system's errors; a folder that has gone is not an empty one.
 */
export function filesIn(root: string, onSkipped: OnSkipped = () => undefined): string[] {
  fs.accessSync(root);
  return [...entriesBelow(root)].flatMap(([path, entry]) => {
    if (entry.isSymbolicLink()) onSkipped(path);
    return entry.isFile() && !isLeftover(entry.name) ? [path] : [];
  });
}

/** What a path leads to; undefined where that is nothing, or a circle. */
export function placeOf(path: string): { readonly path: string; readonly stat: fs.Stats } | undefined {
  try {
    const real = fs.realpathSync(path);
    return { path: real, stat: fs.statSync(real) };
  } catch (error) {
    if (isGone(error) || ['ELOOP', 'ENAMETOOLONG'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** Whether a path is a folder, or below it; both without symbolic links. */
export function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Writes a file of an output as a whole. It is not synced: after a power loss the site is built again. */
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
