import fs from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../errors.js';
import { makeDirectory, syncFile } from '../fs/atomic-write.js';
import type { Log } from '../log.js';
import type { Catalog } from './catalog/catalog.js';
import { catalogId, type Entry } from './catalog/entry.js';
import type { ContentChange } from './catalog/scan.js';

/** The file below the state folder that has the ids and URLs of all articles, also of those that were deleted. */
export const KNOWN_IDS = 'ids.jsonl';

/**
 * A file that is older was not written by a delivery under way, in milliseconds. Such a delivery may still fail, take its
 * file back, and be sent again; that is no deletion.
 */
const SETTLED_MS = 300_000;

/** An article's id and its public URL. */
export interface KnownId {
  readonly id: string;
  readonly url: string;
}

/** The articles that their owner has deleted; see `openDeletedArticles`. */
export interface DeletedArticles {
  /** The URL that a deleted article had; undefined where the article is there, or was never known. */
  urlOf(id: string): string | undefined;
  /** A new article was stored, and is about to be acknowledged. */
  add(article: KnownId): void;
  /** Another program has changed files of the content folder; the catalog has the changes. */
  note(changes: readonly ContentChange[]): void;
  /** Lets a deleted article be published again; durable when this resolves. */
  forget(id: string): Promise<void>;
}

export interface DeletedArticlesOptions {
  /** The file of known ids, absolute. */
  readonly path: string;
  readonly catalog: Pick<Catalog, 'byId' | 'entries'>;
  readonly log: Log;
  /** What other sources know of earlier articles; asked where the file is not there yet. */
  readonly earlier?: () => Promise<Iterable<KnownId>>;
}

/**
 * Knows which articles were deleted: those whose ids were known and that the catalog does not have. A delivery that is
 * sent once more must not bring them back (contract: `data.id` is the deduplication key).
 *
 * An id is written down when its article comes, and nothing when it goes, so that no deletion is missed, also one that was
 * made while no receiver ran: when the article was stored by a delivery; for one that came otherwise, as by
 * `git pull`, at the next start, or when it goes. A line is `{ "id", "url" }`, or `{ "id", "forgotten": true }`; the last
 * one of an id counts. Several receivers append to one file.
 */
export async function openDeletedArticles(options: DeletedArticlesOptions): Promise<DeletedArticles> {
  const { path, catalog, log, earlier = async () => [] } = options;
  /** The URLs of deleted articles, by their ids in the catalog. */
  const deleted = new Map<string, string>();
  /** The ids in the file. */
  const recorded = new Set<string>();
  /** How much of the file was read, in bytes. */
  let read = 0;
  /** What could not be written, for the next attempt. */
  let unwritten: KnownId[] = [];

  if (!fs.existsSync(path)) {
    append([...(await earlier())]);
    read = 0;
  }
  const urls = new Map<string, string>();
  takeIn((id, url) => {
    if (url === undefined) urls.delete(id);
    else urls.set(id, url);
  });
  const missing: KnownId[] = [];
  const there = new Set<string>();
  for (const entry of catalog.entries()) {
    const { id, url } = entry;
    there.add(id);
    if (urls.has(id)) recorded.add(id); // the catalog's own string: there are a hundred thousand
    if (urls.get(id) !== url && (urls.has(id) || isSettled(entry))) missing.push({ id, url });
  }
  for (const [id, url] of urls) {
    if (there.has(id)) continue;
    recorded.add(id);
    deleted.set(id, url);
  }
  append(missing);

  /** Reads what was appended since, by this process or another. */
  function takeIn(onLine: (id: string, url: string | undefined) => void): void {
    try {
      const size = fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      // The state folder was deleted: what is in memory stays true.
      if (size < read) read = 0;
      if (size === read) return;
      const bytes = bytesFrom(path, read, size);
      const end = bytes.lastIndexOf('\n') + 1; // another process may be in the middle of a line
      read += end;
      for (const { id, url } of linesIn(bytes.subarray(0, end))) onLine(id, url);
    } catch (error) {
      log.warn({ reason: messageOf(error) }, `${KNOWN_IDS} cannot be read; deleted articles may come back`);
    }
  }

  function takeInNews(): void {
    takeIn((id, url) => {
      if (url === undefined) recorded.delete(id);
      else recorded.add(id);
      if (url === undefined || catalog.byId(id).length > 0) deleted.delete(id);
      else deleted.set(id, url);
    });
  }

  /** The articles are stored: where this fails, they are as safe as before, and deletions of them may be missed. */
  function append(articles: readonly KnownId[]): void {
    unwritten.push(...articles);
    for (const { id } of articles) recorded.add(id);
    if (unwritten.length === 0 && fs.existsSync(path)) return;
    try {
      write(unwritten.map((article) => `${JSON.stringify(article)}\n`).join(''));
      unwritten = [];
    } catch (error) {
      log.warn(
        { reason: messageOf(error) },
        `${KNOWN_IDS} cannot be written; an article that is deleted could come back with a redelivery`,
      );
    }
  }

  function write(lines: string): void {
    makeDirectory(dirname(path));
    const fd = fs.openSync(path, 'a', 0o600);
    try {
      const { size } = fs.fstatSync(fd);
      // What another process, a full disk or a power loss has left may end within a line.
      const isWhole = size === read || size === 0;
      const text = isWhole ? lines : `\n${lines}`;
      fs.writeFileSync(fd, text); // goes on after short writes, unlike a single write
      // What it has written itself need not be read.
      const end = size + Buffer.byteLength(text);
      if (isWhole && fs.fstatSync(fd).size === end) read = end;
    } finally {
      fs.closeSync(fd);
    }
  }

  function urlOf(id: string): string | undefined {
    if (catalog.byId(id).length > 0) return undefined;
    takeInNews();
    const key = catalogId(id);
    if (!recorded.has(key)) return undefined;
    return deleted.get(key) ?? recordedUrl(key);
  }

  /** The URL of an article that is gone from the catalog, and of whose file nothing was heard yet. */
  function recordedUrl(key: string): string | undefined {
    let url: string | undefined;
    read = 0;
    takeIn((id, found) => {
      if (id === key) url = found;
    });
    return url;
  }

  function note(changes: readonly ContentChange[]): void {
    const unknown: KnownId[] = [];
    for (const { before, after } of changes) {
      if (after !== undefined) {
        const { id, url } = after;
        if (recorded.has(id) && (deleted.get(id) ?? before?.url ?? url) !== url) unknown.push({ id, url });
        deleted.delete(id);
      }
      if (before === undefined || before.id === after?.id || catalog.byId(before.id).length > 0) continue;
      takeInNews();
      const { id, url } = before;
      const isKnown = recorded.has(id);
      if (!isKnown && !isSettled(before)) continue;
      if (!isKnown) unknown.push({ id, url });
      deleted.set(id, url);
    }
    if (unknown.length > 0) append(unknown);
  }

  async function forget(id: string): Promise<void> {
    write(`${JSON.stringify({ id: catalogId(id), forgotten: true })}\n`);
    await syncFile(path);
    recorded.delete(catalogId(id));
    deleted.delete(catalogId(id));
  }

  return { urlOf, add: ({ id, url }) => append([{ id: catalogId(id), url }]), note, forget };
}

function bytesFrom(path: string, start: number, end: number): Buffer {
  const bytes = Buffer.alloc(end - start);
  const fd = fs.openSync(path, 'r');
  try {
    return bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, start));
  } finally {
    fs.closeSync(fd);
  }
}

/** Whether an article that no delivery of this receiver has brought is there for good. */
function isSettled({ id, path, fingerprint }: Entry): boolean {
  // A post of a person's without an id of Pressmark's has its path for one, which no delivery has.
  return id !== path && Date.now() - fingerprint.mtimeMs > SETTLED_MS;
}

/** A line of the file: an article's URL, or undefined where the article was forgotten. */
interface Line {
  readonly id: string;
  readonly url: string | undefined;
}

function linesIn(bytes: Buffer): Line[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .flatMap((line) => parse(line) ?? []);
}

/** Undefined for a line that was cut off. */
function parse(line: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null) return undefined;
    const { id, url, forgotten } = value as Record<string, unknown>;
    if (typeof id !== 'string' || (typeof url !== 'string' && forgotten !== true)) return undefined;
    return { id, url: typeof url === 'string' ? url : undefined };
  } catch {
    return undefined;
  }
}
