import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../errors.js';
import { discard, isLeftover, isUndoOf, syncDirectory, undoMark } from '../../fs/atomic-write.js';
import type { Lock } from '../../fs/lock.js';
import type { Log } from '../../log.js';
import { type Catalog, malformedFiles } from '../catalog/catalog.js';
import { type ContentFolder, isUnreadable, readOrEmpty } from '../catalog/entry.js';
import { scan } from '../catalog/scan.js';
import { loadSnapshot } from '../catalog/snapshot.js';
import { shortDigest } from './placing.js';

/** The folder below the state folder in which files are written before they get their name. */
export const STAGING = 'staging';

/** What a start found and fixed, each step by its name. */
export interface RecoveryReport {
  /** Entries taken from the snapshot. */
  readonly fromSnapshot: number;
  /** Article files there are. */
  readonly files: number;
  /** Files that were read because the snapshot did not have them as they are. */
  readonly read: number;
  /** Temp files of a process that died, removed. */
  readonly tempFilesSwept: number;
  /** Updates that were cut off, ended one way or the other. */
  readonly updatesSettled: number;
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
 * Brings the catalog up to date with the files and sweeps what a killed process left behind. Other receivers
 * on the same directory may be at work meanwhile.
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
  const { files, changes, leftovers } = await scan(content, catalog);
  const stateDir = dirname(snapshotPath);
  const ofState = [stateDir, join(stateDir, STAGING)].flatMap(leftoversIn);
  const swept = await sweep([...leftovers, ...ofState], lock, log);
  // A person's version has been put back after the file was read.
  const again = swept.updatesSettled === 0 ? [] : (await scan(content, catalog)).changes;
  return {
    fromSnapshot,
    files,
    read: changes.length + again.length,
    ...swept,
    malformed: malformedFiles(catalog),
  };
}

function leftoversIn(folder: string): string[] {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .filter(isLeftover)
    .map((name) => join(folder, name));
}

/** Under the lock nobody else's write is under way, so what was seen before and is still there is debris. */
async function sweep(
  leftovers: readonly string[],
  lock: Lock,
  log: Log,
): Promise<{ tempFilesSwept: number; updatesSettled: number }> {
  await lock.enter();
  try {
    let tempFilesSwept = 0;
    let updatesSettled = 0;
    for (const path of leftovers) {
      if (!fs.existsSync(path)) continue;
      try {
        if (path.endsWith('.undo')) {
          await settleUndo(path);
          updatesSettled++;
        } else {
          discard(path);
          tempFilesSwept++;
        }
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        log.warn(
          { path, reason: messageOf(error) },
          'what an interrupted write has left could not be removed; the next start tries again',
        );
      }
    }
    return { tempFilesSwept, updatesSettled };
  } finally {
    lock.leave();
  }
}

/**
 * An undo link is the file that an update was about to replace or had just replaced. Untouched, it is not
 * needed any more. Where a person saved into it at the same moment, theirs is the version that stays.
 */
async function settleUndo(path: string): Promise<void> {
  const text = fs.readFileSync(path, 'utf8');
  if (shortDigest(text) === undoMark(path)) {
    discard(path);
    return;
  }
  // Nobody carries its id any more: a person's words get a name of their own rather than be lost.
  const target = findTarget(path, text) ?? path.replace(/\/\.pressmark-(\w+)-\w+\.undo$/, '/recovered-$1.md');
  if (fs.existsSync(target) && sameFile(path, target)) discard(path);
  else fs.renameSync(path, target);
  await syncDirectory(dirname(path));
}

/** The article file beside an undo link that is the same file, has the name of it, or carries the same id. */
function findTarget(undo: string, text: string): string | undefined {
  const folder = dirname(undo);
  const paths = fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((item) => item.isFile() && !item.name.startsWith('.'))
    .map(({ name }) => join(folder, name));
  const id = idLine(text);
  return (
    paths.find((path) => sameFile(undo, path)) ??
    paths.find((path) => isUndoOf(undo, path)) ??
    // A person has given the article another name meanwhile.
    (id === undefined ? undefined : paths.find((path) => idLine(readOrEmpty(path)) === id))
  );
}

/** The line of a file's front matter that has its id; the body may show another file's. */
function idLine(text: string): string | undefined {
  const [, , head = ''] = /^\ufeff?(---|\+\+\+)[^\n]*\n(.*?\n)\1/s.exec(text) ?? [];
  const json = head === '' ? /^\ufeff?\{.*?\n\}/s.exec(text)?.[0] : undefined;
  return /^[ \t]*"?id"?[ \t]*[:=].*$/m.exec(json ?? head)?.[0].trim();
}

function sameFile(a: string, b: string): boolean {
  return fs.statSync(a).ino === fs.statSync(b, { throwIfNoEntry: false })?.ino;
}
