import fs from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { watch as chokidarWatch } from 'chokidar';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import type { Catalog } from '../catalog/catalog.js';
import { type ContentFolder, isGone } from '../catalog/entry.js';
import { isArticlePath } from '../catalog/scan.js';
import { watchFolders } from './watch-folders.js';

/** chokidar keeps some 8 KB a file; above this many files the system's recursive watch is used. */
const MANY_FILES = 20_000;

/** Files read before others get a turn. */
const FILES_PER_TURN = 50;

/** Events are gathered this long, so that an editor's write-rename-chmod is looked at once. */
const SETTLE_MS = 50;

/** Where looking fails, such as for want of file descriptors, it is tried again after twice the time, up to this. */
const LONGEST_RETRY_MS = 5_000;

// Measured on Linux at 12,000 articles a month: both chokidar and the recursive watch, which Node makes there out
// of many, read a folder anew at every event in it. A publish cost 1.2 ms and 7.6 ms of processor time with them,
// and 0.6 ms with one watch a folder.
const HAS_INOTIFY = process.platform === 'linux';

/** A running watcher. */
export interface Watcher {
  /** Resolves when changes are noticed from here on. */
  readonly ready: Promise<void>;
  /**
   * The topmost folders in which a change may be noticed late or not at all, below the content folder; `''` is that
   * folder itself.
   */
  readonly unwatched: ReadonlySet<string>;
  /**
   * Resolves when every change has been looked at that was made before this was called, by whatever program, outside of
   * the unwatched folders.
   *
   * @throws what `look` throws; the paths are looked at again.
   */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
}

/** Reports the paths of changed files, below the content folder. */
type Source = Omit<Watcher, 'close'> & { close(): Promise<void> | void };

/**
 * Watches the content folder for changes by other programs.
 *
 * @param known the articles that have been read already.
 * @param look reads the files at these paths again, where they have changed; returns those to ask about again.
 */
export function watchContent(
  content: ContentFolder,
  known: Pick<Catalog, 'size' | 'get' | 'entries'>,
  look: (paths: Iterable<string>) => string[],
  log: Log,
): Watcher {
  let paths = new Set<string>();
  let folders = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let failures = 0;
  /** The failure that was reported last; it is not reported again while it lasts. */
  let reported: string | undefined;

  function onFile(path: string): void {
    paths.add(path);
    later();
  }

  function onFolder(path: string): void {
    folders.add(path);
    later();
  }

  function later(): void {
    const delay = Math.min(SETTLE_MS * 2 ** failures, LONGEST_RETRY_MS);
    timer ??= setTimeout(() => {
      timer = undefined;
      lookAtChanges().then(onLooked, onFailure);
    }, delay);
  }

  function onLooked(): void {
    if (reported !== undefined) log.info('changed files can be looked at again');
    failures = 0;
    reported = undefined;
  }

  function onFailure(error: unknown): void {
    failures++;
    const reason = messageOf(error);
    if (reason !== reported) log.warn({ reason }, 'changed files could not be looked at; it is tried again');
    reported = reason;
  }

  async function lookAtChanges(): Promise<void> {
    await looking?.catch(() => undefined); // reported to those who asked for it
    // One that has begun since has begun with everything that was reported before the call.
    if (looking === undefined && paths.size + folders.size > 0)
      looking = lookAtAll().finally(() => {
        looking = undefined;
      });
    await looking;
  }

  async function lookAtAll(): Promise<void> {
    const due = [...paths, ...pathsIn(folders)];
    paths = new Set();
    folders = new Set();
    let at = 0;
    try {
      for (; at < due.length; at += FILES_PER_TURN) {
        if (at > 0) await nextTurn();
        for (const path of look(due.slice(at, at + FILES_PER_TURN))) onFile(path);
      }
    } finally {
      for (const path of due.slice(at)) onFile(path);
    }
  }

  /** The known files in folders and their subfolders. */
  function* pathsIn(wanted: ReadonlySet<string>): Generator<string> {
    if (wanted.size === 0) return;
    for (const { path } of known.entries()) {
      let at = path.lastIndexOf('/');
      while (at > 0 && !wanted.has(path.slice(0, at))) at = path.lastIndexOf('/', at - 1);
      if (at > 0 || wanted.has('')) yield path;
    }
  }

  const source = sourceOf(content, known, onFile, onFolder, log);
  return {
    ready: source.ready,
    unwatched: source.unwatched,
    caughtUp: async () => {
      await source.caughtUp();
      await lookAtChanges();
    },
    close: async () => {
      await source.close();
      await looking?.catch(() => undefined);
      clearTimeout(timer);
    },
  };
}

function sourceOf(
  content: ContentFolder,
  known: Pick<Catalog, 'size' | 'get'>,
  onFile: (path: string) => void,
  onFolder: (path: string) => void,
  log: Log,
): Source {
  if (HAS_INOTIFY) {
    const isKnown = (path: string) => known.get(path) !== undefined;
    let hasFailed = false; // the same is likely to be true of thousands of folders
    const onError = (error: unknown) => {
      if (!hasFailed) warn(log, error);
      hasFailed = true;
    };
    const watch = watchFolders({ content, isKnown, onFile, onFolder, onError });
    return { ready: watch.caughtUp(), ...watch };
  }
  const { root } = content;
  const note = (absolute: string) => {
    const path = relative(root, absolute).split(sep).join('/');
    if (isArticlePath(content, path)) onFile(path);
  };
  const source = known.size > MANY_FILES ? systemWatch(root, note, log) : fileWatch(root, note, log);
  return { ...source, unwatched: new Set(['']), caughtUp: async () => undefined };
}

function fileWatch(root: string, note: (path: string) => void, log: Log): Pick<Source, 'ready' | 'close'> {
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

function systemWatch(root: string, note: (path: string) => void, log: Log): Pick<Source, 'ready' | 'close'> {
  const watcher = fs.watch(root, { recursive: true }, (_event, name) => {
    if (name !== null) note(`${root}${sep}${name}`);
  });
  watcher.on('error', (error) => warn(log, error));
  return { ready: Promise.resolve(), close: () => watcher.close() };
}

function warn(log: Log, error: unknown): void {
  log.warn(
    { reason: messageOf(error) },
    'watching the content folder failed; edits there are noticed when their article is asked for, and each lookup looks for new files',
  );
}
