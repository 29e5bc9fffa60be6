import fs from 'node:fs';
import { join, sep } from 'node:path';
import { systemCode } from '../errors.js';
import { isGone } from '../store/catalog/entry.js';
import { inTurns } from './in-turns.js';

/** So many files are read or written at a time. */
export const FILES_AT_A_TIME = 16;

/** Called with each symbolic link that is left out, and why. */
export type OnSkipped = (link: string, why: string) => void;

/** A folder is listed under so many names at most: links that lead to one another would have names without end. */
const MOST_NAMES = 8;

/**
 * The names of all files below a folder, relative to it, with forward slashes. Links count as what they lead to, but for those
 * out of the folder, whose files are not for the public, and those back to a folder around them.
 */
export async function filesIn(root: string, onSkipped: OnSkipped = () => undefined): Promise<string[]> {
  const names: string[] = [];
  await inTurns(filesBelow(fs.realpathSync(root), onSkipped), (name) => {
    names.push(name);
  });
  return names;
}

function* filesBelow(top: string, onSkipped: OnSkipped): Generator<string> {
  /** How often a link has led to a folder, by its real path. */
  const followed = new Map<string, number>();
  yield* list('', [top]);

  /** @param around the real paths of the folder and of those around it. */
  function* list(below: string, around: readonly string[]): Generator<string> {
    const folder = around.at(-1) ?? top;
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) yield* list(name, [...around, path]);
      else if (entry.isFile()) yield name;
      else if (entry.isSymbolicLink()) yield* follow(name, path, around);
    }
  }

  function* follow(name: string, link: string, around: readonly string[]): Generator<string> {
    const found = placeOf(link);
    if (found === undefined) return;
    if (!isBelow(top, found.path)) onSkipped(name, 'it leads out of the output folder');
    else if (found.stat.isFile()) yield name;
    else if (found.stat.isDirectory()) {
      const times = (followed.get(found.path) ?? 0) + 1;
      followed.set(found.path, times);
      if (around.includes(found.path)) onSkipped(name, 'it leads back to a folder that it is in');
      else if (times > MOST_NAMES) onSkipped(name, `its folder has ${MOST_NAMES} other names`);
      else yield* list(name, [...around, found.path]);
    }
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
export function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
