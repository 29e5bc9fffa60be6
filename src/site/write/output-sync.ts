import { join } from 'node:path';
import { messageOf } from '../../errors.js';
import { syncFiles } from '../../fs/sync-files.js';
import type { Log } from '../../log.js';
import type { Manifest } from './manifest.js';

/** So long after a build its files are synced: by then the system has written nearly all of them by itself. */
const AFTER_MS = 60_000;
/** How long a sync may take. */
const LONGEST_MS = 60_000;

interface Deps {
  readonly manifest: Manifest;
  /** The output folder. */
  readonly root: string;
  readonly log: Log;
  /** Whether a sync has to wait. */
  isBusy(): boolean;
  /** Whether files are damaged: nothing may say that they are on the disk. */
  hasDamage(): boolean;
  /** Runs something while no build is under way. */
  exclusively(work: () => Promise<void>): Promise<unknown>;
}

/** Syncs built files some time after they were written, all together. */
export function createOutputSync({ manifest, root, log, isBusy, hasDamage, exclusively }: Deps) {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** Says that something may have been built. */
  function later(): void {
    if (isClosed) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      if (isBusy()) later();
      else void sync(LONGEST_MS);
    }, AFTER_MS).unref();
  }

  /** Syncs the files that are not known to be on the disk, while builds go on, and notes that in the manifest. */
  async function sync(timeoutMs: number): Promise<void> {
    if (manifest.isSynced() || hasDamage()) return;
    try {
      const { sequence, unsynced } = manifest;
      const paths = [...unsynced.keys()].map((file) => join(root, file));
      const isSynced = await syncFiles(root, paths, timeoutMs);
      if (isClosed) return; // nothing may be written any more
      if (isSynced) await exclusively(() => manifest.markSynced(sequence));
      else later();
    } catch (error) {
      later();
      log.debug({ reason: messageOf(error) }, 'what was built could not be synced');
    }
  }

  /** Syncs for the last time, for so long at most; 0 for no sync. */
  async function close(timeoutMs: number): Promise<void> {
    if (timeoutMs > 0) await sync(timeoutMs);
    isClosed = true;
    clearTimeout(timer);
  }

  return { later, close };
}
