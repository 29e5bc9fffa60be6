import fs from 'node:fs';
import { join, relative } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isGone, messageOf, systemCode } from '../../errors.js';
import { isLeftover } from '../../fs/atomic-write.js';
import { fingerprintOf, sameFingerprint } from '../../fs/fingerprint.js';
import type { Catalog } from './catalog.js';
import {
  type ContentFolder,
  type DecodedFile,
  isUnreadable,
  readEntry,
  readEntrySync,
  readHere,
} from './content-folder.js';
import { type Entry, isUnread } from './entry.js';

/** A file that has changed since it was last compared with the catalog. */
export interface ContentChange {
  readonly path: string;
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
}

/** The result of comparing the content folder with the catalog. */
export interface ScanReport {
  readonly files: number;
  readonly changes: readonly ContentChange[];
  /** The absolute paths of temp files: left over, or being written by another process. */
  readonly leftovers: readonly string[];
  /** Folders that cannot be read, with the reason. */
  readonly unreadable: readonly { readonly folder: string; readonly reason: string }[];
}

/** The number of files before other work gets a turn, so that a large site's scan does not hold up deliveries. */
const FILES_PER_TURN = 200;

/**
 * Compares every article file with the catalog, and reads changed files.
 *
 * @param writing the unfinished writes of a receiver; with it, files are read in another thread. @default files are read in
 *   this thread, as no delivery waits
 */
export async function scan(content: ContentFolder, catalog: Catalog, writing?: Writing): Promise<ScanReport> {
  const from = writing === undefined ? readHere(content) : content;
  const known = [...catalog.entries()].map(({ path }) => path);
  const unknown: string[] = [];
  const leftovers: string[] = [];
  const unreadable: { folder: string; reason: string }[] = [];
  let files = 0;
  const onUnreadable: OnUnreadable = (folder, error) =>
    unreadable.push({
      folder: relative(content.root, folder),
      reason: messageOf(error).split(',', 1)[0] ?? '',
    });
  for (const path of walk(content, (leftover) => leftovers.push(leftover), onUnreadable)) {
    if (catalog.get(path) === undefined) unknown.push(path);
    if (++files % FILES_PER_TURN === 0) await nextTurn();
  }
  const changes: ContentChange[] = [];
  let looked = 0;
  for (const path of [...known, ...unknown]) {
    changes.push(...(await refresh(from, catalog, path, writing ?? NO_WRITES)));
    if (++looked % FILES_PER_TURN === 0) await nextTurn();
  }
  return { files, changes, leftovers, unreadable };
}

/**
 * Lists the paths of all article files below the content folder.
 *
 * @param onLeftover is called with the absolute paths of temp files.
 * @param onUnreadable is called with folders that cannot be read; their files are left out.
 */
export function* walk(
  content: ContentFolder,
  onLeftover?: (path: string) => void,
  onUnreadable?: OnUnreadable,
): Generator<string> {
  const { root } = content;
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const item of entriesOf(join(root, folder), onUnreadable)) {
      const path = folder === '' ? item.name : `${folder}/${item.name}`;
      if (isLeftover(item.name)) onLeftover?.(join(root, path));
      else if (item.isDirectory() && isWatchedName(item.name)) folders.push(path);
      else if (isArticlePath(content, path)) yield path;
    }
  }
}

/** The unfinished writes of this process, by path. */
export type Writing = ReadonlyMap<string, Promise<unknown>>;

const NO_WRITES: Writing = new Map();

/**
 * Brings one path of the catalog up to date with the disk.
 *
 * @returns the change, if there is one; none while this process writes the file.
 */
export async function refresh(
  content: ContentFolder,
  catalog: Catalog,
  path: string,
  writing: Writing,
): Promise<ContentChange[]> {
  for (;;) {
    if (writing.has(path)) return [];
    const before = catalog.get(path);
    const there = whatIsAt(content, path, before);
    if (there === 'as known') return [];
    const after = there === 'nothing' ? undefined : await readEntry(content, path, before);
    // Another write may have changed the entry in the meantime.
    if (catalog.get(path) === before) return updateCatalog(catalog, path, before, after);
  }
}

/**
 * Like `refresh`, but in this thread. It also returns the file, unless it is gone or cannot be read.
 *
 * @returns undefined if the file is unchanged.
 */
export function readIfChanged(
  content: ContentFolder,
  catalog: Catalog,
  path: string,
): (ContentChange & { readonly file?: DecodedFile | undefined }) | undefined {
  const before = catalog.get(path);
  const there = whatIsAt(content, path, before);
  if (there === 'as known') return undefined;
  const read = there === 'nothing' ? undefined : readEntrySync(content, path, before);
  const [change] = updateCatalog(catalog, path, before, read?.entry);
  return change && { ...change, file: read?.file };
}

function whatIsAt(
  { root }: ContentFolder,
  path: string,
  known: Entry | undefined,
): 'as known' | 'nothing' | 'a file' {
  const stat = statOf(join(root, path));
  if (stat === null) return 'a file';
  if (!stat?.isFile()) return 'nothing';
  return known !== undefined && sameFingerprint(fingerprintOf(stat), known.fingerprint)
    ? 'as known'
    : 'a file';
}

function updateCatalog(
  catalog: Catalog,
  path: string,
  before: Entry | undefined,
  after: Entry | undefined,
): ContentChange[] {
  if (before !== undefined && after !== undefined && isUnread(before) && isUnread(after)) return [];
  if (after !== undefined) catalog.set(after);
  else if (catalog.delete(path) === undefined) return [];
  return [{ path, before, after }];
}

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

/** Returns a file's status; null if it cannot be read; undefined if there is no file, or if symbolic links form a loop. */
function statOf(path: string): fs.Stats | null | undefined {
  try {
    return fs.statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === 'ELOOP') return undefined;
    if (isUnreadable(error)) return null;
    throw error;
  }
}

/** Whether a path below the content folder is an article file's. */
export function isArticlePath({ format }: Pick<ContentFolder, 'format'>, path: string): boolean {
  return format.isArticlePath(path) && path.split('/').every(isWatchedName);
}

/** Whether files or folders with this name are read. */
export function isWatchedName(name: string): boolean {
  return !name.startsWith('.') && name !== 'node_modules';
}

type OnUnreadable = (folder: string, error: unknown) => void;

/** Lists the entries of a folder; none if it is gone or cannot be read, such as `lost+found`. */
export function entriesOf(folder: string, onUnreadable?: OnUnreadable): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isGone(error)) return []; // removed during the walk
    if (!isUnreadable(error)) throw error;
    onUnreadable?.(folder, error);
    return [];
  }
}
