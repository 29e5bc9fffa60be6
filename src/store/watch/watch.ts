import fs from 'node:fs';
import { relative, sep } from 'node:path';
import { watch as chokidarWatch } from 'chokidar';
import { messageOf } from '../../errors.js';
import type { Log } from '../../log.js';
import type { ContentFolder } from '../catalog/entry.js';
import { isArticlePath, isWatchedName } from '../catalog/scan.js';

/** chokidar keeps some 8 KB a file, and lists a folder anew when a file in it changes. */
const MOST_WATCHED = 20_000;

/** How often a folder with more files is compared with the catalog, in milliseconds. */
const SCAN_EVERY_MS = 30_000;

/** Events are gathered this long, so that an editor's write-rename-chmod is looked at once. */
const GATHER_MS = 50;

/** Where looking fails, such as for want of file descriptors, it is tried again after twice the time, up to this. */
const LONGEST_RETRY_MS = 5_000;

/** A running watcher. */
export interface Watcher {
  /** Resolves when changes are noticed from here on. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

export interface WatchOptions {
  readonly content: ContentFolder;
  /** How many articles there are. */
  readonly size: number;
  readonly log: Log;
  /** Reads the files at these paths again, where they have changed. */
  look(paths: Iterable<string>): void;
  /** Compares the whole folder with the catalog. */
  lookAtFolder(): Promise<void>;
  /** @default 30 seconds */
  readonly scanEveryMs?: number;
}

/** Watches the content folder for changes by other programs; a large one is compared with the catalog now and then. */
export function watchContent(options: WatchOptions): Watcher {
  return options.size > MOST_WATCHED ? scanRegularly(options) : watchFiles(options);
}

function watchFiles({ content, look, lookAtFolder, log }: WatchOptions): Watcher {
  const root = fs.realpathSync(content.root);
  const failures = createFailureReport(log);
  let paths = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let scan = Promise.resolve();

  function lookLater(): void {
    timer ??= setTimeout(
      () => {
        timer = undefined;
        lookNow();
      },
      Math.min(GATHER_MS * 2 ** failures.count, LONGEST_RETRY_MS),
    );
  }

  function lookNow(): void {
    const changed = paths;
    paths = new Set();
    try {
      look(changed);
      failures.over();
    } catch (error) {
      for (const path of changed) paths.add(path);
      failures.add(error);
      lookLater();
    }
  }

  const watcher = chokidarWatch(root, {
    ignoreInitial: true,
    followSymlinks: false, // a walk does not follow links to folders either
    ignored: (path) => !relative(root, path).split(sep).every(isWatchedName),
  });
  watcher.on('all', (_event, absolute) => {
    const path = relative(root, absolute).split(sep).join('/');
    if (!isArticlePath(content, path)) return;
    paths.add(path);
    lookLater();
  });
  watcher.on('error', (error) =>
    log.warn(
      { reason: messageOf(error) },
      'watching the content folder failed; an edit there is noticed when its article is asked for',
    ),
  );
  const ready = new Promise<void>((resolve) => {
    watcher.once('ready', () => {
      // what has changed while chokidar listed the folders
      scan = lookAtFolder().then(failures.over, failures.add);
      void scan.then(resolve);
    });
  });
  return {
    ready,
    close: async () => {
      await watcher.close();
      clearTimeout(timer);
      await scan;
    },
  };
}

function scanRegularly({ lookAtFolder, log, scanEveryMs = SCAN_EVERY_MS }: WatchOptions): Watcher {
  const failures = createFailureReport(log);
  let scan = Promise.resolve();
  const timer = setInterval(() => {
    scan = scan.then(lookAtFolder).then(failures.over, failures.add);
  }, scanEveryMs);
  timer.unref();
  return {
    ready: Promise.resolve(),
    close: async () => {
      clearInterval(timer);
      await scan;
    },
  };
}

/** Reports a failure once, and its end. */
function createFailureReport(log: Log) {
  let count = 0;
  let reported: string | undefined;

  function add(error: unknown): void {
    count++;
    const reason = messageOf(error);
    if (reason !== reported) log.warn({ reason }, 'changed files could not be looked at; it is tried again');
    reported = reason;
  }

  function over(): void {
    if (count > 0) log.info('changed files can be looked at again');
    count = 0;
    reported = undefined;
  }

  return {
    add,
    over,
    get count() {
      return count;
    },
  };
}
