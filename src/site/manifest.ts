import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { IndexEntry } from './index-entry.js';
import { firstLine, headerOf, linesFrom } from './manifest-lines.js';

/** A file in the output folder that Pressmark wrote. */
export interface WrittenFile {
  readonly size: number;
  readonly mtimeMs: number;
  /** Of its bytes, where nothing in them says that Pressmark wrote them. */
  readonly digest?: string;
}

/** What has been added to the manifest since it was last read. */
export interface News {
  /** Articles as they were when their pages were built; undefined for one that was gone. */
  readonly articles: ReadonlyMap<string, IndexEntry | undefined>;
  /** Files that may not be as they should: written in a build that has not come to its end, or failed in one. */
  readonly stale: ReadonlySet<string>;
  /** Whether the manifest was read from its beginning: what it does not name is not there. */
  readonly isWhole: boolean;
}

/** The end of a build. */
export interface Settlement {
  /** What all pages were made with: templates, site, version. */
  readonly key: string;
  /** How the articles were read. */
  readonly reading: string;
  readonly articles: ReadonlyMap<string, IndexEntry | undefined>;
  readonly stale: readonly string[];
  /** All articles, for a manifest that is written anew. */
  everything(): Iterable<IndexEntry>;
}

/**
 * What stands in the output folder and which state of the articles it shows: an append-only file of one JSON line
 * per fact, the last one on a subject holding. A build names each file before it writes it, and the articles when all
 * is done; so where one was killed, the next one finds the articles changed still and the files under suspicion.
 * Derived: without the manifest everything is built again and nothing is deleted. See `openManifest`.
 */
export interface Manifest {
  readonly files: ReadonlyMap<string, WrittenFile>;
  /** The key of the last build that came to its end; empty where none has. */
  readonly key: string;
  /** How that one has read the articles. */
  readonly reading: string;
  /** Reads what has been added since, also by another process on the same folder. */
  catchUp(): News;
  setFile(file: string, written: WrittenFile | undefined): void;
  /** Ends a build. */
  settle(settlement: Settlement): void;
  /** Lets go of the file until it is needed again. */
  rest(): void;
}

const VERSION = 8;

type Line =
  | { readonly file: string; readonly is: WrittenFile | null }
  | { readonly article: IndexEntry }
  | { readonly gone: string }
  | { readonly settled: string; readonly reading: string; readonly stale: readonly string[] };

/** Lines of articles that are written at once. */
const LINES_PER_WRITE = 1_000;

/** Where the manifest of a site is kept. */
export function manifestPath({ stateDir }: { readonly stateDir: string }): string {
  return join(stateDir, 'site-manifest.ndjson');
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
  /** Files named since the last settlement. */
  let unsettled = new Set<string>();
  let key = '';
  let reading = '';
  let fd: number | undefined;
  /** The first line of the file that was read; no other file has it, whatever inode it was given. */
  let header: string | undefined;
  let offset = 0;
  let lines = 0;

  function catchUp(): News {
    const articles = new Map<string, IndexEntry | undefined>();
    const size = fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    const found = size === 0 ? undefined : headerOf(path);
    const isWhole = found === undefined || found !== header || size < offset;
    if (isWhole) {
      [offset, lines, key, reading, unsettled] = [0, 0, '', '', new Set()];
      files.clear();
    }
    // One of another version, or of another folder, is begun again.
    header = found?.startsWith(`${ours},`) === true ? found : undefined;
    if (header !== undefined && size > offset) readTail(articles);
    return { articles, stale: unsettled, isWhole };
  }

  function readTail(articles: Map<string, IndexEntry | undefined>): void {
    let isFirst = offset === 0;
    for (const { lines, end } of linesFrom(path, offset)) {
      for (const line of lines) {
        if (!isFirst) take(line, articles);
        isFirst = false;
      }
      offset = end;
    }
  }

  function take(text: string, articles: Map<string, IndexEntry | undefined>): void {
    lines++;
    let line: Line;
    try {
      line = JSON.parse(text);
    } catch {
      return; // a line torn by a crash
    }
    if ('file' in line) {
      if (line.is === null) files.delete(line.file);
      else files.set(line.file, line.is);
      unsettled.add(line.file);
    } else if ('article' in line) {
      articles.set(line.article.path, line.article);
    } else if ('gone' in line) {
      articles.set(line.gone, undefined);
    } else if ('settled' in line) {
      key = line.settled;
      reading = line.reading;
      unsettled = new Set(line.stale);
    }
  }

  function write(text: string): void {
    fd ??= open();
    const bytes = Buffer.from(text);
    fs.writeSync(fd, bytes);
    offset += bytes.length;
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
      for (const [file, is] of files) write(`${JSON.stringify({ file, is })}\n`);
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
    write(`${header}\n`);
  }

  function setFile(file: string, is: WrittenFile | undefined): void {
    write(`${JSON.stringify({ file, is: is ?? null })}\n`);
    lines++;
    unsettled.add(file);
    if (is === undefined) files.delete(file);
    else files.set(file, is);
  }

  function settle(settlement: Settlement): void {
    const { articles, stale, everything } = settlement;
    if (key === settlement.key && articles.size + stale.length + unsettled.size === 0) return;
    lines += articles.size + 1;
    // There is a page to nearly every article, so that the files tell how much of the manifest is out of date.
    if (lines > 1_000 + 6 * files.size) rewrite([...everything()], settlement);
    else
      writeLines(
        [...articles].map(([gone, article]) => (article === undefined ? { gone } : { article })),
        settlement,
      );
    key = settlement.key;
    reading = settlement.reading;
    unsettled = new Set(stale);
  }

  function writeLines(all: readonly Line[], { key, reading, stale }: Settlement): void {
    for (let at = 0; at < all.length; at += LINES_PER_WRITE)
      write(
        `${all
          .slice(at, at + LINES_PER_WRITE)
          .map((line) => JSON.stringify(line))
          .join('\n')}\n`,
      );
    write(`${JSON.stringify({ settled: key, reading, stale } satisfies Line)}\n`);
  }

  /** Begins the manifest anew, without what is out of date. */
  function rewrite(all: readonly IndexEntry[], settlement: Settlement): void {
    rest();
    const temp = `${path}.${process.pid}.tmp`;
    fd = fs.openSync(temp, 'w');
    lines = files.size + all.length;
    begin();
    const ofFiles = [...files].map(([file, is]): Line => ({ file, is }));
    writeLines([...ofFiles, ...all.map((article): Line => ({ article }))], settlement);
    fs.renameSync(temp, path);
  }

  function rest(): void {
    if (fd !== undefined) fs.closeSync(fd);
    fd = undefined;
  }

  return {
    files,
    get key() {
      return key;
    },
    get reading() {
      return reading;
    },
    catchUp,
    setFile,
    settle,
    rest,
  };
}
