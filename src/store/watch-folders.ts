import fs from 'node:fs';
import { relative, sep } from 'node:path';
import type { ContentFolder } from './entry.js';
import { isArticlePath, isWatchedName } from './scan.js';

/**
 * Watches a folder tree with one watch a folder, for systems that name the file in each event. What an event
 * costs does not grow with the folder: nothing is listed but folders that are new.
 *
 * @param noteFile told of files that may have come, changed or gone.
 * @param noteFolder told of folders that came or went; what was in them may be gone.
 * @returns a function that ends it.
 */
export function watchFolders(
  content: ContentFolder,
  noteFile: (path: string) => void,
  noteFolder: (path: string) => void,
  fail: (error: unknown) => void,
): () => void {
  const { root } = content;
  const watchers = new Map<string, fs.FSWatcher>();

  /** Watches first and lists then, so that nothing that comes meanwhile is missed. */
  function enter(folder: string, isNew: boolean): void {
    try {
      const watcher = fs.watch(folder, (_event, name) => name !== null && onEvent(folder, name));
      watcher.on('error', fail);
      watchers.set(folder, watcher);
      for (const item of fs.readdirSync(folder, { withFileTypes: true })) {
        const path = `${folder}${sep}${item.name}`;
        if (item.isDirectory()) {
          if (isWatchedName(item.name)) enter(path, isNew);
        } else if (isNew) noteFile(path);
      }
    } catch (error) {
      if (fs.existsSync(folder)) fail(error); // else it went as fast as it came
    }
  }

  function onEvent(folder: string, name: string): void {
    const path = `${folder}${sep}${name}`;
    if (isArticlePath(content, relative(root, path).replaceAll(sep, '/'))) noteFile(path);
    else if (isWatchedName(name)) onFolder(path);
  }

  /** A folder that was moved away and back is another one under the same name: it is watched anew. */
  function onFolder(path: string): void {
    try {
      const isFolder = fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
      if (!isFolder && !watchers.has(path)) return;
      leave(path);
      noteFolder(path);
      if (isFolder) enter(path, true);
    } catch (error) {
      fail(error);
    }
  }

  function leave(folder: string): void {
    for (const [path, watcher] of watchers) {
      if (path !== folder && !path.startsWith(`${folder}${sep}`)) continue;
      watcher.close();
      watchers.delete(path);
    }
  }

  enter(root, false);
  return () => leave(root);
}
