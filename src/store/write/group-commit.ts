import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf, systemCode } from '../../errors.js';
import { discard, makeDirectory, type Staged, stage, syncDirectory } from '../../fs/atomic-write.js';
import { createNewFiles } from '../../fs/new-files.js';
import type { Stamp } from '../../fs/stamp.js';
import type { Log } from '../../log.js';
import { notDurable } from './failure.js';
import type { Journal } from './journal.js';
import { NameTaken, type Placed, placeOver, settle, takeBack, type Write } from './placing.js';

/**
 * What else must have happened before a batch is answered; a durability level beyond the disk plugs in here. When it
 * rejects, the files stay and are not acknowledged: while it ran, a lookup of another receiver may have answered with
 * them. They count as stored when they have been sent again.
 */
export type AfterWrite = (writes: readonly Write[]) => Promise<void>;

/** Durable writes, many at a time; see `createGroupCommit`. */
export interface GroupCommit {
  /**
   * Makes one write durable: file synced, named, folder synced.
   *
   * @returns the new file's stamp.
   * @throws NameTaken, PressmarkError REVISION_CONFLICT and the system's errors: nothing was changed. STORE_FAILED and
   *   what `AfterWrite` throws: the file is there, but is not durable; it is among the suspects.
   */
  write(write: Write): Promise<Stamp>;
  /** Whether a file is being written right now: what is seen of it is not yet true. */
  isUnderWay(path: string): boolean;
  /** Resolves when a path is not being written any more. */
  settled(path: string): Promise<void>;
  /** Files whose write failed and that are there all the same; they must be written anew before they count as durable. */
  readonly suspects: Set<string>;
  /** Ends what writes new files. */
  close(): Promise<void>;
}

/** How often a write is tried whose folders are missing, or on another file system than was thought. */
const MAX_ATTEMPTS = 3;

interface Waiting {
  readonly file: Placed;
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
  afterWrite?: AfterWrite,
): GroupCommit {
  let named: Waiting[] = [];
  let flushing = false;
  let isElsewhere = false;
  const underWay = new Map<string, Promise<unknown>>();
  /** Paths that the journal does not name yet. */
  const unannounced = new Set<string>();
  const suspects = new Set<string>();
  const folders = createDurableFolders(root);
  const newFiles = createNewFiles(appendToJournal);

  function write(file: Write): Promise<Stamp> {
    const writing = writeNow(file).finally(() => underWay.delete(file.path));
    underWay.set(file.path, writing);
    return writing;
  }

  async function writeNow(file: Write): Promise<Stamp> {
    unannounced.add(file.path);
    try {
      const placed = await (file.replaces === null ? putNew(file) : putOver(file, file.replaces));
      return await new Promise<Stamp>((resolve, reject) => {
        named.push({ file: placed, resolve, reject });
        void flush();
      });
    } finally {
      unannounced.delete(file.path);
    }
  }

  /** Staged in the staging folder, which nobody watches; next to the target where that is on another file system. */
  const stagingOf = (target: string) => (isElsewhere ? dirname(target) : staging);

  async function putNew(file: Write): Promise<Placed> {
    const { target, text } = file;
    const data = file.bytes ?? new TextEncoder().encode(text);
    for (let attempt = 1; ; attempt++) {
      const folder = stagingOf(target);
      const stamp = await newFiles.make({ staging: folder, target, data }).catch((error: unknown) => {
        if (attempt === MAX_ATTEMPTS || !preparedAgain(error, folder, [folder, dirname(target)])) throw error;
        return 'again' as const;
      });
      if (stamp === undefined) throw new NameTaken(file.path);
      if (stamp !== 'again') return { write: file, stamp, undo: undefined };
    }
  }

  async function putOver(file: Write, decided: string): Promise<Placed> {
    for (let attempt = 1; ; attempt++) {
      const folder = stagingOf(file.target);
      let staged: Staged | undefined;
      try {
        staged = await stage(folder, file.text, file.mode);
        appendToJournal();
        return placeOver(staged, file, decided);
      } catch (error) {
        if (staged !== undefined) takeAway(staged.temp);
        const missing = staged === undefined ? [folder] : [];
        if (attempt === MAX_ATTEMPTS || !preparedAgain(error, folder, missing)) throw error;
      }
    }
  }

  /** Before a file gets its name: a process that takes the lock after our death reads it again. */
  function appendToJournal(): void {
    if (unannounced.size === 0) return;
    journal.append(unannounced);
    unannounced.clear();
  }

  /**
   * Removes what has kept a file from being written, so that it can be tried again.
   *
   * @param stagedIn where the file was written.
   * @param missing the folders that may not be there.
   * @returns false where that cannot be done.
   */
  function preparedAgain(error: unknown, stagedIn: string, missing: readonly string[]): boolean {
    const code = systemCode(error);
    if (code === 'ENOENT') {
      missing.forEach(folders.make);
      return missing.length > 0;
    }
    if (code !== 'EXDEV' || stagedIn !== staging) return false;
    isElsewhere = true; // the content folder is mounted from elsewhere
    return true;
  }

  async function flush(): Promise<void> {
    if (flushing) return;
    flushing = true;
    while (named.length > 0) {
      // The disk finishes several files at once, and their callbacks run one after the other: those that are due now come along.
      await nextTurn();
      const batch = named;
      named = [];
      await commit(batch);
    }
    flushing = false;
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    const failed = await folders.sync(batch.map(({ file }) => folderOf(file)));
    const kept: Waiting[] = [];
    for (const waiting of batch) {
      const error = failed.get(folderOf(waiting.file));
      if (error === undefined) kept.push(waiting);
      else if (afterWrite === undefined) await refuse(waiting, error);
      else await doubt(waiting, notDurable(error));
    }
    try {
      await afterWrite?.(kept.map(({ file }) => file.write));
    } catch (error) {
      for (const waiting of kept) await doubt(waiting, error);
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
      await folders.sync([folderOf(file)]);
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
    // a receiver that has looked between the journal's line and the rename has found nothing
    announce([file.write.path]);
    reject(error);
  }

  async function refuse({ file, reject }: Waiting, error: unknown): Promise<void> {
    try {
      await takeBack(file);
      reject(error);
    } catch (cause) {
      suspects.add(file.write.path);
      announce([file.write.path]);
      log.error(
        { path: file.write.path, err: cause },
        'a failed write could not be taken back; it is written anew when it is sent again',
      );
      reject(notDurable(error));
    }
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

  return { write, isUnderWay: (path) => underWay.has(path), settled, suspects, close: newFiles.close };
}

function folderOf({ write }: Placed): string {
  return dirname(write.target);
}

/** The folders that articles lie in; see `createDurableFolders`. */
interface DurableFolders {
  /** Makes a folder that is missing. */
  make(folder: string): void;
  /**
   * Syncs folders, each once, and those above that this process has not synced yet.
   *
   * @returns the errors of those that could not be.
   */
  sync(folders: readonly string[]): Promise<Map<string, unknown>>;
}

/**
 * Sees to it that folders' entries are on the disk: without that a new file can be lost with the power.
 *
 * @param root the content folder; folders are synced up to and including its parent.
 */
function createDurableFolders(root: string): DurableFolders {
  const durable = new Set<string>();

  function make(folder: string): void {
    // One that was synced before, removed by somebody and made again, has lost what was promised of it.
    const renewed = makeDirectory(folder);
    if (renewed.length > 0) for (const one of [folder, ...renewed]) durable.delete(one);
  }

  async function sync(folders: readonly string[]): Promise<Map<string, unknown>> {
    const failed = new Map<string, unknown>();
    await Promise.all(
      [...new Set(folders)].map(async (folder) => {
        try {
          await Promise.all([folder, ...newOnesAbove(folder)].map(syncDirectory));
          for (let at = folder; isNew(at); at = dirname(at)) durable.add(at);
        } catch (error) {
          failed.set(folder, error);
        }
      }),
    );
    return failed;
  }

  function* newOnesAbove(folder: string): Generator<string> {
    for (let at = folder; isNew(at); at = dirname(at)) yield dirname(at);
  }

  function isNew(folder: string): boolean {
    return !durable.has(folder) && folder.startsWith(root);
  }

  return { make, sync };
}
