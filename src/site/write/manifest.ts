import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { SourceEntry } from '../index/site-index.js';
import { endOf, openLineFile } from './line-file.js';

/** A file in the output folder that Pressmark wrote. */
export interface WrittenFile {
  readonly size: number;
  readonly mtimeMs: number;
  /** CRC-32 of its bytes: tells what was written from what a power loss has left, and from what an owner has put there. */
  readonly crc: number;
  /** For a compressed variant: the checksum of the file that it was made of. */
  readonly source?: number;
}

/** What has been added to the manifest since it was last read. */
export interface ManifestDelta {
  /** Articles as they were when their pages were built; undefined for one that was gone. */
  readonly articles: ReadonlyMap<string, SourceEntry | undefined>;
  /** Files that have been written or removed. */
  readonly files: ReadonlySet<string>;
  /** Files that may not be as they should: written in a build that has not come to its end, or failed in one. */
  readonly stale: readonly string[];
  /** Whether the manifest was read from its beginning: what it does not name is not there. */
  readonly isWhole: boolean;
}

/** The end of a build. */
export interface Commit {
  /** What all pages were made with: templates, site, version. */
  readonly key: string;
  /** How the articles were read. */
  readonly reading: string;
  readonly articles: ReadonlyMap<string, SourceEntry | undefined>;
  readonly stale: readonly string[];
  /** All articles and other entries of the index, for a manifest that is written anew. */
  everything(): Iterable<SourceEntry>;
}

/** What stands in the output folder, and which state of the articles it shows; see `openManifest`. */
export type Manifest = ReturnType<typeof openManifest>;

const VERSION = 11;

type Line =
  | { readonly file: string; readonly is: WrittenFile | null }
  | { readonly article: SourceEntry }
  | { readonly removed: string }
  /** Files that are about to be written or removed. */
  | { readonly announced: readonly string[] }
  /** All files that the lines before this one name are on the disk, but for these. */
  | { readonly unsynced: readonly string[] }
  | { readonly committed: string; readonly reading: string; readonly stale: readonly string[] };

const NONE: readonly WrittenFile[] = [];

/** The last line of a manifest whose files are all on the disk. */
const ALL_SYNCED = `${JSON.stringify({ unsynced: [] } satisfies Line)}\n`;

/** Where the manifest of a site is kept. */
export function manifestPath({ stateDir }: { readonly stateDir: string }): string {
  return join(stateDir, 'site-manifest.ndjson');
}

/** Whether all files of the output are known to be on the disk, or none was ever written; reads the end of a file. */
export function isOutputSynced(folders: { readonly stateDir: string }): boolean {
  return endsSynced(manifestPath(folders)) ?? true;
}

/** Whether the last line of a manifest says that all files are on the disk; undefined where there is no manifest. */
function endsSynced(path: string): boolean | undefined {
  const end = endOf(path, ALL_SYNCED.length + 1);
  return end === undefined ? undefined : end === `\n${ALL_SYNCED}`;
}

/**
 * What stands in the output folder and which state of the articles it shows: an append-only file of one JSON line
 * per fact, the last one on a subject holding. A build names its files before it writes them, and the articles when all
 * is done; so where one was killed, the next one finds the articles changed still and the files under suspicion.
 *
 * The files themselves are not synced one by one. Their names are on the disk before they are written, and some time
 * later a line says that the files are, too: whatever a power loss has damaged is one of those named since that line.
 * Derived: without the manifest everything is built again and nothing is deleted.
 *
 * @param path where the manifest is kept.
 * @param outputDir the folder it speaks of; a manifest of another one counts as lost.
 */
export function openManifest(path: string, outputDir: string) {
  const subject = { pressmark: VERSION, output: relative(dirname(path), outputDir) };
  const lines = openLineFile<Line>(path, subject, () => {
    const ofFiles = fileLines(files.keys());
    return files.size === 0 ? ofFiles : [...ofFiles, { unsynced: [...unsynced.keys()] }];
  });
  const files = new Map<string, WrittenFile>();
  /** Files written since the last commit, or stale then, and what they may hold that was written before. */
  let uncommitted = new Map<string, readonly WrittenFile[]>();
  /**
   * Files named since the last time that all were known to be on the disk, each with the value of `sequence` then; a power
   * loss may have damaged them.
   */
  const unsynced = new Map<string, number>();
  /** Files that were announced, and not written since. */
  const announced = new Set<string>();
  /** How many times a file has been named. */
  let sequence = 0;
  let isSynced = true;
  /** Whether a line since the last `unsynced` could not be read: it may have been of any file that was announced. */
  let isTorn = false;
  let key = '';
  let reading = '';

  /** Reads what has been added since, also by another process on the same folder. */
  function refresh(): ManifestDelta {
    const delta = { articles: new Map<string, SourceEntry | undefined>(), files: new Set<string>() };
    const added = lines.readNew();
    if (added.isWhole) {
      [key, reading, uncommitted, isTorn] = ['', '', new Map(), false];
      files.clear();
      unsynced.clear();
      announced.clear();
      isSynced = !fs.existsSync(path);
    }
    // Where all that it names is on the disk, the names need not be gathered: a large manifest has each of them twice.
    const isOnDisk = added.isWhole && endsSynced(path) === true;
    for (const line of added.lines) apply(line, isOnDisk, delta);
    return { ...delta, stale: [...uncommitted.keys()], isWhole: added.isWhole };
  }

  /** @param isOnDisk whether the files are known to be on the disk by a later line. */
  function apply(
    line: Line | undefined,
    isOnDisk: boolean,
    delta: { articles: Map<string, SourceEntry | undefined>; files: Set<string> },
  ): void {
    isSynced = false;
    if (line === undefined) {
      isTorn = true; // by a kill, which is the last line then, or by a power loss
    } else if ('file' in line) {
      delta.files.add(line.file);
      noteWritten(line.file, line.is ?? undefined);
      if (!isOnDisk) {
        addUnsynced(line.file);
        announced.delete(line.file);
      }
    } else if ('announced' in line) {
      if (!isOnDisk) noteAnnounced(line.announced);
    } else if ('unsynced' in line) {
      noteSynced(line.unsynced);
    } else if ('article' in line) {
      delta.articles.set(line.article.path, line.article);
    } else if ('removed' in line) {
      delta.articles.set(line.removed, undefined);
    } else if ('committed' in line) {
      key = line.committed;
      reading = line.reading;
      noteCommitted(line.stale);
    }
  }

  // What the lines mean, whether they are read or written.

  function noteWritten(file: string, is: WrittenFile | undefined): void {
    const former = formerOf(file);
    const known = files.get(file);
    const isNew = known !== undefined && former.every(({ crc }) => crc !== known.crc);
    uncommitted.set(file, isNew ? [...former, known] : former);
    if (is === undefined) files.delete(file);
    else files.set(file, is);
  }

  function noteAnnounced(names: readonly string[]): void {
    for (const file of names) {
      addUnsynced(file);
      announced.add(file);
    }
  }

  function addUnsynced(file: string): void {
    unsynced.set(file, ++sequence);
  }

  function noteSynced(but: readonly string[]): void {
    unsynced.clear();
    announced.clear();
    for (const file of but) addUnsynced(file);
    isTorn = false;
    isSynced = but.length === 0;
  }

  /** At the end of a build its files hold what was written, but for those that are stale. */
  function noteCommitted(stale: readonly string[]): void {
    uncommitted = new Map(stale.map((file) => [file, formerOf(file)]));
    forgetAnnounced();
  }

  /** What a build has announced and not written is as it was, or not there. */
  function forgetAnnounced(): void {
    if (isTorn) return;
    for (const file of announced) unsynced.delete(file);
    announced.clear();
  }

  function append(added: readonly Line[]): void {
    lines.append(added);
    isSynced = false;
  }

  /**
   * What the file may hold besides what `files` says: where a build was killed, or could not replace the file, it holds
   * what was written before.
   */
  function formerOf(file: string): readonly WrittenFile[] {
    return uncommitted.get(file) ?? NONE;
  }

  /**
   * Names files that are about to be written or removed. Resolves when their names are on the disk.
   *
   * @param names none where another's file stands: after a power loss they count as Pressmark's.
   */
  async function announce(names: readonly string[]): Promise<void> {
    const added = names.filter((file) => !unsynced.has(file));
    if (added.length === 0) return;
    append([{ announced: added }]);
    noteAnnounced(added);
    await lines.sync();
  }

  /** Names one file in the same way, at once; costs nothing where it has been named since the last sync. */
  function announceSync(file: string): void {
    if (unsynced.has(file)) return;
    append([{ announced: [file] }]);
    noteAnnounced([file]);
    lines.syncSync();
  }

  /** Notes that the files are on the disk as they were when `sequence` had this value. No build may be under way. */
  async function markSynced(upTo: number): Promise<void> {
    const but = [...unsynced].flatMap(([file, named]) => (named > upTo ? [file] : []));
    // The lines before this one first, which it says to be true.
    await lines.sync();
    append([{ unsynced: but }]);
    noteSynced(but);
  }

  function setFile(file: string, is: WrittenFile | undefined): void {
    append([{ file, is: is ?? null }]);
    noteWritten(file, is);
    addUnsynced(file);
    announced.delete(file);
  }

  /** Ends a build. */
  function commit({ key: nextKey, reading: nextReading, articles, stale, everything }: Commit): void {
    if (key === nextKey && articles.size + stale.length + uncommitted.size + announced.size === 0) return;
    const end: Line = { committed: nextKey, reading: nextReading, stale };
    // There is a page to nearly every article, so that the files tell how much of the manifest is out of date.
    if (lines.count() + articles.size + 1 > 1_000 + 6 * files.size) {
      forgetAnnounced();
      const ofArticles = [...everything()].map((article): Line => ({ article }));
      lines.rewrite([...fileLines(stale), { unsynced: [...unsynced.keys()] }, ...ofArticles, end]);
      isSynced = false;
    } else {
      const changes = [...articles].map(
        ([removed, article]): Line => (article === undefined ? { removed } : { article }),
      );
      append([...changes, end]);
    }
    [key, reading] = [nextKey, nextReading];
    noteCommitted(stale);
  }

  /** What is known of all files, and of the uncertain ones also what they may hold besides. */
  function fileLines(uncertain: Iterable<string>): Line[] {
    const withFormer = new Set(uncertain);
    return [...files].flatMap(([file, is]) =>
      [...(withFormer.has(file) ? formerOf(file) : NONE), is].map((is): Line => ({ file, is })),
    );
  }

  return {
    files: files as ReadonlyMap<string, WrittenFile>,
    unsynced: unsynced as ReadonlyMap<string, number>,
    /** Whether the last line says that all files are on the disk; true also where there is no manifest. */
    get isSynced() {
      return isSynced;
    },
    get sequence() {
      return sequence;
    },
    /** The key of the last build that came to its end; empty where none has. */
    get key() {
      return key;
    },
    /** How that one has read the articles. */
    get reading() {
      return reading;
    },
    refresh,
    formerOf,
    announce,
    announceSync,
    markSynced,
    setFile,
    commit,
    /** Closes its file until it is needed again. */
    close: lines.close,
  };
}
