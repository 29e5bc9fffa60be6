import fs from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../errors.js';
import type { ContentFolder } from '../catalog/entry.js';
import { isArticlePath, isWatchedName } from '../catalog/scan.js';
import { beginTurn, entriesOf, type Turn } from './listing.js';

/** File systems stamp folders as coarsely as this; a folder changed so recently may change again unseen. */
const COARSEST_STAMP_MS = 2_000;

interface Folder {
  readonly mtimeMs: number;
  /** Whether the time stamp was old enough when the folder was listed to show the next change. */
  readonly settled: boolean;
  readonly folders: readonly string[];
}

/**
 * Finds new files where the system does not report all changes (see `FolderWatch.unwatched`), by the folders' own
 * modification times: one `stat` a folder, and a listing of those that have changed. As every write of our own changes
 * its folder's time too, this costs the size of the folders; no event distinguishes our changes from others'.
 *
 * @param unwatched the topmost folders to look in; nothing is asked of the system where there are none.
 * @param isKnown whether the catalog has a path already.
 * @param onNew called for article paths that have come since the last time. Where it throws, their folder is listed
 *   again the next time.
 * @returns a function that resolves when all files have been found that were there when it was called.
 */
export function createFolderCheck(
  content: ContentFolder,
  unwatched: Iterable<string>,
  isKnown: (path: string) => boolean,
  onNew: (path: string) => void,
): () => Promise<void> {
  const { root } = content;
  const seen = new Map<string, Folder>();
  let last = Promise.resolve();
  let next: Promise<void> | undefined;

  async function visitAll(): Promise<void> {
    const turn = beginTurn();
    const folders = [...unwatched];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      const stat = fs.statSync(join(root, folder), { throwIfNoEntry: false });
      const known = seen.get(folder);
      if (stat === undefined) seen.delete(folder);
      else if (known?.settled && known.mtimeMs === stat.mtimeMs) folders.push(...known.folders);
      else {
        const settled = Date.now() - stat.mtimeMs > COARSEST_STAMP_MS;
        const subfolders = await list(folder, turn);
        seen.set(folder, { mtimeMs: stat.mtimeMs, settled, folders: subfolders });
        folders.push(...subfolders);
      }
      if (turn.isOver()) await turn.next();
    }
  }

  async function list(folder: string, turn: Turn): Promise<string[]> {
    const folders: string[] = [];
    try {
      for (const item of entriesOf(join(root, folder))) {
        const path = folder === '' ? item.name : `${folder}/${item.name}`;
        if (item.isDirectory() && isWatchedName(item.name)) folders.push(path);
        else if (isArticlePath(content, path) && !isKnown(path)) onNew(path);
        if (turn.isOver()) await turn.next();
      }
    } catch (error) {
      // One folder that we may not read must not keep us from all the others.
      if (systemCode(error) !== 'EACCES') throw error;
    }
    return folders;
  }

  // One at a time. Whoever asks while one is under way shares the next: that one may have passed the folder.
  return () => {
    next ??= last
      .catch(() => undefined) // reported to those who asked for it
      .then(() => {
        next = undefined;
        last = visitAll();
        return last;
      });
    return next;
  };
}
