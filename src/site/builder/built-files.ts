import { hash } from 'node:crypto';
import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isGone, messageOf, type PressmarkError, systemCode } from '../../errors.js';
import { discard, isLeftover, tempPath } from '../../fs/atomic-write.js';
import type { SavedArticles } from '../index/articles.js';
import type { SiteOptions } from '../options.js';
import type { Planned } from '../outputs/planner.js';
import type { BuildReportKeeper, Failure } from './build-report.js';
import { pagesOfPressmark, refuseForeignOutput } from './ownership.js';
import { type BuiltFile, openBuildState, outputDigest, takeBuilderLock } from './state.js';

/** A built file with unknown content. */
const UNKNOWN: BuiltFile = { key: '', digest: '' };

/** The output folder and the state of its files; see `openBuiltFiles`. */
export type BuiltFiles = Omit<Awaited<ReturnType<typeof openBuiltFiles>>, 'saved'>;

/**
 * Opens the output folder, which only one process builds at a time. A file of the output is up to date if it was made with the
 * planned key; only this module decides that.
 *
 * @param isWanted whether the caller still wants the folder.
 * @throws PressmarkError CONFIG_INVALID, LOCK_TIMEOUT, LOCK_HELPER_MISSING
 */
export async function openBuiltFiles(
  { outputDir: root, stateDir, staticDir, themeDirs, log, lock: wanted }: SiteOptions,
  isWanted: () => boolean,
) {
  const lock = await takeBuilderLock(stateDir, log, isWanted, wanted?.longestMs);
  const state = openBuildState(stateDir, root, log);
  let saved: ReturnType<typeof state.load>;
  /** The built files. */
  const built = new Map<string, BuiltFile>();
  /** The last failure of each file, with the key that it was tried with. */
  const failed = new Map<string, Failure & { readonly key: string }>();
  /**
   * The folder for files before they are renamed, so that a copy of the output never has an incomplete page. If it is on
   * another file system, the output folder itself is used.
   */
  let staging = join(stateDir, 'build');
  try {
    const templatesDir = themeDirs.at(-1)?.dir;
    refuseForeignOutput({ outputDir: root, stateDir, staticDir, templatesDir }, basename(root));
    await state.begin();
    saved = state.load();
    for (const path of state.added()) built.set(path, UNKNOWN);
    for (const path of saved === undefined ? pagesOfPressmark(root) : []) built.set(path, UNKNOWN);
    for (const [path, file] of saved?.files ?? []) built.set(path, file);
    for (const folder of [staging, root]) sweep(folder);
  } catch (error) {
    fs.closeSync(lock);
    throw error;
  }

  /**
   * Makes a file whose key has changed. If that fails, the old file stays; if a filter fails, the file is made without it. Both
   * are tried again with another key, or after `forgetFailures`.
   *
   * @param isChecked whether a file with the same key is made again if it is missing on the disk.
   */
  async function make(
    { path, key, render }: Planned,
    report: BuildReportKeeper,
    isChecked: boolean,
  ): Promise<void> {
    if (built.get(path)?.key === key && (!isChecked || fs.existsSync(join(root, path)))) return;
    const before = failed.get(path);
    if (before?.key === key) return report.failed(path, before);
    const failures: PressmarkError[] = [];
    try {
      const made = await render((failure) => failures.push(failure));
      if (made === undefined) return report.stale();
      const bytes = typeof made === 'string' ? Buffer.from(made) : made;
      await state.recordChange(path, !built.has(path));
      const isWritten = write(path, bytes);
      const isWhole = failures.length === 0;
      built.set(path, { key: isWhole ? key : '', digest: hash('sha1', bytes, 'base64url') });
      report.made(path, bytes.length, isWritten);
      if (isWhole) failed.delete(path);
      else fail({ key, isMade: true, reasons: failures.map(messageOf) });
    } catch (error) {
      fail({ key, isMade: false, reasons: [messageOf(error)] });
    }

    function fail(failure: Failure & { readonly key: string }): void {
      failed.set(path, failure);
      report.failed(path, failure);
    }
  }

  /** Writes a file atomically. @returns whether its content has changed. */
  function write(file: string, content: Uint8Array): boolean {
    const path = join(root, file);
    if (isSame(path, content)) return false;
    fs.mkdirSync(staging, { recursive: true });
    const temp = tempPath(staging);
    try {
      fs.writeFileSync(temp, content, { flag: 'wx' });
      fs.mkdirSync(dirname(path), { recursive: true });
      fs.renameSync(temp, path);
      return true;
    } catch (error) {
      discard(temp);
      if (systemCode(error) !== 'EXDEV' || staging === root) throw error;
      staging = root;
      return write(file, content);
    }
  }

  /** Removes the files that are not wanted any more. */
  async function remove(isUnwanted: (path: string) => boolean, report: BuildReportKeeper): Promise<void> {
    for (const path of [...built.keys()].filter(isUnwanted)) await removeFile(path, report);
    for (const path of [...failed.keys()].filter(isUnwanted)) failed.delete(path);
  }

  /** Removes a file, and its folders if they are empty then. */
  async function removeFile(path: string, report: BuildReportKeeper): Promise<void> {
    try {
      await state.recordChange(path, false);
      if (unlink(join(root, path))) report.removed(path);
      pruneFolders(dirname(path));
      built.delete(path);
    } catch (error) {
      report.failed(path, { isMade: false, reasons: [messageOf(error)] });
    }
  }

  function pruneFolders(folder: string): void {
    if (folder === '.') return;
    try {
      fs.rmdirSync(join(root, folder));
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(systemCode(error) ?? ''))
        log.warn({ folder, reason: messageOf(error) }, 'an empty folder could not be removed');
      return;
    }
    pruneFolders(dirname(folder));
  }

  return {
    /** The articles of the saved state; undefined if unknown. */
    saved,
    make,
    remove,
    /** Lets `make` try failed files again. */
    forgetFailures: () => failed.clear(),
    /** Lets `make` make these files again, by default all files. */
    forgetKeys: (paths: Iterable<string> = built.keys()) => {
      for (const path of paths) {
        failed.delete(path);
        const file = built.get(path);
        if (file !== undefined) built.set(path, { ...file, key: '' });
      }
    },
    /** See `Sources.builtAt`. */
    filesAt: (place: string) => [...built.keys()].filter((path) => path.startsWith(place)),
    /** Returns the digest of a file's content; undefined if the file was not built. */
    digestOf: (path: string) => built.get(path)?.digest,
    /** See `SiteReport.output`. */
    digest: () => outputDigest(built),
    /** Saves the state. @param isCurrent whether no build is running. */
    save: (articles: () => SavedArticles, isCurrent: () => boolean) =>
      state.save(() => ({ ...articles(), files: [...built] }), isCurrent),
    /** Releases the lock. */
    close: () => fs.closeSync(lock),
  };
}

/** Whether a file has this content. */
function isSame(path: string, content: Uint8Array): boolean {
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size === content.length && fs.readFileSync(path).equals(content);
}

/** Removes a file. @returns whether it existed; a folder, which a killed build may have made in its place, stays. */
function unlink(path: string): boolean {
  try {
    fs.unlinkSync(path);
    return true;
  } catch (error) {
    if (isGone(error) || fs.statSync(path).isDirectory()) return false;
    throw error;
  }
}

/** Removes temp files of a killed build. No other process builds this output at the same time. */
function sweep(folder: string): void {
  if (!fs.existsSync(folder)) return;
  for (const name of fs.readdirSync(folder)) if (isLeftover(name)) discard(join(folder, name));
}
