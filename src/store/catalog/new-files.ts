import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Catalog } from './catalog.js';
import type { ContentFolder } from './content-folder.js';
import {
  type ContentChange,
  entriesOf,
  isArticlePath,
  isWatchedName,
  refresh,
  statOf,
  type Writing,
} from './scan.js';

/**
 * How recent a change must be, in milliseconds, to be checked again: a further change may have the same time stamp, or a write
 * may be in progress.
 */
const RECENT_MS = 2_000;

interface Folder {
  readonly ino: number;
  readonly ctimeMs: number;
  /** Whether the time stamp was old enough, when the folder was listed, to differ after the next change. */
  readonly isSettled: boolean;
  readonly subfolders: readonly string[];
}

/**
 * Returns a function that reads files that are new since the last call. It compares each folder's change time, and lists only
 * changed folders, so that its cost depends on the number of folders, not of articles.
 *
 * @param writing the unfinished writes of this process.
 */
export function newFilesReader(
  content: ContentFolder,
  catalog: Catalog,
  writing: Writing,
): () => Promise<ContentChange[]> {
  const { root } = content;
  const seen = new Map<string, Folder>();

  async function list(folder: string, changes: ContentChange[]): Promise<string[]> {
    const subfolders: string[] = [];
    for (const item of entriesOf(join(root, folder))) {
      const path = folder === '' ? item.name : `${folder}/${item.name}`;
      if (item.isDirectory() && isWatchedName(item.name)) subfolders.push(path);
      else if (isArticlePath(content, path) && isNew(path))
        changes.push(...(await refresh(content, catalog, path, writing)));
    }
    return subfolders;
  }

  /** Whether a file is unknown, or was changed so recently that an incomplete version may have been read. */
  function isNew(path: string): boolean {
    const known = catalog.get(path);
    return known === undefined || Date.now() - known.fingerprint.mtimeMs < RECENT_MS;
  }

  return async () => {
    const changes: ContentChange[] = [];
    const folders = [''];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      const stat = statOf(join(root, folder));
      const known = seen.get(folder);
      if (stat === undefined || stat === null) {
        seen.delete(folder);
      } else if (known?.isSettled && known.ino === stat.ino && known.ctimeMs === stat.ctimeMs) {
        folders.push(...known.subfolders);
      } else {
        const { ino, ctimeMs } = stat;
        const isSettled = Date.now() - ctimeMs > RECENT_MS;
        const subfolders = await list(folder, changes);
        seen.set(folder, { ino, ctimeMs, isSettled, subfolders });
        folders.push(...subfolders);
        await nextTurn();
      }
    }
    return changes;
  };
}
