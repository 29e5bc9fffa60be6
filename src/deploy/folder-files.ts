import fs from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { systemCode } from '../errors.js';
import { discard, isLeftover, tempPath } from '../fs/atomic-write.js';
import { isGone } from '../store/catalog/entry.js';

/** Called with each symbolic link that is left out, and why. */
export type OnSkipped = (link: string, why: string) => void;

/**
 * The names of all files below a folder, relative to it, with forward slashes. Links count as what they lead to, but for those
 * out of the folder, whose files are not for the public, and those that could be followed without end. A site may have ten
 * thousands of them: to be called only where no delivery is answered.
 */
export function filesIn(root: string, onSkipped: OnSkipped = () => undefined): string[] {
  const top = fs.realpathSync(root);
  const names: string[] = [];
  list(top, '', false);
  return names;

  /** @param folder without symbolic links in its path. */
  function list(folder: string, below: string, isLinked: boolean): void {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      const name = `${below}${entry.name}`;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) list(path, `${name}/`, isLinked);
      else if (entry.isSymbolicLink()) follow(path, name, folder, isLinked);
      else if (entry.isFile() && !isLeftover(entry.name)) names.push(name);
    }
  }

  function follow(link: string, name: string, folder: string, isLinked: boolean): void {
    const found = placeOf(link);
    if (found === undefined) return;
    if (!isBelow(top, found.path)) onSkipped(name, 'it leads out of the output folder');
    else if (found.stat.isFile()) names.push(name);
    else if (isBelow(found.path, folder)) onSkipped(name, 'it leads back to a folder that it is in');
    else if (isLinked) onSkipped(name, 'it is in a folder that a link leads to, and leads to another folder');
    else if (found.stat.isDirectory()) list(found.path, `${name}/`, true);
  }
}

/**
 * Where a file below a folder really is.
 *
 * @param root without symbolic links in its path.
 * @returns undefined where there is no file, or where it is out of the folder.
 * @throws the system's errors: a file that cannot be examined is not a missing file.
 */
export function fileIn(root: string, name: string): string | undefined {
  const found = placeOf(join(root, name));
  return found?.stat.isFile() === true && isBelow(root, found.path) ? found.path : undefined;
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

/** Removes a file, and the folders that are empty then. */
export function removeFile(root: string, file: string): void {
  fs.unlinkSync(join(root, file));
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    try {
      fs.rmdirSync(join(root, folder));
    } catch (error) {
      if (['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) return;
      throw error;
    }
  }
}
