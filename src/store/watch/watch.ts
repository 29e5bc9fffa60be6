import fs from 'node:fs';
import { basename, join } from 'node:path';
import { isGone, messageOf, systemCode } from '../../errors.js';
import type { Log } from '../../log.js';
import { backoff, createRepeatedTask } from '../../repeated-task.js';
import type { ContentFolder } from '../catalog/content-folder.js';
import { entriesOf, isArticlePath, isWatchedName } from '../catalog/scan.js';

/** How long events are collected, in milliseconds, so that an editor's write, rename and chmod count as one change. */
const GATHER_MS = 50;

/**
 * The pauses after failed comparisons, for example without free file descriptors: the first and the longest, in milliseconds.
 */
const PAUSE_MS = { first: 100, longest: 5_000 };

/** The number of events above which the whole folder is compared, as the system drops events from a full queue. */
const MANY_EVENTS = 2_000;

/** How often a missing content folder is looked for, in milliseconds. */
const ROOT_EVERY_MS = 1_000;

/** How often the whole folder is compared if a part of it cannot be watched, in milliseconds. */
const SCAN_EVERY_MS = 30_000;

export interface WatchOptions {
  readonly content: ContentFolder;
  readonly log: Log;
  /** Reads the files at these paths again, if they have changed. */
  readAgain(paths: Iterable<string>): Promise<void>;
  /** Compares the whole folder with the catalog. */
  compareFolder(): Promise<void>;
  /** @default 30000 */
  readonly scanEveryMs?: number;
}

/**
 * Watches the content folder for changes by other programs, with one watch per folder, so that an event's cost does not depend
 * on the number of files. (chokidar lists the folder again for each change, and reads the status of each file.)
 */
export function watchContent(options: WatchOptions): { close(): Promise<void> } {
  const { content, log, readAgain, compareFolder, scanEveryMs = SCAN_EVERY_MS } = options;
  const watchers = new Map<string, fs.FSWatcher>();
  let paths = new Set<string>();
  let isFolderChanged = false;
  let scanTimer: NodeJS.Timeout | undefined;
  let rootTimer: NodeJS.Timeout | undefined;

  const comparison = createRepeatedTask({
    attempt: compare,
    onChange: (reason) => {
      if (reason === undefined) log.info('changed files can be looked at again');
      else log.warn({ reason }, 'changed files could not be looked at; it is tried again');
    },
    gatherMs: () => GATHER_MS,
    retryMs: (failures) => backoff(failures, PAUSE_MS),
  });

  /** @param onFile is called with the path of each article in the folder. */
  function enter(folder: string, onFile?: (path: string) => void): void {
    if (watchers.has(folder)) return;
    const absolute = join(content.root, folder);
    try {
      const watcher = fs.watch(absolute, (_, name) => onEvent(folder, name));
      watcher.on('error', onUnwatched);
      watchers.set(folder, watcher);
      for (const item of entriesOf(absolute)) {
        const path = below(folder, item.name);
        if (item.isDirectory() && isWatchedName(item.name)) enter(path, onFile);
        else if (isArticlePath(content, path)) onFile?.(path);
      }
    } catch (error) {
      // A folder that is gone or not readable has no files to watch.
      if (!isGone(error) && systemCode(error) !== 'EACCES') onUnwatched(error);
    }
  }

  function leave(folder: string): void {
    for (const [path, watcher] of watchers)
      if (folder === '' || path === folder || path.startsWith(`${folder}/`)) {
        watcher.close();
        watchers.delete(path);
      }
  }

  function onEvent(folder: string, name: string | null): void {
    if (name === null) return;
    const path = below(folder, name);
    if (isArticlePath(content, path)) paths.add(path);
    else if (isWatchedName(name)) onSubfolder(path);
    // If a folder was moved or removed, the system reports an event with its own name.
    if (folder === '' && name === basename(content.root)) watchRoot();
    if (paths.size > MANY_EVENTS) isFolderChanged = true;
    if (paths.size > 0 || isFolderChanged) comparison.request();
  }

  /** Watches a changed folder again: it may be another folder with the same name. */
  function onSubfolder(path: string): void {
    const isKnown = watchers.has(path);
    let isFolder = false;
    try {
      isFolder = fs.lstatSync(join(content.root, path), { throwIfNoEntry: false })?.isDirectory() === true;
    } catch {
      isFolderChanged = true; // the comparison reports why a folder cannot be read
    }
    if (isKnown) leave(path);
    isFolderChanged ||= isKnown;
    // For a new folder, only its own files are read: each article may have its own folder.
    if (isFolder) enter(path, (file) => paths.add(file));
  }

  /** Watches the content folder again, as soon as it exists: `git switch` removes it if the other branch lacks it. */
  function watchRoot(): void {
    clearTimeout(rootTimer);
    leave('');
    enter('');
    if (!watchers.has('') && scanTimer === undefined)
      rootTimer = setTimeout(watchRoot, ROOT_EVERY_MS).unref();
    compareAll();
  }

  function compareAll(): void {
    isFolderChanged = true;
    comparison.request();
  }

  function onUnwatched(error: unknown): void {
    if (scanTimer !== undefined) return; // thousands of folders may have the same error
    log.warn(
      { reason: messageOf(error) },
      'a part of the content folder cannot be watched; all files are compared every 30 seconds',
    );
    const scan = () => (watchers.has('') ? compareAll() : watchRoot());
    scanTimer = setInterval(scan, scanEveryMs).unref();
  }

  /** @returns the reason if it has failed. */
  async function compare(): Promise<string | undefined> {
    const changed = paths;
    const isWhole = isFolderChanged;
    paths = new Set();
    isFolderChanged = false;
    try {
      await (isWhole ? compareFolder() : readAgain(changed));
      return undefined;
    } catch (error) {
      for (const path of changed) paths.add(path);
      isFolderChanged ||= isWhole;
      return messageOf(error);
    }
  }

  // This compares all files, as some may have changed since the catalog was filled.
  watchRoot();
  return {
    close: async () => {
      leave('');
      clearTimeout(rootTimer);
      clearInterval(scanTimer);
      await comparison.close();
    },
  };
}

function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
