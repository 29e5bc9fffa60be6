import type { Stamp } from '../../fs/stamp.js';
import type { Catalog } from '../catalog/catalog.js';
import { type ContentFolder, entryIn, sameStamp } from '../catalog/entry.js';
import { isArticlePath } from '../catalog/scan.js';
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
 * Brings the catalog up to date with the shared files at these paths.
 *
 * @returns how many files were read.
 */
export async function updateCatalog(
  content: ContentFolder,
  catalog: Catalog,
  shared: Pick<SharedFiles, 'names' | 'texts'>,
  paths: Iterable<string>,
): Promise<number> {
  const stamps = new Map<string, Stamp>();
  for (const path of paths) {
    if (!isArticlePath(content, path)) continue;
    const name = shared.names.get(path);
    const known = catalog.get(path);
    if (name === undefined) catalog.delete(path);
    else if (known === undefined || !sameStamp(known.stamp, sharedStamp(name)))
      stamps.set(path, sharedStamp(name));
  }
  const changed = [...stamps.keys()];
  for (let start = 0; start < changed.length; start += CHUNK) {
    for (const [path, text] of await shared.texts(changed.slice(start, start + CHUNK))) {
      const stamp = stamps.get(path);
      if (stamp !== undefined) catalog.set(entryIn(content, path, { text, stamp }, catalog.get(path)));
    }
  }
  return changed.length;
}
