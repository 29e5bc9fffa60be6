import fs from 'node:fs';
import { join } from 'node:path';
import type { ContentFolder } from './entry.js';
import { isArticlePath } from './scan.js';

/** File systems stamp folders as coarsely as this; a folder changed so recently may change again unseen. */
const COARSEST_STAMP_MS = 2_000;

interface Folder {
  readonly mtimeMs: number;
  /** Whether the time stamp was old enough when the folder was listed to show the next change. */
  readonly settled: boolean;
  readonly folders: readonly string[];
}

/**
 * Finds files that nobody told of, by the folders' own modification times: one `stat` a folder. It lets a
 * lookup be right a moment after a person (or `git pull`) put a second file at its URL, whether or not the
 * watcher has spoken yet.
 *
 * @param isKnown whether the catalog has a path already.
 * @returns a function that gives the article paths that have come since it was called last.
 */
export function createFolderCheck(
  content: ContentFolder,
  isKnown: (path: string) => boolean,
): () => string[] {
  const { root } = content;
  const seen = new Map<string, Folder>();

  function visit(folder: string, found: string[]): void {
    const stat = fs.statSync(join(root, folder), { throwIfNoEntry: false });
    if (stat === undefined) {
      seen.delete(folder);
      return;
    }
    let known = seen.get(folder);
    if (known?.mtimeMs !== stat.mtimeMs || !known.settled) {
      const settled = Date.now() - stat.mtimeMs > COARSEST_STAMP_MS;
      known = { mtimeMs: stat.mtimeMs, settled, folders: list(folder, found) };
      seen.set(folder, known);
    }
    for (const child of known.folders) visit(child, found);
  }

  function list(folder: string, found: string[]): string[] {
    const folders: string[] = [];
    for (const item of fs.readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? item.name : `${folder}/${item.name}`;
      if (item.isDirectory() && !item.name.startsWith('.')) folders.push(path);
      else if (isArticlePath(content, path) && !isKnown(path)) found.push(path);
    }
    return folders;
  }

  return () => {
    const found: string[] = [];
    visit('', found);
    return found;
  };
}
