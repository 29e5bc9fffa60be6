import fs from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { isGone, systemCode } from '../../errors.js';
import {
  discard,
  dropTemp,
  putNew,
  stage,
  syncDirectory,
  syncFile,
  tempPath,
} from '../../fs/atomic-write.js';
import { coalesced } from '../../fs/coalesced.js';
import { type Fingerprint, fingerprintOf } from '../../fs/fingerprint.js';
import type { Log } from '../../log.js';
import type { Entry } from '../catalog/entry.js';
import type { Removal, Write, Writer } from './article-files.js';
import { NameTaken, notDurable, Outdated } from './failures.js';

/** How many times a write is tried if folders are missing or on an unexpected file system. */
const MAX_ATTEMPTS = 3;

/** How many times a file is rewritten while a person keeps saving it. */
const MAX_SAVES = 5;

/** A file that has its final name, but whose folder is not synced yet. */
interface Placed {
  /** Its temporary name, which may still exist. */
  readonly temp: string;
  readonly fingerprint: Fingerprint;
  /** The replaced content; undefined for a new file. */
  readonly before: Buffer | undefined;
}

/**
 * Creates the writer to this disk. Its steps are: stage, sync, compare, link or rename, sync the folder.
 *
 * @param root the content folder; folders are synced up to and including its parent.
 * @param staging an unwatched folder for files before they are renamed.
 */
export function createDiskWriter(root: string, staging: string, log: Log): Writer {
  const folders = createFolderSync(root);
  /** The paths of files whose sync failed. The kernel marks their lost pages as clean, so another sync would prove nothing. */
  const unsynced = new Set<string>();
  let isStagingOnOtherDisk = false;

  async function write(file: Write): Promise<Fingerprint> {
    const placed = await place(file);
    const dropped = dropTemp(placed.temp);
    try {
      await folders.sync(dirname(file.target));
    } catch (error) {
      if (await takeBack(file, placed)) throw error;
      unsynced.add(file.path);
      throw notDurable(error);
    } finally {
      await dropped;
    }
    unsynced.delete(file.path);
    return placed.fingerprint;
  }

  async function place(file: Write): Promise<Placed> {
    for (let attempt = 1; ; attempt++) {
      // Next to the target if the content folder is on another file system.
      const folder = isStagingOnOtherDisk ? dirname(file.target) : staging;
      try {
        return await placeBy(folder, file);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !prepareRetry(error, folder, file)) throw error;
      }
    }
  }

  async function placeBy(
    folder: string,
    { path, target, text, replaces, mode, waitsFor = [] }: Write,
  ): Promise<Placed> {
    const { temp, stat } = await stage(folder, text, mode);
    try {
      await Promise.all(waitsFor);
      const before = replaces === null ? undefined : renameOver(temp, target, replaces);
      if (before === undefined && !putNew(temp, target)) throw new NameTaken(path);
      return { temp, fingerprint: fingerprintOf(stat), before };
    } catch (error) {
      await dropTemp(temp);
      throw error;
    }
  }

  /** Removes the cause of a failed write, if possible. @returns whether the write can be tried again. */
  function prepareRetry(error: unknown, folder: string, { target }: Write): boolean {
    switch (systemCode(error)) {
      case 'ENOENT':
        fs.mkdirSync(folder, { recursive: true });
        fs.mkdirSync(dirname(target), { recursive: true });
        return true;
      case 'EXDEV':
        isStagingOnOtherDisk = true;
        return folder === staging;
      default:
        return false;
    }
  }

  /** Undoes a failed write. If a person has saved the file since, their version stays. */
  async function takeBack({ path, target, text, mode }: Write, { before }: Placed): Promise<boolean> {
    try {
      if (before === undefined) {
        if (fs.readFileSync(target, 'utf8') === text) fs.unlinkSync(target);
        return true;
      }
      const { temp } = await stage(dirname(target), before, mode);
      try {
        renameOver(temp, target, text);
      } finally {
        discard(temp);
      }
      return true;
    } catch (error) {
      if (isGone(error) || error instanceof Outdated) return true;
      log.error(
        { path, err: error },
        'a failed write could not be undone; the file is written again when the article is sent again',
      );
      return false;
    }
  }

  async function ensure({ path, fingerprint }: Entry): Promise<Fingerprint> {
    const target = fs.realpathSync(join(root, path)); // a rename would replace the link itself
    let ensured = fingerprint;
    try {
      if (unsynced.has(path)) ensured = await writeAnew(target);
      else await syncFile(target);
      await folders.syncAll(dirname(target));
    } catch (error) {
      unsynced.add(path);
      throw error;
    }
    unsynced.delete(path);
    return ensured;
  }

  async function remove({ target, replaces }: Removal): Promise<void> {
    if (contentOf(target)?.toString('utf8') !== replaces) throw changedNow();
    const temp = tempPath(dirname(target));
    fs.renameSync(target, temp);
    try {
      await syncDirectory(dirname(target));
    } catch (error) {
      putNew(temp, target); // does not replace a file that a person has saved since
      throw error;
    } finally {
      await dropTemp(temp);
    }
  }

  return { write, remove, ensure, epoch: 0 };
}

/**
 * Renames a staged file over `target` if that still has the text that the decision was based on.
 *
 * @returns the replaced content.
 * @throws Outdated; the system's errors.
 */
function renameOver(temp: string, target: string, decided: string): Buffer {
  const before = contentOf(target);
  if (before?.toString('utf8') !== decided) throw changedNow();
  fs.renameSync(temp, target);
  return before;
}

function changedNow(): Outdated {
  return new Outdated('the file was changed at this very moment');
}

function contentOf(path: string): Buffer | undefined {
  try {
    return fs.readFileSync(path);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/**
 * Replaces a file by a new file with the same content. If a person saves the file in the meantime, their version is rewritten
 * instead.
 */
async function writeAnew(target: string): Promise<Fingerprint> {
  for (let attempt = 1; ; attempt++) {
    const { mode } = fs.statSync(target);
    const content = fs.readFileSync(target);
    const { temp, stat } = await stage(dirname(target), content, mode);
    try {
      renameOver(temp, target, content.toString('utf8'));
      return fingerprintOf(stat);
    } catch (error) {
      discard(temp);
      if (!(error instanceof Outdated) || attempt === MAX_SAVES) throw error;
    }
  }
}

/** Returns a text that differs if a folder was removed and made again. */
function identityOf(folder: string): string {
  const { ino, birthtimeNs } = fs.statSync(folder, { bigint: true });
  return `${ino} ${birthtimeNs}`;
}

/** Creates the functions that sync folders' entries; without that, a power loss can remove a new file. */
function createFolderSync(root: string) {
  /** The folders whose own names are on the disk: their `identityOf`, by path. */
  const named = new Map<string, string>();
  const syncs = new Map<string, () => Promise<void>>();

  /** Syncs a folder, and the folders above that this process has not synced yet. Concurrent calls share a sync. */
  function sync(folder: string): Promise<void> {
    const shared = syncs.get(folder) ?? coalesced(() => syncWithNew(folder));
    syncs.set(folder, shared);
    // Entries are removed, as each article may have its own folder. A new call may then run beside waiting ones.
    return shared().finally(() => syncs.delete(folder));
  }

  async function syncWithNew(folder: string): Promise<void> {
    const unnamed = new Map<string, string>();
    for (let at = folder; at.startsWith(root); at = dirname(at)) {
      const identity = identityOf(at);
      if (named.get(at) !== identity) unnamed.set(at, identity);
    }
    await Promise.all([folder, ...[...unnamed.keys()].map((at) => dirname(at))].map(syncDirectory));
    for (const [at, identity] of unnamed) named.set(at, identity);
  }

  /** Syncs a folder and all folders above, up to the parent of the content folder. */
  async function syncAll(folder: string): Promise<void> {
    // Stop at the parent of the content folder or of a link's target: folders above are not ours, and may not be readable.
    const top = dirname(fs.realpathSync(root));
    for (let at = folder; ; at = dirname(at)) {
      await syncDirectory(at);
      if (!at.startsWith(`${top}${sep}`)) return;
    }
  }

  return { sync, syncAll };
}
