import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join, relative } from 'node:path';
import { messageOf, PressmarkError } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';
import { takeKernelLock } from '../../fs/lock.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import { readOrEmpty } from '../../fs/read-text.js';
import { syncFiles } from '../../fs/sync-files.js';
import type { Log } from '../../log.js';
import type { SavedArticles } from '../index/articles.js';

/** The saved state of the site; all its files are on the disk. */
export interface SavedSite extends SavedArticles {
  /** The files of the output, by path. */
  readonly files: readonly (readonly [path: string, built: BuiltFile])[];
}

/** A built file of the output. */
export interface BuiltFile {
  /** See `Planned.key`; empty if the file must be made again. */
  readonly key: string;
  /** A digest of the file's content. */
  readonly digest: string;
}

/** How long the files of a build may take to reach the disk before the state is saved, in milliseconds. */
const LONGEST_SYNC_MS = 60_000;

/** How long one attempt waits for the lock, in milliseconds. */
const TURN_MS = 5_000;

/** The file of the saved state, in the state folder. */
const STATE = 'site.json';

/** The file with the digest of the output in `STATE`, for readers who do not need that long file. */
const DIGEST = 'site.digest';

/** The file with the path of the output folder that `STATE` is about, relative to the state folder. */
const OUTPUT = 'site.output';

/** The file that exists while the output has changes that are not in `STATE`; it lists the added files. */
const BUILDING = 'site.building';

/**
 * Waits until no other process builds the site, and takes the builder's lock, which the kernel frees when the process ends or
 * is killed. Other receivers on the same folder still store and commit.
 *
 * @param isWanted whether the lock is still wanted.
 * @param longestMs how long to wait for the lock, in milliseconds. @default as long as it is wanted
 * @returns the file descriptor, which holds the lock until it is closed.
 * @throws PressmarkError LOCK_TIMEOUT, LOCK_HELPER_MISSING
 */
export async function takeBuilderLock(
  stateDir: string,
  log: Log,
  isWanted: () => boolean,
  longestMs = Number.POSITIVE_INFINITY,
): Promise<number> {
  const helper = findLockHelper();
  fs.mkdirSync(stateDir, { recursive: true });
  const end = performance.now() + longestMs;
  for (let isFirst = true; ; isFirst = false) {
    const left = Math.min(TURN_MS, Math.max(0, end - performance.now()));
    try {
      return await takeKernelLock(join(stateDir, 'builder.lock'), helper, left);
    } catch (error) {
      if (!(error instanceof PressmarkError) || error.code !== 'LOCK_TIMEOUT') throw error;
      if (!isWanted() || performance.now() >= end)
        throw new PressmarkError(
          'LOCK_TIMEOUT',
          'another process, such as a running receiver, builds this site; stop that process, or let it build',
          { cause: error },
        );
      if (isFirst) log.info('another process builds this site; this one takes over when that process ends');
    }
  }
}

/**
 * Opens the saved state of builds. After an unclean stop, `BUILDING` exists; then all files are made again, and changed ones
 * are written.
 */
export function openBuildState(stateDir: string, outputDir: string, log: Log) {
  const path = join(stateDir, STATE);
  const marker = join(stateDir, BUILDING);
  let isMarked = false;
  let saving = Promise.resolve();
  /** The files that may have changed since the state was saved. */
  let unsaved = new Set<string>();

  /** Forgets the builds in another output folder, whose keys say nothing about the files in this one. */
  async function begin(): Promise<void> {
    if (hasBuilt(stateDir, outputDir)) return;
    for (const file of [path, marker, join(stateDir, DIGEST)]) fs.rmSync(file, { force: true });
    await writeAtomically(join(stateDir, OUTPUT), relative(stateDir, outputDir));
  }

  /** Reads the saved state; undefined if there is none, or if it is damaged. */
  function load(): SavedSite | undefined {
    try {
      const state: SavedSite = JSON.parse(fs.readFileSync(path, 'utf8'));
      if (!fs.existsSync(marker)) return state;
      log.info('the last build was interrupted; all pages are built again');
      return { ...state, files: state.files.map(([file, built]) => [file, { ...built, key: '' }]) };
    } catch {
      return undefined;
    }
  }

  /** Lists the files that were added to the output after the last save, if the last run did not end cleanly. */
  function added(): readonly string[] {
    try {
      const lines = fs.readFileSync(marker, 'utf8').split('\n').slice(0, -1);
      return lines.map((line): string => JSON.parse(line));
    } catch {
      return []; // no such file, or torn by a power loss
    }
  }

  /**
   * Records that a file is about to be written or removed. Otherwise a removed page could come back after a power loss, and a
   * page that was added before a kill could stay after its article is gone.
   */
  async function recordChange(file: string, isNew: boolean): Promise<void> {
    unsaved.add(join(outputDir, file));
    if (!isMarked && !fs.existsSync(marker)) await writeAtomically(marker, '');
    isMarked = true;
    if (isNew) fs.appendFileSync(marker, `${JSON.stringify(file)}\n`);
  }

  /**
   * Saves the state after all files are on the disk. Saves run one at a time: a second one would miss the files that the first
   * is still syncing.
   */
  function save(state: () => SavedSite, isCurrent: () => boolean): Promise<void> {
    saving = saving.then(() => saveNow(state, isCurrent));
    return saving;
  }

  async function saveNow(state: () => SavedSite, isCurrent: () => boolean): Promise<void> {
    if (!isMarked) return;
    const files = unsaved;
    unsaved = new Set();
    const isUnchanged = () => unsaved.size === 0 && isCurrent();
    const current = state();
    try {
      if (!(await syncFiles(outputDir, [...files], LONGEST_SYNC_MS))) throw new Error('the disk is too slow');
      if (isUnchanged()) await writeAtomically(path, JSON.stringify(current));
      if (isUnchanged()) await writeAtomically(join(stateDir, DIGEST), outputDigest(current.files));
      if (isUnchanged()) {
        fs.rmSync(marker, { force: true });
        isMarked = false;
      }
    } catch (error) {
      log.warn(
        { reason: messageOf(error) },
        'the state of the build could not be saved; the next start builds all pages again',
      );
    }
    if (isMarked) for (const file of files) unsaved.add(file);
  }

  return { begin, load, added, recordChange, save };
}

/** Whether a builder has begun or finished a build in this output folder before, and in no other one since. */
export function hasBuilt(stateDir: string, outputDir: string): boolean {
  return readOrEmpty(join(stateDir, OUTPUT)) === relative(stateDir, outputDir);
}

/** Returns the digest of the saved output; empty if unknown, as after an unclean stop or for an output folder not yet built. */
export function savedOutputDigest(stateDir: string, outputDir: string): string {
  const isSaved = hasBuilt(stateDir, outputDir) && !fs.existsSync(join(stateDir, BUILDING));
  return isSaved ? readOrEmpty(join(stateDir, DIGEST)) : '';
}

/** Computes a digest of files and their contents, which does not depend on their order. */
export function outputDigest(files: Iterable<readonly [path: string, built: BuiltFile]>): string {
  const lines = [...files].map(([path, { digest }]) => `${path} ${digest}\n`).sort();
  return hash('sha1', lines.join(''), 'base64url');
}
