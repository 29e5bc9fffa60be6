import fs from 'node:fs';
import { dirname, relative } from 'node:path';
import { systemCode } from '../errors.js';
import { discard } from '../fs/atomic-write.js';
import type { Entry } from '../store/entry.js';

/** A file in the output folder that Pressmark wrote. */
export interface WrittenFile {
  /** Of its bytes. */
  readonly hash: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** The state of an article that its page shows. */
export interface BuiltArticle {
  readonly entry: Entry;
  /** Its page below the output folder; null where it has none. */
  readonly page: string | null;
  /** What every page is made of: templates, site, version. */
  readonly key: string;
  /** Of what its page shows of other articles, and of addresses that depend on them. */
  readonly shows: string;
}

/**
 * What stands in the output folder and which state of the articles it shows: an append-only file of one JSON
 * line per fact, the last one on a subject holding. Derived; without it everything is built again and nothing
 * is deleted. See `openManifest`.
 */
export interface Manifest {
  readonly files: ReadonlyMap<string, WrittenFile>;
  readonly articles: ReadonlyMap<string, BuiltArticle>;
  /**
   * Reads what has been added since, also by another process on the same folder.
   *
   * @returns the article files that were spoken of.
   */
  catchUp(): Set<string>;
  setFile(file: string, written: WrittenFile | undefined): void;
  setArticle(path: string, built: BuiltArticle | undefined): void;
  /** Ends a round of changes; the file is rewritten when most of it is out of date. */
  settle(): void;
}

const VERSION = 2;

type Line =
  | { readonly file: string; readonly is: WrittenFile | null }
  | { readonly article: string; readonly is: BuiltArticle | null };

/**
 * @param path where the manifest is kept.
 * @param outputDir the folder it speaks of; a manifest of another one counts as lost.
 */
export function openManifest(path: string, outputDir: string): Manifest {
  const files = new Map<string, WrittenFile>();
  const articles = new Map<string, BuiltArticle>();
  const header = JSON.stringify({ pressmark: VERSION, output: relative(dirname(path), outputDir) });
  let fd: number | undefined;
  let inode: number | undefined;
  let offset = 0;
  let own = 0;
  let lines = 0;

  function catchUp(): Set<string> {
    const spokenOf = new Set<string>();
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return spokenOf;
    if (stat.ino !== inode || stat.size < offset) [offset, own, lines] = [0, 0, 0];
    if (stat.ino === inode && stat.size === offset + own) {
      [offset, own] = [stat.size, 0];
      return spokenOf;
    }
    const tail = readFrom(path, offset);
    if (offset === 0 && !tail.startsWith(`${header}\n`)) {
      discard(path); // another version's, or of another folder
      return spokenOf;
    }
    const end = tail.lastIndexOf('\n') + 1;
    for (const line of tail.slice(0, end).split('\n')) {
      const article = take(line);
      if (article !== undefined) spokenOf.add(article);
    }
    [inode, offset, own] = [stat.ino, offset + Buffer.byteLength(tail.slice(0, end)), 0];
    return spokenOf;
  }

  function take(line: string): string | undefined {
    lines++;
    let fact: Partial<Line>;
    try {
      fact = JSON.parse(line);
    } catch {
      return undefined; // a line torn by a crash
    }
    if ('file' in fact && fact.file !== undefined) put(files, fact.file, fact.is);
    if (!('article' in fact) || fact.article === undefined) return undefined;
    put(articles, fact.article, fact.is);
    return fact.article;
  }

  function write(line: Line): void {
    if (fd === undefined) fd = open();
    const text = Buffer.from(`${JSON.stringify(line)}\n`);
    fs.writeSync(fd, text);
    own += text.length;
    lines++;
  }

  function open(): number {
    fs.mkdirSync(dirname(path), { recursive: true });
    // Somebody may have removed it, and with it what we know: it is begun again, whole.
    if (!fs.existsSync(path)) rewrite();
    return fs.openSync(path, 'a');
  }

  function settle(): void {
    if (fd !== undefined) fs.closeSync(fd);
    fd = undefined;
    if (lines > 1_000 + 3 * (files.size + articles.size)) rewrite();
  }

  function rewrite(): void {
    const all: Line[] = [...files].map(([file, is]) => ({ file, is }));
    for (const [article, is] of articles) all.push({ article, is });
    const text = `${[header, ...all.map((line) => JSON.stringify(line))].join('\n')}\n`;
    const temp = `${path}.${process.pid}.tmp`;
    fs.writeFileSync(temp, text);
    fs.renameSync(temp, path);
    [inode, offset, own, lines] = [fs.statSync(path).ino, Buffer.byteLength(text), 0, all.length];
  }

  return {
    files,
    articles,
    catchUp,
    setFile: (file, is) => {
      write({ file, is: is ?? null });
      put(files, file, is);
    },
    setArticle: (article, is) => {
      write({ article, is: is ?? null });
      put(articles, article, is);
    },
    settle,
  };
}

function put<V>(map: Map<string, V>, key: string, value: V | null | undefined): void {
  if (value === null || value === undefined) map.delete(key);
  else map.set(key, value);
}

function readFrom(path: string, offset: number): string {
  let fd: number;
  try {
    fd = fs.openSync(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  }
  try {
    const { size } = fs.fstatSync(fd);
    const bytes = Buffer.alloc(Math.max(0, size - offset));
    const read = fs.readSync(fd, bytes, 0, bytes.length, offset);
    return bytes.toString('utf8', 0, read);
  } finally {
    fs.closeSync(fd);
  }
}
