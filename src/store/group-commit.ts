import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf, PressmarkError, systemCode } from '../errors.js';
import { discard, dropName, makeDirectory, type Staged, stage, syncDirectory } from '../fs/atomic-write.js';
import type { Log } from '../log.js';
import type { Stamp } from './entry.js';
import type { Journal } from './journal.js';
import { type Placed, place, settle, takeBack, type Write } from './placing.js';

/**
 * What else must have happened before a batch is answered; a durability level beyond the disk (a commit, a
 * push) plugs in here. When it rejects, the whole batch is taken back, unless with COMMIT_UNCERTAIN: then the files
 * stay, as the history has them, and count as stored when they have been sent again.
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
  /** Resolves when a path is not being written any more. */
  settled(path: string): Promise<void>;
  /** Files whose write failed and could not be taken back; they must be written anew before they count as durable. */
  readonly suspects: Set<string>;
}

interface Waiting {
  readonly file: Placed;
  /** Resolves when the temp name is gone. */
  readonly tidied: Promise<void>;
  resolve(stamp: Stamp): void;
  reject(error: unknown): void;
}

/**
 * Writes and names files side by side, and syncs each folder once for all that got their name meanwhile. The
 * caller holds the store's lock, and never writes one path twice at the same time.
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
  let named: Waiting[] = [];
  let flushing = false;
  let isElsewhere = false;
  const underWay = new Map<string, Promise<unknown>>();
  /** Paths that the journal does not tell of yet. */
  const untold = new Set<string>();
  const suspects = new Set<string>();
  const durableFolders = new Set<string>();

  function write(file: Write): Promise<Stamp> {
    const writing = writeNow(file).finally(() => underWay.delete(file.path));
    underWay.set(file.path, writing);
    return writing;
  }

  async function writeNow(file: Write): Promise<Stamp> {
    untold.add(file.path);
    try {
      const { placed, temp } = await putInPlace(file);
      const tidied = dropName(temp);
      return await new Promise<Stamp>((resolve, reject) => {
        named.push({ file: placed, tidied, resolve, reject });
        void flush();
      });
    } finally {
      untold.delete(file.path);
    }
  }

  /** Staged in the staging folder, which nobody watches; beside the target where that is on another file system. */
  async function putInPlace(file: Write): Promise<{ placed: Placed; temp: string }> {
    for (;;) {
      const folder = isElsewhere ? dirname(file.target) : staging;
      const staged = await stageIn(folder, file);
      try {
        tellJournal(file.path);
        return { placed: await giveName(staged, file), temp: staged.temp };
      } catch (error) {
        takeAway(staged.temp);
        if (systemCode(error) !== 'EXDEV' || folder !== staging) throw error;
        isElsewhere = true; // the content folder is mounted from elsewhere
      }
    }
  }

  async function stageIn(folder: string, { text, bytes, mode }: Write): Promise<Staged> {
    const data = bytes ?? text;
    try {
      return await stage(folder, data, mode);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      ensureFolder(folder);
      return stage(folder, data, mode);
    }
  }

  /** Before the file gets its name: a process that takes the lock after our death reads it again. */
  function tellJournal(path: string): void {
    if (!untold.has(path)) return;
    journal.append(untold); // those that are still being staged too: one line more costs less than one write more
    untold.clear();
  }

  async function giveName(staged: Staged, file: Write): Promise<Placed> {
    try {
      return await place(staged, file);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || file.replaces !== null) throw error;
      ensureFolder(dirname(file.target));
      return place(staged, file);
    }
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
    while (named.length > 0) {
      // The disk tells of several files at once, one callback after the other: those that are due now come along.
      await nextTurn();
      const batch = named;
      named = [];
      await commit(batch);
    }
    flushing = false;
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    const [failed] = await Promise.all([
      syncFolders(batch.map(({ file }) => file.write)),
      ...batch.map(({ tidied }) => tidied),
    ]);
    const kept: Waiting[] = [];
    for (const waiting of batch) {
      const error = failed.get(dirname(waiting.file.write.target));
      if (error === undefined) kept.push(waiting);
      else await refuse(waiting, error);
    }
    try {
      await durability?.(kept.map(({ file }) => file.write));
    } catch (error) {
      const stays = error instanceof PressmarkError && error.code === 'COMMIT_UNCERTAIN';
      for (const waiting of kept) await (stays ? doubt(waiting, error) : refuse(waiting, error));
      return;
    }
    // Before the answers: what one receiver has acknowledged, another must find.
    announce(kept.map(({ file }) => file.write.path));
    await Promise.all(kept.map(finish));
  }

  async function finish({ file, resolve, reject }: Waiting): Promise<void> {
    try {
      await settle(file);
    } catch (error) {
      await syncFolders([file.write]);
      reject(error);
      return;
    }
    suspects.delete(file.write.path);
    resolve(file.stamp);
  }

  /** Leaves a file that is not acknowledged; whoever sends it again finds it, and has it made certain. */
  async function doubt({ file, reject }: Waiting, error: unknown): Promise<void> {
    suspects.add(file.write.path);
    await settle(file).catch((cause: unknown) => log.debug({ err: cause }, 'a person has saved meanwhile'));
    reject(error);
  }

  async function refuse({ file, reject }: Waiting, error: unknown): Promise<void> {
    try {
      await takeBack(file);
    } catch (cause) {
      suspects.add(file.write.path);
      log.error(
        { path: file.write.path, err: cause },
        'a failed write could not be taken back; it is written anew when it is sent again',
      );
    }
    reject(error);
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

  async function settled(path: string): Promise<void> {
    // how it ended is its writer's business
    await underWay.get(path)?.catch(() => undefined);
  }

  return { write, isUnderWay: (path) => underWay.has(path), settled, suspects };
}
