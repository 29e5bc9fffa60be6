import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../errors.js';
import { writeAtomically } from '../../fs/atomic-write.js';
import { syncFiles } from '../../fs/sync-files.js';
import type { Log } from '../../log.js';
import { isGone } from '../../store/catalog/entry.js';
import type { SavedArticles } from '../index/articles.js';

/** What was built last: everything in it is on the disk. */
export interface BuildState extends SavedArticles {
  /** What article files are read by; see `parseKeyOf`. With another one all files are read again. */
  readonly parseKey: string;
  /** The files of the output, by their paths. */
  readonly files: readonly (readonly [path: string, built: BuiltFile])[];
}

/** A file of the output as it was built. */
export interface BuiltFile {
  /** See `Planned.key`; empty where the file must be made again. */
  readonly key: string;
  /** Changes with the file's content. */
  readonly digest: string;
}

/** How long the files of a build may take to reach the disk before the state is saved, in milliseconds. */
const LONGEST_SYNC_MS = 60_000;

/** The file that says what was built, below the state folder. */
const STATE = 'site.json';

/** The file that is there while the output has changes that `STATE` does not know of; it names the files that were added. */
const BUILDING = 'site.building';

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

  /** What was built last; undefined where nothing is known of it. */
  function load(): BuildState | undefined {
    let state: BuildState | undefined;
    try {
      state = JSON.parse(fs.readFileSync(path, 'utf8')) as BuildState;
    } catch (error) {
      // A state in another form, or a torn one, is as good as none.
      if (!isGone(error)) log.debug({ reason: messageOf(error) }, 'what was built last could not be read');
      return undefined;
    }
    if (!fs.existsSync(marker)) return state;
    log.info('the last build did not end; all pages are built again');
    const files = state.files.map(([file, built]) => [file, { ...built, key: '' }] as const);
    return { ...state, files };
  }

  /** The files that were added to the output since the state was saved, where the last build did not end. */
  function added(): readonly string[] {
    try {
      const lines = fs.readFileSync(marker, 'utf8').split('\n').slice(0, -1);
      return lines.map((line): string => JSON.parse(line));
    } catch (error) {
      if (!isGone(error))
        log.debug({ reason: messageOf(error) }, 'the files of the last build could not be read');
      return [];
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
  function save(state: () => BuildState, isCurrent: () => boolean): Promise<void> {
    saving = saving.then(() => saveNow(state, isCurrent));
    return saving;
  }

  async function saveNow(state: () => BuildState, isCurrent: () => boolean): Promise<void> {
    if (!isMarked) return;
    const files = unsaved;
    unsaved = new Set();
    const isUnchanged = () => unsaved.size === 0 && isCurrent();
    const saved = state();
    try {
      if (!(await syncFiles(outputDir, [...files], LONGEST_SYNC_MS))) throw new Error('the disk is too slow');
      if (isUnchanged()) await writeAtomically(path, JSON.stringify(saved));
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

/**
 * A digest of the output as the last saved build left it.
 *
 * @returns undefined where nothing was built, or nothing is known of it.
 */
export function savedOutputDigest(stateDir: string): string | undefined {
  try {
    const state = JSON.parse(fs.readFileSync(join(stateDir, STATE), 'utf8')) as BuildState;
    return outputDigest(state.files);
  } catch {
    return undefined;
  }
}

/** A digest of files and their contents, in whatever order. */
export function outputDigest(files: Iterable<readonly [path: string, built: BuiltFile]>): string {
  const lines = [...files].map(([path, { digest }]) => `${path} ${digest}\n`).sort();
  return hash('sha1', lines.join(''), 'base64url');
}
