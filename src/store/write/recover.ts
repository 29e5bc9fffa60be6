import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, PressmarkError } from '../../errors.js';
import { discard, isLeftover } from '../../fs/atomic-write.js';
import { namesIn } from '../../fs/files-below.js';
import type { Lock } from '../../fs/lock.js';
import type { Log } from '../../log.js';
import { type Catalog, malformedFiles } from '../catalog/catalog.js';
import { type ContentFolder, isUnreadable } from '../catalog/content-folder.js';
import { scan } from '../catalog/scan.js';
import { loadSnapshot } from '../catalog/snapshot.js';

/** The folder in the state folder for files before they get their final name. */
export const STAGING = 'staging';

/** A temp file in the state folder that is older than this, in milliseconds, is no longer being written. */
const UNFINISHED_MS = 60_000;

/** What the start found and repaired. */
export interface RecoveryReport {
  /** The number of entries from the snapshot. */
  readonly fromSnapshot: number;
  /** The number of article files. */
  readonly files: number;
  /** The number of files that were read, as the snapshot did not have their present version. */
  readonly read: number;
  /** The number of removed temp files of dead processes. */
  readonly tempFilesSwept: number;
  /** Files that cannot be read, with the reason. */
  readonly malformed: readonly { readonly path: string; readonly reason: string }[];
}

export interface RecoveryOptions {
  readonly content: ContentFolder;
  readonly catalog: Catalog;
  readonly lock: Lock;
  readonly log: Log;
  readonly snapshotPath: string;
  readonly snapshotKey: string;
}

/**
 * Updates the catalog from the files, and removes leftovers of killed processes. Other receivers may use the same folder at the
 * same time.
 */
export async function recover({
  content,
  catalog,
  lock,
  log,
  snapshotPath,
  snapshotKey,
}: RecoveryOptions): Promise<RecoveryReport> {
  fs.mkdirSync(content.root, { recursive: true });
  const fromSnapshot = await loadSnapshot(snapshotPath, snapshotKey, catalog);
  const { files, changes, leftovers, unreadable } = await scan(content, catalog);
  for (const { folder, reason } of unreadable)
    log.warn({ folder, reason }, 'a folder below the content folder cannot be read; its files are skipped');
  const stateDir = dirname(snapshotPath);
  const ofState = [...leftoversIn(stateDir).filter(isOld), ...leftoversIn(join(stateDir, STAGING))];
  const tempFilesSwept = await lock
    .run(async () => sweep([...leftovers, ...ofState], log))
    .catch((error: unknown) => {
      // Busy receivers on this folder are no reason not to start: they have the lock one after the other.
      if (!(error instanceof PressmarkError && error.code === 'LOCK_TIMEOUT')) throw error;
      log.warn(
        { reason: error.message },
        'temp files of interrupted writes were not removed; the next start tries again',
      );
      return 0;
    });
  return { fromSnapshot, files, read: changes.length, tempFilesSwept, malformed: malformedFiles(catalog) };
}

function leftoversIn(folder: string): string[] {
  return namesIn(folder)
    .filter(isLeftover)
    .map((name) => join(folder, name));
}

/** Whether a temp file is a dead process's: another receiver writes its status files without the lock. */
function isOld(path: string): boolean {
  return Date.now() - (fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > UNFINISHED_MS;
}

/** Removes leftover temp files. The caller holds the lock, so that no other receiver is writing them. */
function sweep(leftovers: readonly string[], log: Log): number {
  let swept = 0;
  for (const path of leftovers) {
    if (!fs.existsSync(path)) continue;
    try {
      discard(path);
      swept++;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      log.warn(
        { path, reason: messageOf(error) },
        'a temp file of an interrupted write could not be removed; the next start tries again',
      );
    }
  }
  return swept;
}
