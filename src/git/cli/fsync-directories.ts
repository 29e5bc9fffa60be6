import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../../errors.js';
import { syncDirectory } from '../../fs/atomic-write.js';

/** Within so many milliseconds two changes of a folder may carry the same time. */
const TICK_MS = 200;

/** A folder as it was when it was synced. */
interface Synced {
  readonly mtimeMs: number;
  /** Whether it may have changed since without another time. */
  readonly isFresh: boolean;
  /** What was in it, where that tells whether it has. */
  readonly names: string | undefined;
}

/**
 * Git writes its files through to the disk, but not the folders that they are in: without those, a power loss
 * takes a commit away that was there. Returns what syncs the folders that have changed since the last time.
 */
export function createDirectorySync({
  commonDir,
  gitDir,
  now = Date.now,
}: {
  readonly commonDir: string;
  readonly gitDir: string;
  /** The clock of the file system, in milliseconds since 1970. */
  readonly now?: () => number;
}): (ref: string) => Promise<void> {
  const objects = join(commonDir, 'objects');
  const synced = new Map<string, Synced>();

  async function syncIfChanged(folder: string): Promise<void> {
    const began = now();
    const mtimeMs = changedAt(folder);
    if (mtimeMs === undefined) return;
    const known = synced.get(folder);
    const isSameTime = known?.mtimeMs === mtimeMs;
    if (isSameTime && !known.isFresh) return;
    // a time that is still fresh may come again
    const isFresh = began - mtimeMs <= TICK_MS;
    // Objects are never replaced: a folder of them with the same names is the same.
    const isListed = folder.startsWith(objects) && (isFresh || isSameTime);
    const names = isListed ? (await readdir(folder)).join() : undefined;
    if (!isSameTime || names === undefined || names !== known.names) await syncDirectory(folder);
    synced.set(folder, { mtimeMs, isFresh, names });
  }

  return async (ref) => {
    const fans = (await readdir(objects)).filter((name) => /^(?:[0-9a-f]{2}|pack)$/.test(name));
    const folders = new Set([gitDir, commonDir, objects, ...fans.map((name) => join(objects, name))]);
    folders.add(join(commonDir, 'reftable'));
    const base = ref.startsWith('refs/worktree/') ? gitDir : commonDir; // those of a linked worktree are its own
    for (let at = dirname(join(base, ref)); at.length > base.length; at = dirname(at)) folders.add(at);
    await Promise.all([...folders].map(syncIfChanged));
  };
}

/**
 * When a folder was changed; undefined where it is none. Not asynchronous, as git has 258 of these folders: the system
 * knows their times, and says each in a microsecond, while a turn of another thread takes several.
 */
function changedAt(folder: string): number | undefined {
  try {
    return statSync(folder).mtimeMs;
  } catch (error) {
    // packed away meanwhile; reftable has a file where folders of refs were
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}
