import { dirname } from 'node:path';
import { messageOf } from '../errors.js';
import { discard, makeDirectory, stage, syncDirectory } from '../fs/atomic-write.js';
import type { Log } from '../log.js';
import type { Stamp } from './entry.js';
import type { Journal } from './journal.js';
import { type Placed, place, settle, takeBack, type Write } from './placing.js';

/**
 * What else must have happened before a batch is answered; a durability level beyond the disk (a commit, a
 * push) plugs in here. When it rejects, the whole batch is taken back.
 */
export type Durability = (writes: readonly Write[]) => Promise<void>;

/** Durable writes, many at a time; see `createGroupCommit`. */
export interface GroupCommit {
  /**
   * Makes one write durable: file synced, named, folder synced.
   *
   * @returns the new file's stamp.
   * @throws NameTaken; PressmarkError REVISION_CONFLICT; the system's errors, and then nothing was changed.
   */
  write(write: Write): Promise<Stamp>;
  /** Whether a file is being written right now: what is seen of it is not yet true. */
  isUnderWay(path: string): boolean;
  /** Files whose write failed and could not be taken back; they must be written anew before they count as durable. */
  readonly suspects: Set<string>;
}

interface Waiting {
  readonly temp: string;
  readonly write: Write;
  resolve(stamp: Stamp): void;
  reject(error: unknown): void;
}

/**
 * Writes files side by side and syncs each folder once for all that became ready meanwhile. The caller holds
 * the store's lock, and never writes one path twice at the same time.
 *
 * @param root the content folder; folders are synced up to and including its parent.
 */
export function createGroupCommit(
  root: string,
  journal: Journal,
  log: Log,
  durability?: Durability,
): GroupCommit {
  let ready: Waiting[] = [];
  let flushing = false;
  const underWay = new Set<string>();
  const suspects = new Set<string>();
  const durableFolders = new Set<string>();

  async function write(file: Write): Promise<Stamp> {
    underWay.add(file.path);
    try {
      const folder = dirname(file.target);
      // A folder that was synced before, removed by somebody and made again, has lost what was promised of it.
      const renewed = makeDirectory(folder);
      if (renewed.length > 0) for (const one of [folder, ...renewed]) durableFolders.delete(one);
      const temp = await stage(file.target, file.text, file.mode);
      return await new Promise<Stamp>((resolve, reject) => {
        ready.push({ temp, write: file, resolve, reject });
        void flush();
      });
    } finally {
      underWay.delete(file.path);
    }
  }

  async function flush(): Promise<void> {
    if (flushing) return;
    flushing = true;
    while (ready.length > 0) {
      const batch = ready;
      ready = [];
      await commit(batch);
    }
    flushing = false;
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    const placed: { waiting: Waiting; file: Placed }[] = [];
    try {
      // Named before the renames: a process that takes the lock after our death reads these files again.
      journal.append(batch.map(({ write }) => write.path));
    } catch (error) {
      for (const waiting of batch) abandon(waiting, error);
      return;
    }
    for (const waiting of batch) {
      try {
        placed.push({ waiting, file: place(waiting.temp, waiting.write) });
      } catch (error) {
        waiting.reject(error);
      }
    }
    const failed = await syncFolders(placed.map(({ file }) => file.write));
    const kept = placed.filter(({ waiting, file }) => {
      const error = failed.get(dirname(file.write.target));
      if (error === undefined) return true;
      refuse(waiting, file, error);
      return false;
    });
    try {
      await durability?.(kept.map(({ file }) => file.write));
    } catch (error) {
      for (const { waiting, file } of kept) refuse(waiting, file, error);
      return;
    }
    for (const { waiting, file } of kept) await finish(waiting, file);
    announce(kept.map(({ file }) => file.write.path));
  }

  async function finish(waiting: Waiting, file: Placed): Promise<void> {
    try {
      settle(file);
    } catch (error) {
      await syncFolders([file.write]);
      waiting.reject(error);
      return;
    }
    suspects.delete(file.write.path);
    waiting.resolve(file.stamp);
  }

  function abandon({ temp, reject }: Waiting, error: unknown): void {
    takeAway(temp);
    reject(error);
  }

  function refuse(waiting: Waiting, file: Placed, error: unknown): void {
    try {
      takeBack(file);
    } catch (cause) {
      suspects.add(file.write.path);
      log.error(
        { path: file.write.path, err: cause },
        'a failed write could not be taken back; it is written anew when it is sent again',
      );
    }
    waiting.reject(error);
  }

  /** Syncs the folders of these files, each once, and those above that this process has not synced yet. */
  async function syncFolders(writes: readonly Write[]): Promise<Map<string, unknown>> {
    const failed = new Map<string, unknown>();
    const folders = new Set(writes.map(({ target }) => dirname(target)));
    await Promise.all(
      [...folders].map(async (folder) => {
        try {
          await Promise.all([syncDirectory(folder), ...[...newFoldersAbove(folder)].map(syncDirectory)]);
          markDurable(folder);
        } catch (error) {
          failed.set(folder, error);
        }
      }),
    );
    return failed;
  }

  function* newFoldersAbove(folder: string): Generator<string> {
    for (let at = folder; !durableFolders.has(at) && at.startsWith(root); at = dirname(at)) yield dirname(at);
  }

  function markDurable(folder: string): void {
    for (let at = folder; !durableFolders.has(at) && at.startsWith(root); at = dirname(at))
      durableFolders.add(at);
  }

  /** For readers without the lock; when it fails they find out from their watcher, or at the next write. */
  function announce(paths: readonly string[]): void {
    try {
      journal.append(paths);
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the journal could not be written');
    }
  }

  function takeAway(temp: string): void {
    try {
      discard(temp);
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'a temp file is left until the next start');
    }
  }

  return { write, isUnderWay: (path) => underWay.has(path), suspects };
}
