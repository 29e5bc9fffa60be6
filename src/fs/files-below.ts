import fs from 'node:fs';
import { join } from 'node:path';
import { isGone, systemCode } from '../errors.js';

/**
 * Lists everything below a folder except folders, sorted by path. A symbolic link is an entry and is never followed, as it may
 * lead to a folder that contains it. (`readdir` with `recursive` follows links to folders from Node.js 22 on.)
 *
 * @param folder the folder; it need not exist.
 * @returns the entries by their paths below the folder, with forward slashes.
 */
export function entriesBelow(folder: string): Map<string, fs.Dirent> {
  const found: [path: string, entry: fs.Dirent][] = [];
  const folders = [''];
  for (let below = folders.pop(); below !== undefined; below = folders.pop()) {
    for (const entry of entriesIn(join(folder, below))) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else found.push([path, entry]);
    }
  }
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Lists the paths of regular files below a folder; see `entriesBelow`. */
export function filesBelow(folder: string): string[] {
  return [...entriesBelow(folder)].flatMap(([path, entry]) => (entry.isFile() ? [path] : []));
}

/** Lists the names in a folder, sorted; none if there is no such folder. */
export function namesIn(folder: string): string[] {
  return entriesIn(folder)
    .map(({ name }) => name)
    .sort();
}

function entriesIn(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/** Whether there is a file at a path, after following symbolic links; false if they form a loop, or lead below a file. */
export function isFileAt(path: string): boolean {
  try {
    return fs.statSync(path).isFile();
  } catch (error) {
    if (isGone(error) || systemCode(error) === 'ELOOP') return false;
    throw error;
  }
}
