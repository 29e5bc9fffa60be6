import type { Stamp } from '../fs/stamp.js';
import type { Catalog } from './catalog.js';
import { type ContentFolder, entryIn, sameStamp } from './entry.js';
import { isArticlePath } from './scan.js';
import type { SharedFiles } from './shared-files.js';

/** Files that are read at once, whose texts are in memory together: a megabyte each at most. */
const CHUNK = 100;

/** A stamp made from a content's name: the same name, the same content. */
export function sharedStamp(name: string): Stamp {
  return {
    ino: Number.parseInt(name.slice(0, 12), 16),
    size: Number.parseInt(name.slice(12, 24), 16),
    mtimeMs: 0,
  };
}

/**
 * Brings the catalog up to date with the shared files, at these paths or everywhere.
 *
 * @returns how many files were read.
 */
export async function takeShared(
  content: ContentFolder,
  catalog: Catalog,
  shared: SharedFiles,
  paths: Iterable<string>,
): Promise<number> {
  let changed: string[] = [];
  let read = 0;
  for (const path of paths) {
    if (!isArticlePath(content, path)) continue;
    const name = shared.names.get(path);
    const known = catalog.get(path);
    if (name === undefined) catalog.delete(path);
    else if (known === undefined || !sameStamp(known.stamp, sharedStamp(name))) changed.push(path);
    if (changed.length < CHUNK) continue;
    read += await takeTexts(content, catalog, shared, changed);
    changed = [];
  }
  return read + (await takeTexts(content, catalog, shared, changed));
}

async function takeTexts(
  content: ContentFolder,
  catalog: Catalog,
  shared: SharedFiles,
  paths: readonly string[],
): Promise<number> {
  const stamps = new Map(paths.map((path) => [path, sharedStamp(shared.names.get(path) ?? '')]));
  for (const [path, text] of await shared.texts(paths)) {
    const stamp = stamps.get(path);
    if (stamp !== undefined) catalog.set(entryIn(content, path, { text, stamp }, catalog.get(path)));
  }
  return paths.length;
}
