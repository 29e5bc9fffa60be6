import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf, PressmarkError } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';
import { takeKernelLock } from '../../fs/lock.js';
import { findLockHelper } from '../../fs/lock-helper.js';
import { readOrEmpty } from '../../fs/read-text.js';
import { syncFiles } from '../../fs/sync-files.js';
import type { Log } from '../../log.js';
import type { SavedArticles } from '../index/articles.js';

/** What was built last: everything in it is on the disk. */
export interface SavedSite extends SavedArticles {
  /** The files of the output, by their paths. */
  readonly files: readonly (readonly [path: string, built: BuiltFile])[];
}

/** A file of the output as it was built. */
export interface BuiltFile {
  /** See `Planned.key`; empty if the file must be made again. */
  readonly key: string;
  /** Changes with the file's content. */
  readonly digest: string;
}

/** How long the files of a build may take to reach the disk before the state is saved, in milliseconds. */
const LONGEST_SYNC_MS = 60_000;

/** How long the lock is waited for at a time, in milliseconds. */
const TURN_MS = 5_000;

/** The file that says what was built, below the state folder. */
const STATE = 'site.json';

/** The digest of the output that `STATE` knows: for readers who need no more, as that file may be long. */
const DIGEST = 'site.digest';

/** The file that is there while the output has changes that `STATE` does not know of; it names the files that were added. */
const BUILDING = 'site.building';

/**
 * Waits until no other process builds the site: the kernel gives the lock to one at a time, and takes it back
 * when that one ends or is killed. All other receivers on the folder store and commit.
 *
 * @param isWanted whether the lock is still wanted.
 * @param longestMs how long the lock is waited for. @default as long as it is wanted
 * @returns the descriptor that holds the lock until it is closed.
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
          'another process builds this site, such as a running receiver; stop it, or let it build',
          { cause: error },
        );
      if (isFirst) log.info('another process builds this site; this one will when that process ends');
    }
  }
}

/**
 * What was built last, between two runs. The output can always be built again: after an unclean stop, while `BUILDING` is
 * there, all files are made again, and those that differ are written.
 */
export function openBuildState(stateDir: string, outputDir: string, log: Log) {
  const path = join(stateDir, STATE);
  const marker = join(stateDir, BUILDING);
  let isMarked = false;
  let saving = Promise.resolve();
  /** The files that may have changed since the state was saved. */
  let unsaved = new Set<string>();

  /** What was built last; undefined if nothing is known of it: a state that is torn, or in another form, is as good as none. */
  function load(): SavedSite | undefined {
    try {
      const state: SavedSite = JSON.parse(fs.readFileSync(path, 'utf8'));
      if (!fs.existsSync(marker)) return state;
      log.info('the last build did not end; all pages are built again');
      return { ...state, files: state.files.map(([file, built]) => [file, { ...built, key: '' }]) };
    } catch {
      return undefined;
    }
  }

  /** The files that were added to the output since the state was saved, where the last build did not end. */
  function added(): readonly string[] {
    try {
      const lines = fs.readFileSync(marker, 'utf8').split('\n').slice(0, -1);
      return lines.map((line): string => JSON.parse(line));
    } catch {
      return []; // there is none, or a power loss has torn it
    }
  }

  /**
   * Says, before a file is written or removed, that it is. A page whose removal is not on the disk would come back with a power
   * loss, and one that was added before a kill would stay when its article has gone.
   */
  async function begin(file: string, isNew: boolean): Promise<void> {
    unsaved.add(join(outputDir, file));
    if (!isMarked && !fs.existsSync(marker)) await writeAtomically(marker, '');
    isMarked = true;
    if (isNew) fs.appendFileSync(marker, `${JSON.stringify(file)}\n`);
  }

  /** Saves what was built, once it is on the disk. One at a time: a second one would take what the first still syncs for saved. */
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
        'what was built could not be saved; the next start builds again',
      );
    }
    if (isMarked) for (const file of files) unsaved.add(file);
  }

  return { load, added, begin, save };
}

/** Whether a builder has built a site before, or has begun to. */
export function hasBuilt(stateDir: string): boolean {
  return fs.existsSync(join(stateDir, STATE)) || fs.existsSync(join(stateDir, BUILDING));
}

/** A digest of the output as the last build left it; empty if it is not known what is there, as after an unclean stop. */
export function savedOutputDigest(stateDir: string): string {
  return fs.existsSync(join(stateDir, BUILDING)) ? '' : readOrEmpty(join(stateDir, DIGEST));
}

/** A digest of files and their contents; their order does not matter. */
export function outputDigest(files: Iterable<readonly [path: string, built: BuiltFile]>): string {
  const lines = [...files].map(([path, { digest }]) => `${path} ${digest}\n`).sort();
  return hash('sha1', lines.join(''), 'base64url');
}
