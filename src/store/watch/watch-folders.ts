import fs from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemCode } from '../../errors.js';
import { type ContentFolder, isGone } from '../catalog/entry.js';
import { isArticlePath, isWatchedName } from '../catalog/scan.js';
import { beginTurn, entriesOf, type Turn } from './listing.js';

/** A watch on every folder of a tree; see `watchFolders`. */
export interface FolderWatch {
  /** The topmost folders of whose changes the system may not report all; `''` is the content folder itself. */
  readonly unwatched: ReadonlySet<string>;
  /**
   * Resolves when every change outside of the unwatched folders has been reported whose system call returned before
   * this was called, in whatever process.
   */
  caughtUp(): Promise<void>;
  close(): void;
}

/** The paths of the callbacks are below the content folder, with forward slashes. */
export interface FolderWatchOptions {
  readonly content: ContentFolder;
  /** Whether a file need not be reported that is there when the watch begins. */
  readonly isKnown: (path: string) => boolean;
  /** Called for files that may have come, changed or gone. */
  readonly onFile: (path: string) => void;
  /** Called for folders that went, or that others have replaced; what was in them may be gone. */
  readonly onFolder: (path: string) => void;
  /** Called where a folder cannot be watched. */
  readonly onError: (error: unknown) => void;
}

interface Folder {
  readonly path: string;
  readonly dev: number;
  /** Whether it or a folder above it is in `unwatched`. */
  readonly isUnwatched: boolean;
  readonly watcher: fs.FSWatcher;
  readonly folders: Map<string, Folder>;
  /** Whether it went, or another one has its name; its events are counted only. */
  isLeft: boolean;
}

/**
 * File systems that no other machine changes: of their changes the kernel reports all. A network's, and those of FUSE
 * (which Docker Desktop mounts, for example), report what this machine does.
 */
const LOCAL_FILE_SYSTEMS = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0xf2f52010, // f2fs
  0x2fc12fc1, // zfs
  0xca451a4e, // bcachefs
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
]);

/** The system drops events where more wait to be read; its usual limit. */
const USUAL_QUEUE = 16_384;

/**
 * Watches a folder tree on Linux with one inotify watch a folder. What an event costs does not grow with the folder:
 * only folders that are new are listed.
 *
 * Why `caughtUp` needs no system call in the folders: the kernel queues the event of an operation before its system
 * call returns, and all watches of a thread share one queue in order. Each turn of the event loop polls that queue and
 * dispatches everything in it. The first `setImmediate` may end a turn that has polled before the call; the second one
 * ends a turn that has polled after it. Three things could get past that, and each is looked for: a queue that was full
 * (counted), another folder in the place of the content folder (compared), and listings that are still going on
 * (waited for).
 */
export function watchFolders(options: FolderWatchOptions): FolderWatch {
  const { content, isKnown, onFile, onFolder, onError } = options;
  const { root } = content;
  const unwatched = new Set<string>();
  const toList: { folder: Folder; isNew: boolean }[] = [];
  const mostEvents = queueLength() / 2;
  let listing: Promise<void> | undefined;
  /** Events of this turn of the event loop. */
  let events = 0;
  let top = enter('', undefined, false);
  let topInode = inodeOf(root);
  /** Whether the content folder itself was removed or unmounted; another one may have got its inode number. */
  let isTopGone = false;
  let isClosed = false;

  /** Watches first and lists then, so that nothing that comes meanwhile is missed. */
  function enter(path: string, parent: Folder | undefined, isNew: boolean): Folder | undefined {
    const absolute = join(root, path);
    const isInside = parent?.isUnwatched === true;
    try {
      const { dev } = fs.statSync(absolute);
      const isLocal = dev === parent?.dev || LOCAL_FILE_SYSTEMS.has(fs.statfsSync(absolute).type);
      const watcher = fs.watch(absolute, (type, name) => onEvent(folder, type, name));
      watcher.on('error', onError);
      const isUnwatched = isInside || !isLocal;
      const folder: Folder = { path, dev, isUnwatched, watcher, folders: new Map(), isLeft: false };
      if (isUnwatched && !isInside) unwatched.add(path);
      toList.push({ folder, isNew });
      listing ??= Promise.resolve().then(listAll);
      return folder;
    } catch (error) {
      if (isGone(error)) return undefined; // it went as fast as it came
      // A folder that may not be read shows its files to nobody; when its permissions change, it is entered again.
      if (systemCode(error) !== 'EACCES' && !isInside) unwatched.add(path);
      onError(error);
      return undefined;
    }
  }

  async function listAll(): Promise<void> {
    const turn = beginTurn();
    try {
      for (let next = toList.pop(); next !== undefined; next = toList.pop()) {
        await list(next.folder, next.isNew, turn);
        if (turn.isOver()) await turn.next();
      }
    } finally {
      listing = undefined;
    }
  }

  async function list(folder: Folder, isNew: boolean, turn: Turn): Promise<void> {
    try {
      for (const item of entriesOf(join(root, folder.path))) {
        if (folder.isLeft) return;
        onListed(folder, item, isNew);
        if (turn.isOver()) await turn.next();
      }
    } catch (error) {
      if (!folder.isUnwatched) unwatched.add(folder.path);
      onError(error);
    }
  }

  function onListed(folder: Folder, item: fs.Dirent, isNew: boolean): void {
    const path = below(folder, item.name);
    if (!item.isDirectory()) {
      if (isArticlePath(content, path) && (isNew || !isKnown(path))) onFile(path);
    } else if (isWatchedName(item.name) && !folder.folders.has(item.name)) add(folder, item.name, isNew);
  }

  function add(parent: Folder, name: string, isNew: boolean): void {
    const folder = enter(below(parent, name), parent, isNew);
    if (folder !== undefined) parent.folders.set(name, folder);
  }

  function onEvent(folder: Folder, type: string, name: string | null): void {
    if (events++ === 0) setImmediate(checkEvents);
    if (folder.isLeft || name === null) return;
    const path = below(folder, name);
    if (isArticlePath(content, path)) onFile(path);
    else if (isWatchedName(name)) onSubfolder(folder, type, name, path);
    // What happens to a folder itself is reported under its own name.
    if (folder === top && type === 'rename' && root.endsWith(`/${name}`)) isTopGone = true;
  }

  /** A folder that was moved away and back is another one under the same name: it is watched anew. */
  function onSubfolder(parent: Folder, type: string, name: string, path: string): void {
    try {
      const known = parent.folders.get(name);
      if (known !== undefined && type === 'change') return; // permissions or times
      const isFolder = fs.lstatSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() === true;
      if (known !== undefined) leave(known);
      if (parent.folders.delete(name) || unwatched.delete(path)) onFolder(path);
      if (isFolder) add(parent, name, true);
    } catch (error) {
      if (!isGone(error)) onError(error);
    }
  }

  function leave(folder: Folder): void {
    folder.isLeft = true;
    unwatched.delete(folder.path);
    // Not at once: its events that are queued already must be counted.
    setImmediate(() => folder.watcher.close());
    for (const one of folder.folders.values()) leave(one);
  }

  /** Begins anew, and reports all files that are there. */
  function restart(): void {
    if (top !== undefined) leave(top);
    unwatched.clear();
    isTopGone = false;
    topInode = inodeOf(root);
    top = enter('', undefined, true);
  }

  function checkEvents(): void {
    const count = events;
    events = 0;
    if (count < mostEvents || isClosed) return;
    // There may have been more than the queue could hold.
    restart();
    onFolder('');
  }

  async function caughtUp(): Promise<void> {
    await nextTurn();
    await nextTurn();
    checkEvents();
    const inode = inodeOf(root);
    if (inode !== undefined && (isTopGone || inode !== topInode) && !isClosed) restart();
    while (listing !== undefined) await listing;
  }

  function close(): void {
    isClosed = true;
    if (top !== undefined) leave(top);
    toList.length = 0;
  }

  return { unwatched, caughtUp, close };
}

function below({ path }: Folder, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}

function inodeOf(path: string): string | undefined {
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.dev} ${stat.ino}`;
}

function queueLength(): number {
  try {
    return Number(fs.readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
  } catch {
    return USUAL_QUEUE;
  }
}
