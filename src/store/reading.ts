import type { Article } from '../article/article.js';
import type { StoredArticle } from '../article/codec.js';
import { canonicalUrl } from '../contract/canonical-url.js';
import { PressmarkError, quote } from '../errors.js';
import type { Catalog } from './catalog.js';
import { type ContentFolder, type Entry, isGone, type ReadFile, readArticle } from './entry.js';
import { storeFailure } from './failure.js';
import { createFolderCheck } from './folder-check.js';
import type { Journal } from './journal.js';
import { type Change, refresh, scan } from './scan.js';

/** An article and where it stands. */
export interface Found extends StoredArticle {
  readonly path: string;
}

/** What an update is judged by (contract: article.updated data). */
export interface Target {
  readonly targetId: string;
  readonly targetUrl: string;
  /** The revision that the update was made from. */
  readonly base: string;
  /** The revision that it makes. */
  readonly revision: string;
}

/** What is to be done with an update, and the file that says so. */
export interface Judgement {
  /** `retry`: it is stored already. */
  readonly verdict: 'apply' | 'retry';
  readonly read: ReadFile;
  readonly entry: Entry;
}

/** Everything that the store is asked without changing anything. */
export type Reading = ReturnType<typeof createReading>;

/**
 * Reading articles: the catalog tells where to look, the file as it is now decides.
 *
 * @param isUnderWay whether this process is writing a path just now; what is seen of it is not yet true.
 * @param notice told of files that turned out to have changed by another hand.
 */
export function createReading(
  content: ContentFolder,
  catalog: Catalog,
  journal: Journal,
  isUnderWay: (path: string) => boolean,
  notice: (changes: readonly Change[]) => void,
) {
  const newFiles = createFolderCheck(content, (path) => catalog.get(path) !== undefined || isUnderWay(path));

  /** Paths that others named and that are still to be read; they stay until reading them has succeeded. */
  const unread = new Set<string>();
  let everythingUnread = false;
  let reading: Promise<void> | undefined;

  /** Reads what other processes have written. Whoever calls this while everything is read waits for the end of it. */
  async function catchUp(): Promise<void> {
    const news = journal.news();
    if (news === 'everything') everythingUnread = true;
    else for (const path of news) unread.add(path);
    for (const path of unread) {
      if (!isUnderWay(path)) notice(refresh(content, catalog, path));
      unread.delete(path);
    }
    while (everythingUnread || reading !== undefined) {
      reading ??= readEverything();
      await reading;
    }
  }

  async function readEverything(): Promise<void> {
    everythingUnread = false;
    try {
      notice((await scan(content, catalog)).changes);
    } catch (error) {
      everythingUnread = true;
      throw error;
    } finally {
      reading = undefined;
    }
  }

  /** Learns of what others have written and of files that nobody told of, as far as folders show them. */
  async function learn(): Promise<void> {
    await catchUp();
    for (const path of newFiles()) notice(refresh(content, catalog, path));
  }

  /** The catalog's first entry for an id, compared with the disk; a file that was moved is looked for. */
  async function current(id: string): Promise<Entry | undefined> {
    if (catalog.byId(id).length === 0) return undefined;
    for (const { path } of catalog.byId(id)) notice(refresh(content, catalog, path));
    if (catalog.byId(id).length === 0) notice((await scan(content, catalog)).changes);
    return catalog.byId(id)[0];
  }

  /**
   * The one article at a public URL (contract: article.lookup).
   *
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, ARTICLE_UNREADABLE.
   */
  async function find(url: string): Promise<Found> {
    const canonical = canonicalUrl(url) ?? '';
    await learn();
    for (const { path } of catalog.byUrl(canonical)) notice(refresh(content, catalog, path));
    const entries = catalog.byUrl(canonical);
    const [entry, other] = entries;
    if (entry === undefined)
      throw new PressmarkError('ARTICLE_NOT_FOUND', `target_url: there is no article at ${quote(url, 120)}`);
    if (other !== undefined) throw ambiguous(url, entries);
    return { ...open(entry).stored, path: entry.path };
  }

  /** The article with this id, or undefined. */
  async function get(id: string): Promise<Found | undefined> {
    await catchUp();
    const entry = await current(id);
    return entry === undefined ? undefined : { ...open(entry).stored, path: entry.path };
  }

  /**
   * The contract's steps 2 to 4 for an update, on the file as it is now.
   *
   * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS, ARTICLE_UNREADABLE, REVISION_CONFLICT.
   */
  async function judge({ targetId, targetUrl, base, revision }: Target): Promise<Judgement> {
    const canonical = canonicalUrl(targetUrl);
    await learn();
    await current(targetId);
    const entries = catalog.byId(targetId).filter((entry) => entry.canonical === canonical);
    const [entry, other] = entries;
    if (entry === undefined) throw noTarget(targetId, targetUrl);
    if (other !== undefined) throw ambiguous(targetUrl, entries);
    const read = open(entry);
    const { article } = read.stored;
    if (!isTarget(article, targetId, canonical)) throw noTarget(targetId, targetUrl);
    if (article.revision === revision) return { verdict: 'retry', read, entry };
    if (article.revision !== base) {
      const why = `base_revision_id is ${quote(base)}, the article is at ${quote(article.revision)}`;
      throw new PressmarkError('REVISION_CONFLICT', `Article revision conflict: ${why}`);
    }
    return { verdict: 'apply', read, entry };
  }

  function open(entry: Entry): ReadFile {
    try {
      return readArticle(content, entry.path);
    } catch (error) {
      if (isGone(error))
        throw new PressmarkError('ARTICLE_NOT_FOUND', `the file of article ${quote(entry.id)} was removed`);
      if (!(error instanceof PressmarkError)) throw storeFailure(error);
      throw new PressmarkError(
        'ARTICLE_UNREADABLE',
        `the file ${entry.path} is malformed, ${error.message}`,
        { cause: error },
      );
    }
  }

  return { catchUp, current, find, get, judge };
}

function isTarget(article: Article, id: string, canonical: string | undefined): boolean {
  return article.id === id && canonicalUrl(article.url) === canonical;
}

function noTarget(id: string, url: string): PressmarkError {
  const message = `target_id ${quote(id)} and target_url ${quote(url, 80)} do not name the same stored article`;
  return new PressmarkError('ARTICLE_NOT_FOUND', message);
}

function ambiguous(url: string, entries: readonly Entry[]): PressmarkError {
  const paths = entries.slice(0, 3).map(({ path }) => path);
  const message = `target_url: ${entries.length} articles are at ${quote(url, 80)}: ${paths.join(', ')}; remove all but one`;
  return new PressmarkError('ARTICLE_AMBIGUOUS', message);
}
