import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { syncDirectory, syncHere } from '../../fs/atomic-write.js';
import { withOneUrl } from '../../store/catalog/entry.js';
import type { SourceEntry } from '../index/site-index.js';
import { endOf, firstLine, headerOf, linesFrom } from './manifest-lines.js';

const fdatasync = promisify(fs.fdatasync);

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

/**
 * What stands in the output folder and which state of the articles it shows: an append-only file of one JSON line
 * per fact, the last one on a subject holding. A build names its files before it writes them, and the articles when all
 * is done; so where one was killed, the next one finds the articles changed still and the files under suspicion.
 *
 * The files themselves are not synced one by one. Their names are on the disk before they are written, and some time
 * later a line says that the files are, too: whatever a power loss has damaged is one of those named since that line.
 * Derived: without the manifest everything is built again and nothing is deleted. See `openManifest`.
 */
export interface Manifest {
  readonly files: ReadonlyMap<string, WrittenFile>;
  /** The key of the last build that came to its end; empty where none has. */
  readonly key: string;
  /** How that one has read the articles. */
  readonly reading: string;
  /** Reads what has been added since, also by another process on the same folder. */
  catchUp(): ManifestDelta;
  /**
   * What the file may hold besides what `files` says: where a build was killed, or could not replace the file, it holds
   * what was written before.
   */
  formerOf(file: string): readonly WrittenFile[];
  setFile(file: string, written: WrittenFile | undefined): void;
  /**
   * Files named since the last time that all were known to be on the disk, each with the value of `namings` then; a power
   * loss may have damaged them.
   */
  readonly unsynced: ReadonlyMap<string, number>;
  /** Whether the last line says that all files are on the disk; true also where there is no manifest. */
  readonly isSynced: boolean;
  /** How many times a file has been named. */
  readonly namings: number;
  /**
   * Names files that are about to be written or removed. Resolves when their names are on the disk.
   *
   * @param files none where another's file stands: after a power loss they count as Pressmark's.
   */
  announce(files: readonly string[]): Promise<void>;
  /** Names one file in the same way, at once; costs nothing where it has been named since the last sync. */
  announceHere(file: string): void;
  /**
   * Notes that the files are on the disk as they were when `namings` had this value. No build may be under way.
   */
  setSynced(namings: number): Promise<void>;
  /** Ends a build. */
  commit(end: Commit): void;
  /** Lets go of the file until it is needed again. */
  rest(): void;
}

const VERSION = 10;

type Line =
  | { readonly file: string; readonly is: WrittenFile | null }
  | { readonly article: SourceEntry }
  | { readonly removed: string }
  /** Files that are about to be written or removed. */
  | { readonly announced: readonly string[] }
  /** All files that the lines before this one name are on the disk, but for these. */
  | { readonly unsynced: readonly string[] }
  | { readonly settled: string; readonly reading: string; readonly stale: readonly string[] };

const NONE: readonly WrittenFile[] = [];

/** Lines of articles that are written at once. */
const LINES_PER_WRITE = 1_000;

/** The last line of a manifest whose files are all on the disk. */
const ALL_SYNCED = `${JSON.stringify({ unsynced: [] })}\n`;

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
 * @param path where the manifest is kept.
 * @param outputDir the folder it speaks of; a manifest of another one counts as lost.
 */
export function openManifest(path: string, outputDir: string): Manifest {
  const files = new Map<string, WrittenFile>();
  const ours = JSON.stringify({ pressmark: VERSION, output: relative(dirname(path), outputDir) }).slice(
    0,
    -1,
  );
  /** Files written since the last commit, or stale then, and what they may hold that was written before. */
  let uncommitted = new Map<string, readonly WrittenFile[]>();
  const unsynced = new Map<string, number>();
  /** Files that were announced, and not written since. */
  const announced = new Set<string>();
  let namings = 0;
  let isSynced = true;
  /** Whether a line since the last `unsynced` could not be read: it may have been of any file that was announced. */
  let isTorn = false;
  /** Whether the name of the manifest itself may be lost with the power. */
  let isNew = false;
  let key = '';
  let reading = '';
  let fd: number | undefined;
  /** The first line of the file that was read; no other file has it, whatever inode it was given. */
  let header: string | undefined;
  let offset = 0;
  let lines = 0;

  function catchUp(): ManifestDelta {
    const articles = new Map<string, SourceEntry | undefined>();
    const changed = new Set<string>();
    const size = fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    const found = size === 0 ? undefined : headerOf(path);
    const isWhole = found === undefined || found !== header || size < offset;
    if (isWhole) {
      [offset, lines, key, reading, uncommitted] = [0, 0, '', '', new Map()];
      files.clear();
      unsynced.clear();
      announced.clear();
      isTorn = false;
      isSynced = size === 0 && !fs.existsSync(path);
    }
    // One of another version, or of another folder, is begun again.
    header = found?.startsWith(`${ours},`) === true ? found : undefined;
    if (header !== undefined && size > offset) {
      // Where all that it names is on the disk, the names need not be gathered: a large manifest has each of them twice.
      const isVouchedFor = offset === 0 && endsSynced(path) === true;
      readTail(size, isVouchedFor, articles, changed);
    }
    return { articles, files: changed, stale: [...uncommitted.keys()], isWhole };
  }

  /** @param isVouchedFor whether the last line that is read says that all files are on the disk. */
  function readTail(
    size: number,
    isVouchedFor: boolean,
    articles: Map<string, SourceEntry | undefined>,
    changed: Set<string>,
  ): void {
    let isFirst = offset === 0;
    for (const { lines, end } of linesFrom(path, offset, size)) {
      for (const line of lines) {
        if (!isFirst) take(line, isVouchedFor, articles, changed);
        isFirst = false;
      }
      offset = end;
    }
  }

  function take(
    text: string,
    isVouchedFor: boolean,
    articles: Map<string, SourceEntry | undefined>,
    changed: Set<string>,
  ): void {
    lines++;
    isSynced = false;
    const line = parsed(text);
    if (line === undefined) {
      isTorn = true; // by a kill, which is the last line then, or by a power loss
    } else if ('file' in line) {
      changed.add(line.file);
      noteFile(line.file, line.is ?? undefined);
      if (!isVouchedFor) {
        name(line.file);
        announced.delete(line.file);
      }
    } else if ('announced' in line) {
      if (!isVouchedFor) noteAnnounced(line.announced);
    } else if ('unsynced' in line) {
      noteSynced(line.unsynced);
    } else if ('article' in line) {
      const { article } = line;
      articles.set(article.path, 'url' in article ? withOneUrl(article) : article);
    } else if ('removed' in line) {
      articles.set(line.removed, undefined);
    } else if ('settled' in line) {
      key = line.settled;
      reading = line.reading;
      noteCommitted(line.stale);
    }
  }

  function noteFile(file: string, is: WrittenFile | undefined): void {
    const former = formerOf(file);
    const known = files.get(file);
    const isNew = known !== undefined && former.every(({ crc }) => crc !== known.crc);
    uncommitted.set(file, isNew ? [...former, known] : former);
    if (is === undefined) files.delete(file);
    else files.set(file, is);
  }

  function formerOf(file: string): readonly WrittenFile[] {
    return uncommitted.get(file) ?? NONE;
  }

  /** At the end of a build: what it was to write holds that, but for what is stale. */
  function noteCommitted(stale: readonly string[]): void {
    uncommitted = new Map(stale.map((file) => [file, formerOf(file)]));
    withdraw();
  }

  function name(file: string): void {
    unsynced.set(file, ++namings);
  }

  function noteAnnounced(names: readonly string[]): void {
    isSynced = false;
    for (const file of names) {
      name(file);
      announced.add(file);
    }
  }

  function noteSynced(but: readonly string[]): void {
    unsynced.clear();
    announced.clear();
    for (const file of but) name(file);
    isTorn = false;
    isSynced = but.length === 0;
  }

  /** At the end of a build: what it has not written is as it was, or not there. */
  function withdraw(): void {
    if (isTorn) return;
    for (const file of announced) unsynced.delete(file);
    announced.clear();
  }

  function write(text: string): void {
    fd ??= open();
    const bytes = Buffer.from(text);
    fs.writeSync(fd, bytes);
    offset += bytes.length;
    isSynced = false;
  }

  function open(): number {
    fs.mkdirSync(dirname(path), { recursive: true });
    const opened = fs.openSync(path, 'a+');
    const { size } = fs.fstatSync(opened);
    if (header === undefined || firstLine(opened) !== header) {
      // New, or somebody has removed it and with it what we know.
      fs.ftruncateSync(opened);
      fd = opened;
      begin();
      for (const line of fileLines(files.keys())) write(`${JSON.stringify(line)}\n`);
      if (files.size > 0) write(`${JSON.stringify({ unsynced: [...unsynced.keys()] } satisfies Line)}\n`);
    } else if (size > offset) {
      fs.writeSync(opened, '\n'); // the torn line of a process that was killed must not spoil ours
      offset = size + 1;
    }
    return opened;
  }

  /** Writes the first line of a file that is empty. */
  function begin(): void {
    header = `${ours},"made":"${randomUUID()}"}`;
    offset = 0;
    isNew = true;
    write(`${header}\n`);
  }

  async function announce(names: readonly string[]): Promise<void> {
    const more = names.filter((file) => !unsynced.has(file));
    if (more.length === 0) return;
    writeAnnounced(more);
    await syncLines();
  }

  function announceHere(file: string): void {
    if (unsynced.has(file)) return;
    writeAnnounced([file]);
    syncHere(path);
    if (isNew) syncHere(dirname(path));
    isNew = false;
  }

  function writeAnnounced(names: readonly string[]): void {
    write(`${JSON.stringify({ announced: names } satisfies Line)}\n`);
    lines++;
    noteAnnounced(names);
  }

  async function setSynced(upTo: number): Promise<void> {
    const but = [...unsynced].flatMap(([file, naming]) => (naming > upTo ? [file] : []));
    // The lines before this one first: it vouches for them.
    await syncLines();
    write(`${JSON.stringify({ unsynced: but } satisfies Line)}\n`);
    lines++;
    noteSynced(but);
  }

  async function syncLines(): Promise<void> {
    fd ??= open();
    await fdatasync(fd);
    if (isNew) await syncDirectory(dirname(path));
    isNew = false;
  }

  function setFile(file: string, is: WrittenFile | undefined): void {
    write(`${JSON.stringify({ file, is: is ?? null })}\n`);
    lines++;
    noteFile(file, is);
    name(file);
    announced.delete(file);
  }

  function commit(end: Commit): void {
    const { articles, stale, everything } = end;
    if (key === end.key && articles.size + stale.length + uncommitted.size + announced.size === 0) return;
    lines += articles.size + 1;
    // There is a page to nearly every article, so that the files tell how much of the manifest is out of date.
    if (lines > 1_000 + 6 * files.size) rewrite([...everything()], end);
    else
      writeLines(
        [...articles].map(([removed, article]) => (article === undefined ? { removed } : { article })),
        end,
      );
    key = end.key;
    reading = end.reading;
    noteCommitted(stale);
  }

  function writeLines(all: readonly Line[], { key, reading, stale }: Commit): void {
    for (let at = 0; at < all.length; at += LINES_PER_WRITE)
      write(
        `${all
          .slice(at, at + LINES_PER_WRITE)
          .map((line) => JSON.stringify(line))
          .join('\n')}\n`,
      );
    write(`${JSON.stringify({ settled: key, reading, stale } satisfies Line)}\n`);
  }

  /** What is known of all files, of some with what they may hold besides. */
  function fileLines(uncertain: Iterable<string>): Line[] {
    const withFormer = new Set(uncertain);
    return [...files].flatMap(([file, is]) =>
      [...(withFormer.has(file) ? formerOf(file) : NONE), is].map((is): Line => ({ file, is })),
    );
  }

  /** Begins the manifest anew, without what is out of date. */
  function rewrite(all: readonly SourceEntry[], end: Commit): void {
    rest();
    const temp = `${path}.${process.pid}.tmp`;
    fd = fs.openSync(temp, 'w');
    lines = files.size + all.length;
    begin();
    const ofFiles = fileLines(end.stale);
    const ofArticles = all.map((article): Line => ({ article }));
    withdraw();
    writeLines([...ofFiles, { unsynced: [...unsynced.keys()] }, ...ofArticles], end);
    fs.fsyncSync(fd); // else a power loss leaves neither the new one nor the old one
    fs.renameSync(temp, path);
    syncHere(dirname(path));
    isNew = false;
  }

  function rest(): void {
    if (fd !== undefined) fs.closeSync(fd);
    fd = undefined;
  }

  return {
    files,
    unsynced,
    get isSynced() {
      return isSynced;
    },
    get namings() {
      return namings;
    },
    announce,
    announceHere,
    setSynced,
    get key() {
      return key;
    },
    get reading() {
      return reading;
    },
    catchUp,
    formerOf,
    setFile,
    commit,
    rest,
  };
}

/** A line as it was written; undefined for one that a crash has torn. */
function parsed(text: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === 'object' && line !== null ? (line as Line) : undefined;
  } catch {
    return undefined;
  }
}
