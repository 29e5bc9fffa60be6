import { hash } from 'node:crypto';
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

/** What the manifest notes at the end of a build. */
export interface BuildEnd {
  /** What all pages were made with: templates, site, version. */
  readonly key: string;
  /** Whether all files are of this key, but for those that are stale. */
  readonly isComplete: boolean;
  /** Of how files of articles were parsed. */
  readonly parseKey: string;
  readonly articles: ReadonlyMap<string, SourceEntry | undefined>;
  readonly stale: readonly string[];
  /** All articles and other entries of the index, for a manifest that is written anew. */
  everything(): Iterable<SourceEntry>;
}

/** What stands in the output folder, and which state of the articles it shows; see `openManifest`. */
export type Manifest = ReturnType<typeof openManifest>;

const VERSION = 12;

type Line =
  | { readonly file: string; readonly is: WrittenFile | null }
  /** A file that somebody else has put in the place of one of Pressmark's. */
  | { readonly foreign: string }
  | { readonly article: SourceEntry }
  | { readonly removed: string }
  /** Files that are about to be written or removed. */
  | { readonly announced: readonly string[] }
  /** All files that the lines before this one name are on the disk, but for these. */
  | { readonly unsynced: readonly string[] }
  | EndLine;

/** The end of a build; see `BuildEnd`. */
interface EndLine {
  readonly committed: string;
  readonly parseKey: string;
  readonly stale: readonly string[];
  readonly isIncomplete?: true;
}

const NO_BUILD: EndLine = { committed: '', parseKey: '', stale: [] };

const NONE: readonly WrittenFile[] = [];

/** The last line of a manifest whose files are all on the disk. */
const ALL_SYNCED = `${JSON.stringify({ unsynced: [] } satisfies Line)}\n`;

/** Where the manifest of a site is kept. */
export function manifestPath({ stateDir }: { readonly stateDir: string }): string {
  return join(stateDir, 'site-manifest.ndjson');
}

/**
 * Whether all files of the output are known to be on the disk, or none was ever written; reads the end of a file.
 *
 * @param path where the manifest is kept.
 */
export function isOutputSynced(path: string): boolean {
  const end = endOf(path, ALL_SYNCED.length + 1);
  return end === undefined || end === `\n${ALL_SYNCED}`;
}

function subjectOf(path: string, outputDir: string): object {
  return { pressmark: VERSION, output: relative(dirname(path), outputDir) };
}

const SUMS = 2 ** 48;

/**
 * Identifies the content of the files that a manifest names: the same files with the same bytes have the same version,
 * whatever else the manifest notes and however often it is written anew. Each call reads what has been added.
 *
 * @param path where the manifest is kept.
 */
export function createContentVersion(path: string, outputDir: string): () => string {
  const lines = openLineFile<Line>(path, subjectOf(path, outputDir), () => []);
  const digests = new Map<string, number>();
  /** Of the digests, as the order in which the files were written does not matter. */
  let sum = 0;

  function note(file: string, is: WrittenFile | null): void {
    sum = (sum - (digests.get(file) ?? 0) + SUMS) % SUMS;
    digests.delete(file);
    if (is === null) return;
    const digest = Number.parseInt(hash('sha256', `${file} ${is.size} ${is.crc}`).slice(0, 12), 16);
    digests.set(file, digest);
    sum = (sum + digest) % SUMS;
  }

  return () => {
    const added = lines.readNew();
    if (added.isWhole) {
      digests.clear();
      sum = 0;
    }
    for (const line of added.lines)
      if (line !== undefined && 'file' in line) note(line.file, line.is);
      else if (line !== undefined && 'foreign' in line) note(line.foreign, null);
    return `${digests.size}-${sum.toString(16)}`;
  };
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
  const lines = openLineFile<Line>(path, subjectOf(path, outputDir), () => {
    const ofFiles = fileLines(files.keys());
    lacksArticles = files.size > 0;
    return files.size === 0 ? ofFiles : [...ofFiles, { unsynced: [...unsynced.keys()] }];
  });
  const files = new Map<string, WrittenFile>();
  /** Files written since the last build came to its end, or stale then, and what they may hold that was written before. */
  let unfinished = new Map<string, readonly WrittenFile[]>();
  /**
   * Files named since the last time that all were known to be on the disk, each with the value of `sequence` then; a power
   * loss may have damaged them.
   */
  const unsynced = new Map<string, number>();
  /** Those of them that were removed, as they were written: a power loss may bring them back. */
  const removed = new Map<string, WrittenFile>();
  /** Files that were announced, and not written since. */
  const announced = new Set<string>();
  /** How many times a file has been named. */
  let sequence = 0;
  /** The last build that came to its end. */
  let last = NO_BUILD;
  /** Whether the file was lost in the midst of a build and was begun anew, without the articles. */
  let lacksArticles = false;

  /** Reads what has been added since, also by another process on the same folder. */
  function refresh(): ManifestDelta {
    const delta = { articles: new Map<string, SourceEntry | undefined>(), files: new Set<string>() };
    const added = lines.readNew();
    if (added.isWhole) {
      last = NO_BUILD;
      for (const known of [files, removed, unsynced, announced, unfinished]) known.clear();
    }
    // Where all that it names is on the disk, the names need not be gathered: a large manifest has each of them twice.
    const isOnDisk = added.isWhole && isOutputSynced(path);
    for (const line of added.lines) {
      apply(line, isOnDisk);
      if (line === undefined) continue;
      if ('file' in line) delta.files.add(line.file);
      else if ('foreign' in line) delta.files.add(line.foreign);
      else if ('article' in line) delta.articles.set(line.article.path, line.article);
      else if ('removed' in line) delta.articles.set(line.removed, undefined);
    }
    return { ...delta, stale: [...unfinished.keys()], isWhole: added.isWhole };
  }

  function add(line: Line): void {
    lines.append([line]);
    apply(line);
  }

  /**
   * Takes in what a line says of files, whether it was read or written.
   *
   * @param isOnDisk whether the files are known to be on the disk by a later line.
   */
  function apply(line: Line | undefined, isOnDisk = false): void {
    if (line === undefined) {
      // Torn by a kill, which is the last line then, or by a power loss: it may have been of any file that was announced.
      announced.clear();
    } else if ('file' in line) {
      noteWritten(line.file, line.is ?? undefined);
      if (!isOnDisk) addUnsynced(line.file);
      announced.delete(line.file);
    } else if ('foreign' in line) {
      for (const known of [files, removed, unsynced, announced, unfinished]) known.delete(line.foreign);
    } else if ('announced' in line && !isOnDisk) {
      for (const file of line.announced) {
        addUnsynced(file);
        announced.add(file);
      }
    } else if ('unsynced' in line) {
      noteSynced(line.unsynced);
    } else if ('committed' in line) {
      last = line;
      unfinished = new Map(line.stale.map((file) => [file, formerOf(file)]));
      forgetAnnounced();
    }
  }

  function noteWritten(file: string, is: WrittenFile | undefined): void {
    const former = formerOf(file);
    const known = files.get(file);
    const isNew = known !== undefined && former.every(({ crc }) => crc !== known.crc);
    unfinished.set(file, isNew ? [...former, known] : former);
    if (is !== undefined) {
      files.set(file, is);
      removed.delete(file);
    } else if (known !== undefined) {
      files.delete(file);
      removed.set(file, known);
    }
  }

  function addUnsynced(file: string): void {
    unsynced.set(file, ++sequence);
  }

  function noteSynced(but: readonly string[]): void {
    unsynced.clear();
    announced.clear();
    for (const file of but) addUnsynced(file);
    for (const file of removed.keys()) if (!unsynced.has(file)) removed.delete(file);
  }

  /** What a build has announced and not written is as it was, or not there. */
  function forgetAnnounced(): void {
    for (const file of announced) unsynced.delete(file);
    announced.clear();
  }

  /**
   * What the file may hold besides what `files` says: where a build was killed, or could not replace the file, it holds
   * what was written before.
   */
  function formerOf(file: string): readonly WrittenFile[] {
    return unfinished.get(file) ?? NONE;
  }

  /**
   * Names files that are about to be written or removed. Resolves when their names are on the disk.
   *
   * @param names none where another's file stands: after a power loss they count as Pressmark's.
   */
  async function announce(names: readonly string[]): Promise<void> {
    const added = names.filter((file) => !unsynced.has(file));
    if (added.length === 0) return;
    add({ announced: added });
    await lines.sync();
  }

  /** Names one file in the same way, at once; costs nothing where it has been named since the last sync. */
  function announceSync(file: string): void {
    if (unsynced.has(file)) return;
    add({ announced: [file] });
    lines.syncSync();
  }

  /** Notes that the files are on the disk as they were when `sequence` had this value. No build may be under way. */
  async function markSynced(upTo: number): Promise<void> {
    const but = [...unsynced].flatMap(([file, named]) => (named > upTo ? [file] : []));
    // The lines before this one first, which it says to be true.
    await lines.sync();
    add({ unsynced: but });
  }

  function setFile(file: string, is: WrittenFile | undefined): void {
    add({ file, is: is ?? null });
  }

  /** Notes that a file is somebody else's: whatever it holds is not damage. */
  function setForeign(file: string): void {
    if (files.has(file) || unsynced.has(file)) add({ foreign: file });
  }

  /** Notes the end of a build. */
  function endBuild({ key, isComplete, parseKey, articles, stale, everything }: BuildEnd): void {
    const isSame = last.committed === key && (last.isIncomplete !== true) === isComplete;
    if (isSame && articles.size + stale.length + unfinished.size + announced.size === 0) return;
    lines.open();
    const end: EndLine = { committed: key, parseKey, stale };
    const line = isComplete ? end : { ...end, isIncomplete: true as const };
    // There is a page to nearly every article, so that the files tell how much of the manifest is out of date.
    if (lacksArticles || lines.count() + articles.size + 1 > 1_000 + 6 * files.size) {
      forgetAnnounced();
      const ofArticles = [...everything()].map((article): Line => ({ article }));
      lines.rewrite([...fileLines(stale), { unsynced: [...unsynced.keys()] }, ...ofArticles, line]);
      lacksArticles = false;
    } else {
      const changes = [...articles].map(
        ([removed, article]): Line => (article === undefined ? { removed } : { article }),
      );
      lines.append([...changes, line]);
    }
    apply(line);
  }

  /** What is known of all files, and of the uncertain ones also what they may hold besides. */
  function fileLines(uncertain: Iterable<string>): Line[] {
    const withFormer = new Set(uncertain);
    const present = [...files].flatMap(([file, is]) =>
      [...(withFormer.has(file) ? formerOf(file) : NONE), is].map((is): Line => ({ file, is })),
    );
    return [
      ...present,
      ...[...removed].flatMap(([file, is]): Line[] => [
        { file, is },
        { file, is: null },
      ]),
    ];
  }

  return {
    files: files as ReadonlyMap<string, WrittenFile>,
    unsynced: unsynced as ReadonlyMap<string, number>,
    removed: removed as ReadonlyMap<string, WrittenFile>,
    isSynced: () => isOutputSynced(path),
    get sequence() {
      return sequence;
    },
    /** The key of the last build that came to its end; empty where none has. */
    get key() {
      return last.committed;
    },
    /** Whether that build has made all files, but for those that are stale. */
    get isComplete() {
      return last.isIncomplete !== true;
    },
    /** Of how that one has parsed files of articles. */
    get parseKey() {
      return last.parseKey;
    },
    /** When the manifest was last written, in milliseconds. */
    lastWriteMs: () => fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0,
    refresh,
    formerOf,
    announce,
    announceSync,
    markSynced,
    setFile,
    setForeign,
    endBuild,
    /** Closes its file until it is needed again. */
    close: lines.close,
  };
}
