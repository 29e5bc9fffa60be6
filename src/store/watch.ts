import fs from 'node:fs';
import { relative, sep } from 'node:path';
import { watch as chokidarWatch } from 'chokidar';
import { messageOf } from '../errors.js';
import type { Log } from '../log.js';
import { isArticlePath } from './scan.js';

/** chokidar keeps some 8 KB a file; above this many files the system's recursive watch is used. */
const MANY_FILES = 20_000;

/** Events are gathered this long, so that an editor's write-rename-chmod is looked at once. */
const SETTLE_MS = 50;

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
 * @param look asked about the paths that had events; returns those to ask about again.
 */
export function watchContent(
  root: string,
  files: number,
  look: (paths: Iterable<string>) => string[],
  log: Log,
): Watcher {
  let pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function note(path: string): void {
    const name = relative(root, path).split(sep).join('/');
    if (!isArticlePath(name)) return;
    pending.add(name);
    timer ??= setTimeout(settle, SETTLE_MS);
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

  const source = files > MANY_FILES ? systemWatch(root, note, log) : fileWatch(root, note, log);
  return {
    ready: source.ready,
    close: async () => {
      clearTimeout(timer);
      await source.close();
    },
  };
}

function fileWatch(root: string, note: (path: string) => void, log: Log): Watcher {
  const watcher = chokidarWatch(root, {
    ignoreInitial: true,
    ignored: (path) => /[\\/](?:\.|node_modules)/.test(path.slice(root.length)),
  });
  watcher.on('all', (_event, path) => note(path));
  watcher.on('error', (error) => warn(log, error));
  const ready = new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
  return { ready, close: () => watcher.close() };
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
