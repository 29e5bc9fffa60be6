import type { Article } from '../article/article.js';
import { canonicalUrl } from '../contract/canonical-url.js';
import { PressmarkError, quote } from '../errors.js';
import type { Entry, ReadFile } from './entry.js';

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

/**
 * The one entry that an update is about (contract: article.updated, 2). Where several articles are at its URL it is
 * about none, whatever its `target_id`: a lookup tells of none there either.
 *
 * @param entries all that are at `target_url`.
 * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS.
 */
export function targetOf(entries: readonly Entry[], { targetId, targetUrl }: Target): Entry {
  const entry = entries.find(({ id }) => id === targetId);
  if (entry === undefined) throw noTarget(targetId, targetUrl);
  if (entries.length > 1) throw ambiguous(targetUrl, entries);
  return entry;
}

/**
 * The contract's steps 2 to 4 for an update, on the file as it is now.
 *
 * @throws PressmarkError ARTICLE_NOT_FOUND, REVISION_CONFLICT.
 */
export function judged(read: ReadFile, { targetId, targetUrl, base, revision }: Target): 'apply' | 'retry' {
  const { article } = read.stored;
  if (!isTarget(article, targetId, canonicalUrl(targetUrl))) throw noTarget(targetId, targetUrl);
  if (article.revision === revision) return 'retry';
  if (article.revision !== base) {
    const message = `base_revision_id is ${quote(base)}, the article is at ${quote(article.revision)}`;
    throw new PressmarkError('REVISION_CONFLICT', message);
  }
  return 'apply';
}

/**
 * The one entry at a URL (contract: article.lookup).
 *
 * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS.
 */
export function onlyEntry(entries: readonly Entry[], url: string): Entry {
  const [entry, other] = entries;
  if (entry === undefined)
    throw new PressmarkError('ARTICLE_NOT_FOUND', `target_url: there is no article at ${quote(url, 120)}`);
  if (other !== undefined) throw ambiguous(url, entries);
  return entry;
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
