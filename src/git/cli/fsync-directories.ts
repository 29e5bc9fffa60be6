import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../../errors.js';
import { syncDirectory } from '../../fs/atomic-write.js';
import { eachAtATime } from '../../fs/each-at-a-time.js';
import { syncIfThere } from '../../fs/sync-files.js';

/** So many folders are synced at a time, so that the files of deliveries need not wait for all of git's, which has up to 258. */
const SYNCED_AT_A_TIME = 8;

/** Within so many milliseconds two changes of a folder may carry the same time. */
const TICK_MS = 200;

/** A folder of objects as it was when it was synced. */
interface Synced {
  readonly mtimeMs: number;
  /** What was in it, where it may have changed since without another time: an object is never replaced. */
  readonly names: string | undefined;
}

/** Git writes its files through to the disk, but not the folders that they are in. */
export interface DirectorySync {
  /** Syncs a ref, and the folders of it, of HEAD and of the index. */
  readonly syncRef: (ref: string) => Promise<void>;
  /** Syncs the folders of objects that have changed since the last time, and those of a ref. */
  readonly syncObjectsAndRef: (ref: string) => Promise<void>;
  /** Syncs an object that has a file of its own: git does not sync those of the owner’s commits. */
  readonly syncObject: (id: string) => Promise<void>;
}

/** Without what this syncs, a power loss takes a commit away that was there. */
export function createDirectorySync({
  commonDir,
  gitDir,
  now = Date.now,
}: {
  readonly commonDir: string;
  readonly gitDir: string;
  /** The clock of the file system, in milliseconds since 1970. */
  readonly now?: () => number;
}): DirectorySync {
  const objects = join(commonDir, 'objects');
  const synced = new Map<string, Synced>();

  async function syncRef(ref: string): Promise<void> {
    const base = ref.startsWith('refs/worktree/') ? gitDir : commonDir; // those of a linked worktree are its own
    const paths = [gitDir, commonDir].flatMap((folder) => [folder, join(folder, 'reftable')]);
    // The file of the ref too: git before 2.36 does not sync it.
    for (let at = join(base, ref); at.length > base.length; at = dirname(at)) paths.push(at);
    // With reftable, some are files; git may have packed the files of a folder, and removed it.
    await eachAtATime(SYNCED_AT_A_TIME, new Set(paths), syncIfThere);
  }

  async function syncObject(id: string): Promise<void> {
    const folder = join(objects, id.slice(0, 2));
    await Promise.all([join(folder, id.slice(2)), folder, objects].map(syncIfThere));
  }

  async function syncObjectsAndRef(ref: string): Promise<void> {
    const fans = (await readdir(objects)).filter((name) => /^(?:[0-9a-f]{2}|pack)$/.test(name));
    const folders = [objects, ...fans.map((name) => join(objects, name))];
    await eachAtATime(SYNCED_AT_A_TIME, folders, syncIfChanged);
    await syncRef(ref);
  }

  async function syncIfChanged(folder: string): Promise<void> {
    const began = now();
    const mtimeMs = changedAt(folder);
    const known = synced.get(folder);
    const isSameTime = known?.mtimeMs === mtimeMs;
    if (mtimeMs === undefined || (isSameTime && known?.names === undefined)) return;
    const isFresh = began - mtimeMs <= TICK_MS;
    const names = isFresh || isSameTime ? (await readdir(folder)).join() : undefined;
    if (!isSameTime || names !== known?.names) await syncDirectory(folder);
    synced.set(folder, { mtimeMs, names: isFresh ? names : undefined });
  }

  return { syncRef, syncObject, syncObjectsAndRef };
}

/**
 * When a folder was changed; undefined where it is none. Not asynchronous, as git has 258 of these folders: the system
 * knows their times, and says each in a microsecond, while a turn of another thread takes several.
 */
function changedAt(folder: string): number | undefined {
  try {
    return statSync(folder).mtimeMs;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}
