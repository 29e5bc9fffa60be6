import fs from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { Article } from '../article/article.js';
import type { Address, ReadableArticle, StoredArticle } from '../article/codec.js';
import { type ArticleFormat, plainFormat } from '../article/format.js';
import { createFormatWork, type FormatWork } from '../article/format-work.js';
import { reasonOf } from '../article/front-matter/read.js';
import { canonicalUrl } from '../contract/canonical-url.js';
import { PressmarkError, systemCode } from '../errors.js';
import { type Stamp, stampOf } from '../fs/stamp.js';
import type { Layout } from '../generators/layout.js';
import { readText, readTop } from './read-text.js';

/** What the catalog knows of one article file. */
export interface Entry {
  /** Below the content folder, with forward slashes. */
  readonly path: string;
  readonly stamp: Stamp;
  readonly id: string;
  readonly url: string;
  /** `url` in its canonical form; the key of lookups. Undefined where a person wrote something that is no URL. */
  readonly canonical: string | undefined;
  readonly title: string;
  readonly description: string;
  readonly date: string;
  readonly updated: string | null;
  readonly author: string;
  readonly tags: readonly string[];
  readonly image: string | null;
  /** Whether the URL is certain; undefined where it is pinned by the file. */
  readonly address?: Address;
  /** Why the file cannot be read, `line <n>: …`; it then keeps its id and URL taken, but is no article. */
  readonly broken?: string;
  /** Whether the file is in a form that is not read at all, such as `---js`; `broken` says which. */
  readonly isUnsupported?: boolean;
}

/** Where articles are read from. */
export interface ContentFolder {
  /** Absolute path. */
  readonly root: string;
  readonly layout: Layout;
  readonly format: ArticleFormat;
  /** The format for the thread that answers deliveries. */
  readonly work: FormatWork;
}

/**
 * A content folder; without a format, one of a site that Pressmark builds itself.
 *
 * @param startThread starts the thread for long articles; see `createFormatWork`.
 */
export function contentFolder(
  root: string,
  layout: Layout,
  format: ArticleFormat = plainFormat(layout.url),
  startThread?: () => Worker,
): ContentFolder {
  return { root, layout, format, work: createFormatWork(format, startThread) };
}

/** An article file as it is on the disk now. */
export interface ReadFile {
  readonly text: string;
  readonly stamp: Stamp;
  readonly stored: StoredArticle;
}

/**
 * Reads and decodes one article file.
 *
 * @throws PressmarkError FRONT_MATTER_INVALID; or the system's error, such as ENOENT.
 */
export function readArticle(content: ContentFolder, path: string): ReadFile {
  const { text, stamp } = readAt(content, path);
  return { text, stamp, stored: decodeAt(content, path, text) };
}

/** `readArticle` for the thread that answers deliveries. */
export async function openArticle(content: ContentFolder, path: string): Promise<ReadFile> {
  const { text, stamp } = readAt(content, path);
  return { text, stamp, stored: await content.work.decode(text, path) };
}

/** Decodes the text of the file at `path`. */
export function decodeAt(content: ContentFolder, path: string, text: string): StoredArticle {
  return content.format.decode(text, path);
}

/** An article file as its pages and the catalog need it. */
export interface ReadablePage extends ReadableArticle {
  readonly stamp: Stamp;
}

/**
 * Reads one article file for its page.
 *
 * @throws PressmarkError FRONT_MATTER_INVALID; or the system's error, such as ENOENT.
 */
export function readForPages(content: ContentFolder, path: string): ReadablePage {
  const { text, stamp } = readAt(content, path);
  return { ...content.format.decodeForPages(text, path), stamp };
}

/**
 * Reads what the catalog keeps of a file. A malformed one is an entry too: while a person is in the middle of
 * an edit, a redelivery must find its id taken.
 *
 * @param known the entry so far, which a malformed file's id and URL are taken from.
 * @param onRead is handed what was read, so that whoever needs more of the article need not read it again.
 * @returns undefined where the file is gone.
 */
export function readEntry(
  content: ContentFolder,
  path: string,
  known?: Entry,
  onRead?: (path: string, read: ReadablePage) => void,
): Entry | undefined {
  let read: { text: string; stamp: Stamp };
  try {
    read = readAt(content, path);
  } catch (error) {
    if (isGone(error)) return undefined;
    if (systemCode(error) !== 'EACCES') throw error;
    // One file that we may not read must not keep us from all the others.
    const stamp = stampOf(fs.statSync(join(content.root, path)));
    return brokenEntry(content, path, { text: '', stamp }, 'line 1: the file may not be read', known);
  }
  return entryIn(content, path, read, known, onRead);
}

/** So much of a file holds all that an entry needs, as a rule. */
const TOP_BYTES = 4_096;

/**
 * What the catalog keeps of a file, by its beginning alone. It is not certain before the whole file has been read: see
 * `decodeTop`. Its strings are cut out of that text; see `ownStrings`.
 *
 * @returns undefined where `readEntry` must be asked.
 */
export function glimpseEntry(content: ContentFolder, path: string): Entry | undefined {
  try {
    const { text, stat } = readTop(join(content.root, path), TOP_BYTES);
    const article = content.format.decodeTop(text, path);
    return article && entryOf(path, article, stampOf(stat));
  } catch {
    // why that is will be met again
    return undefined;
  }
}

/** The entry that a file's text makes; a malformed one keeps its id and URL taken. */
export function entryIn(
  content: ContentFolder,
  path: string,
  read: { text: string; stamp: Stamp },
  known?: Entry,
  onRead?: (path: string, read: ReadablePage) => void,
): Entry {
  try {
    const readable = content.format.decodeForPages(read.text, path);
    onRead?.(path, { ...readable, stamp: read.stamp });
    return ownStrings(entryOf(path, readable.article, read.stamp, readable.address));
  } catch (error) {
    const entry = brokenEntry(content, path, read, reasonOf(error), known);
    return isUnsupported(error) ? { ...entry, isUnsupported: true } : entry;
  }
}

function isUnsupported(error: unknown): boolean {
  return error instanceof PressmarkError && error.code === 'FRONT_MATTER_UNSUPPORTED';
}

/** The entry of an article that was just read or written. */
export function entryOf(
  path: string,
  article: Omit<Article, 'revision' | 'body' | 'contentHtml'>,
  stamp: Stamp,
  address?: Address,
): Entry {
  const { id, url, title, description, date, updated, author, tags, image } = article;
  return {
    ...(address !== undefined && { address }),
    path,
    stamp,
    canonical: canonicalUrl(url),
    id,
    url,
    title,
    description,
    date,
    updated,
    author,
    tags,
    image,
  };
}

/** A string cut out of a file keeps its whole text in memory: through JSON each one becomes its own. */
export function ownStrings(entry: Entry): Entry {
  return JSON.parse(JSON.stringify(entry)) as Entry;
}

/** What can still be told of a malformed file: its id and URL as they were, or as their lines say. */
function brokenEntry(
  content: ContentFolder,
  path: string,
  read: { text: string; stamp: Stamp },
  broken: string,
  known?: Entry,
): Entry {
  const id = known?.id ?? lineValue(read.text, 'id') ?? path;
  const slug = content.format.slugOf(path);
  const url = known?.url ?? lineValue(read.text, 'url') ?? content.layout.url(slug, '');
  const bare = {
    title: slug,
    description: '',
    date: '1970-01-01',
    updated: null,
    author: '',
    tags: [],
    image: null,
  };
  const address = { kind: 'unknown', reason: `cannot be read, ${broken}` } as const;
  const isCertain = content.format.hasCertainUrls;
  const canonical = canonicalUrl(url);
  return { path, stamp: read.stamp, id, url, canonical, ...bare, ...(!isCertain && { address }), broken };
}

function lineValue(text: string, key: string): string | undefined {
  const line = new RegExp(`^${key}: (".*")\\r?$`, 'm').exec(text)?.[1];
  if (line === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' && value !== '' ? value : undefined;
  } catch {
    return undefined; // this very line is what is malformed
  }
}

function readAt({ root }: ContentFolder, path: string): { text: string; stamp: Stamp } {
  const { text, stat } = readText(join(root, path));
  return { text, stamp: stampOf(stat) };
}

/** Whether two stamps are of the same, unchanged file. */
export function sameStamp(a: Stamp, b: Stamp): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs;
}

/** Whether an error says that a file is not there. */
export function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
