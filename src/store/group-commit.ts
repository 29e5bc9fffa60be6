import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf, systemCode } from '../errors.js';
import { discard, dropName, makeDirectory, type Staged, stage, syncDirectory } from '../fs/atomic-write.js';
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
  readonly staged: Staged;
  readonly write: Write;
  resolve(stamp: Stamp): void;
  reject(error: unknown): void;
}

/**
 * Writes files side by side and syncs each folder once for all that became ready meanwhile. The caller holds
 * the store's lock, and never writes one path twice at the same time.
 *
 * @param root the content folder; folders are synced up to and including its parent.
 * @param staging where files are written before they get their name.
 */
export function createGroupCommit(
  root: string,
  staging: string,
  journal: Journal,
  log: Log,
  durability?: Durability,
): GroupCommit {
  let ready: Waiting[] = [];
  let flushing = false;
  let isElsewhere = false;
  const underWay = new Set<string>();
  const suspects = new Set<string>();
  const durableFolders = new Set<string>();

  async function write(file: Write): Promise<Stamp> {
    underWay.add(file.path);
    try {
      const staged = await stageSomewhere(file);
      return await new Promise<Stamp>((resolve, reject) => enqueue({ staged, write: file, resolve, reject }));
    } finally {
      underWay.delete(file.path);
    }
  }

  /** In the staging folder, which nobody watches; beside the target where that is on another file system. */
  async function stageSomewhere({ target, text, mode }: Write): Promise<Staged> {
    const folder = isElsewhere ? dirname(target) : staging;
    try {
      return await stage(folder, text, mode);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      ensureFolder(folder);
      return stage(folder, text, mode);
    }
  }

  function enqueue(waiting: Waiting): void {
    ready.push(waiting);
    void flush();
  }

  /** Makes a folder that is missing. */
  function ensureFolder(folder: string): void {
    // One that was synced before, removed by somebody and made again, has lost what was promised of it.
    const renewed = makeDirectory(folder);
    if (renewed.length > 0) for (const one of [folder, ...renewed]) durableFolders.delete(one);
  }

  async function flush(): Promise<void> {
    if (flushing) return;
    flushing = true;
    while (ready.length > 0) {
      // The disk tells of several files at once, one callback after the other: those that are due now come along.
      await nextTurn();
      const batch = ready;
      ready = [];
      await commit(batch);
    }
    flushing = false;
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    try {
      for (const folder of new Set(batch.map(({ write }) => dirname(write.target)))) ensureFolder(folder);
      // Named before the renames: a process that takes the lock after our death reads these files again.
      journal.append(batch.map(({ write }) => write.path));
    } catch (error) {
      for (const waiting of batch) abandon(waiting, error);
      return;
    }
    const placed = (await Promise.all(batch.map(placeOne))).filter((one) => one !== undefined);
    const [failed] = await Promise.all([
      syncFolders(placed.map(({ file }) => file.write)),
      ...placed.map(({ waiting }) => dropName(waiting.staged.temp)),
    ]);
    const kept: typeof placed = [];
    for (const { waiting, file } of placed) {
      const error = failed.get(dirname(file.write.target));
      if (error === undefined) kept.push({ waiting, file });
      else await refuse(waiting, file, error);
    }
    try {
      await durability?.(kept.map(({ file }) => file.write));
    } catch (error) {
      for (const { waiting, file } of kept) await refuse(waiting, file, error);
      return;
    }
    // Before the answers: what one receiver has acknowledged, another must find.
    announce(kept.map(({ file }) => file.write.path));
    await Promise.all(kept.map(({ waiting, file }) => finish(waiting, file)));
  }

  async function placeOne(waiting: Waiting): Promise<{ waiting: Waiting; file: Placed } | undefined> {
    try {
      return { waiting, file: await place(waiting.staged, waiting.write) };
    } catch (error) {
      if (systemCode(error) !== 'EXDEV' || dirname(waiting.staged.temp) !== staging) waiting.reject(error);
      else stageBeside(waiting);
      return undefined;
    }
  }

  /** The content folder is mounted from elsewhere: from now on files are staged there. */
  function stageBeside(waiting: Waiting): void {
    isElsewhere = true;
    stageSomewhere(waiting.write).then((staged) => enqueue({ ...waiting, staged }), waiting.reject);
  }

  async function finish(waiting: Waiting, file: Placed): Promise<void> {
    try {
      await settle(file);
    } catch (error) {
      await syncFolders([file.write]);
      waiting.reject(error);
      return;
    }
    suspects.delete(file.write.path);
    waiting.resolve(file.stamp);
  }

  function abandon({ staged, reject }: Waiting, error: unknown): void {
    takeAway(staged.temp);
    reject(error);
  }

  async function refuse(waiting: Waiting, file: Placed, error: unknown): Promise<void> {
    try {
      await takeBack(file);
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
