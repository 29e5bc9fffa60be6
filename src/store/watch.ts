import fs from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { watch as chokidarWatch } from 'chokidar';
import { messageOf } from '../errors.js';
import type { Log } from '../log.js';
import { type ContentFolder, isGone } from './entry.js';
import { isArticlePath } from './scan.js';
import { watchFolders } from './watch-folders.js';

/** chokidar keeps some 8 KB a file; above this many files the system's recursive watch is used. */
const MANY_FILES = 20_000;

/** Events are gathered this long, so that an editor's write-rename-chmod is looked at once. */
const SETTLE_MS = 50;

// Measured on Linux at 12,000 articles a month: both chokidar and the recursive watch, which Node makes there out
// of many, read a folder anew at every event in it. A publish cost 1.2 ms and 7.6 ms of processor time with them,
// and 0.6 ms with one watch a folder.
const HAS_INOTIFY = process.platform === 'linux';

/** A running watcher. */
export interface Watcher {
  /** Resolves when changes are noticed from here on. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/**
 * Watches the content folder for people's doings. Nothing depends on an event being delivered: revisions and
 * identities are read from the files when they matter.
 *
 * @param files how many article files there are.
 * @param below the known article paths in a folder, its subfolders included; asked where a folder came or went.
 * @param isUnderWay whether this process is writing a path just now.
 * @param look asked about the paths that had events; returns those to ask about again.
 */
export function watchContent(
  content: ContentFolder,
  files: number,
  below: (folder: string) => Iterable<string>,
  isUnderWay: (path: string) => boolean,
  look: (paths: Iterable<string>) => string[],
  log: Log,
): Watcher {
  const { root } = content;
  let pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function note(path: string): void {
    const below = path.slice(root.length + 1);
    const name = sep === '/' ? below : below.replaceAll(sep, '/');
    // What we write ourselves is announced while it is still under way: no news.
    if (!isArticlePath(content, name) || isUnderWay(name)) return;
    pending.add(name);
    timer ??= setTimeout(settle, SETTLE_MS);
  }

  function noteFolder(folder: string): void {
    for (const path of below(relative(root, folder).split(sep).join('/'))) note(`${root}${sep}${path}`);
  }

  function settle(): void {
    timer = undefined;
    const paths = pending;
    pending = new Set();
    try {
      for (const path of look(paths)) pending.add(path);
    } catch (error) {
      log.warn(
        { reason: messageOf(error) },
        'changed files could not be looked at; they are looked at again',
      );
      for (const path of paths) pending.add(path);
    }
    if (pending.size > 0) timer ??= setTimeout(settle, SETTLE_MS);
  }

  const source = HAS_INOTIFY
    ? folderWatch(content, note, noteFolder, log)
    : files > MANY_FILES
      ? systemWatch(root, note, log)
      : fileWatch(root, note, log);
  return {
    ready: source.ready,
    close: async () => {
      clearTimeout(timer);
      await source.close();
    },
  };
}

function folderWatch(
  content: ContentFolder,
  note: (path: string) => void,
  noteFolder: (path: string) => void,
  log: Log,
): Watcher {
  const close = watchFolders(content, note, noteFolder, (error) => warn(log, error));
  return { ready: Promise.resolve(), close: async () => close() };
}

function fileWatch(root: string, note: (path: string) => void, log: Log): Watcher {
  const realRoot = fs.realpathSync(root);
  // chokidar follows links to folders, a walk does not; their files have paths of their own, or are none of ours.
  const isBehindLink = (folder: string) => realPath(folder) !== join(realRoot, relative(root, folder));
  const watcher = chokidarWatch(root, {
    ignoreInitial: true,
    ignored: (path) => /[\\/](?:\.|node_modules)/.test(path.slice(root.length)),
  });
  watcher.on('all', (_event, path) => {
    if (!isBehindLink(dirname(path))) note(path);
  });
  watcher.on('error', (error) => warn(log, error));
  const ready = new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
  return { ready, close: () => watcher.close() };
}

function realPath(path: string): string {
  try {
    return fs.realpathSync(path);
  } catch (error) {
    if (isGone(error)) return path;
    throw error;
  }
}

function systemWatch(root: string, note: (path: string) => void, log: Log): Watcher {
  const watcher = fs.watch(root, { recursive: true }, (_event, name) => {
    if (name !== null) note(`${root}${sep}${name}`);
  });
  watcher.on('error', (error) => warn(log, error));
  return { ready: Promise.resolve(), close: async () => watcher.close() };
}

function warn(log: Log, error: unknown): void {
  log.warn(
    { reason: messageOf(error) },
    'watching the content folder failed; edits are noticed when their article is asked for',
  );
}
