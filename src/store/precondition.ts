import { type Article, type ArticleContent, contentFields, type ExtraKeys } from '../article/article.js';
import type { StateChange } from '../article/format/amend.js';
import { canonicalUrl } from '../contract/canonical-url.js';
import { PressmarkError, quote } from '../errors.js';
import { type Catalog, lastSegment } from './catalog/catalog.js';
import type { ReadFile } from './catalog/content-folder.js';
import { catalogId, type Entry, entryState } from './catalog/entry.js';

/** The article and revisions of an update (contract: article.updated data). */
export interface Target {
  readonly targetId: string;
  readonly targetUrl: string;
  /** The revision that the update is based on. */
  readonly base: string;
  /** The new revision. */
  readonly revision: string;
}

/** The fields that an update replaces in its article (contract: article.updated, 5). */
export interface Replacement {
  /** The time of the update, ISO 8601. */
  readonly updated: string;
  /** The new content; a null image keeps the stored one. */
  readonly content: ArticleContent;
  /** Additional front matter to set; other keys of the file stay. */
  readonly extra?: ExtraKeys;
  /** The reason for which the article is held from now on; undefined changes nothing. */
  readonly held?: string;
  /** Shows or hides the article; undefined changes nothing. */
  readonly state?: StateChange;
  /** The digest of an adapter's article; undefined keeps the stored one. */
  readonly received?: string;
}

/** The longest part of a sent revision that an answer repeats, in characters. */
const MAX_SHOWN = 200;

/** The decision about an update, and the file that it is based on. */
export interface Precondition {
  /** `retry`: the update is stored already. */
  readonly kind: 'apply' | 'retry';
  readonly read: ReadFile;
  readonly entry: Entry;
}

/**
 * Finds the one entry that an update targets (contract: article.updated, 2). If several articles have its URL, there is none,
 * even with the right `target_id`: a lookup finds none there either.
 *
 * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS.
 */
export function targetOf(
  catalog: Pick<Catalog, 'byUrl' | 'byId'>,
  { targetId, targetUrl }: Pick<Target, 'targetId' | 'targetUrl'>,
): Entry {
  const entries = catalog.byUrl(canonicalUrl(targetUrl) ?? '');
  const certain = entries.filter(isCertain);
  const entry = certain.find(({ id }) => id === catalogId(targetId));
  if (entry === undefined)
    throw noTarget(targetId, targetUrl, reasonIn([...entries, ...catalog.byId(targetId)]));
  if (certain.length > 1) throw ambiguous(targetUrl, certain);
  return entry;
}

/**
 * Runs the contract's steps 2 to 4 for an update on the present file.
 *
 * @throws PressmarkError ARTICLE_NOT_FOUND, REVISION_CONFLICT.
 */
export function preconditionOf(
  { article }: ReadFile['stored'],
  { targetId, targetUrl, base, revision }: Target,
): Precondition['kind'] {
  if (!isTarget(article, targetId, canonicalUrl(targetUrl))) throw noTarget(targetId, targetUrl);
  if (article.revision === revision) return 'retry';
  if (article.revision === base) return 'apply';
  const message = `base_revision_id is ${quote(base)}, the article is at ${quote(article.revision)}`;
  const details = { base_revision_id: base.slice(0, MAX_SHOWN), current_revision_id: article.revision };
  throw new PressmarkError('REVISION_CONFLICT', message, { details });
}

/** Returns the article after an update. */
export function replacedBy(article: Article, revision: string, replacement: Replacement): Article {
  const { updated, content, extra, received = article.received, held = article.held } = replacement;
  const fields = contentFields(content);
  return {
    ...article,
    ...fields,
    extra: { ...article.extra, ...extra },
    image: fields.image ?? article.image,
    updated,
    revision,
    ...(held !== undefined && { held }),
    ...(received !== undefined && { received }),
  };
}

/**
 * Finds the one entry at a URL (contract: article.lookup). If there is none, the error names a file that may be meant.
 *
 * @throws PressmarkError ARTICLE_NOT_FOUND, ARTICLE_AMBIGUOUS.
 */
export function onlyEntry(catalog: Pick<Catalog, 'byUrl' | 'unresolved'>, url: string): Entry {
  const entries = catalog.byUrl(canonicalUrl(url) ?? '');
  const certain = entries.filter(isCertain);
  const [entry, other] = certain;
  if (entry === undefined)
    throw new PressmarkError(
      'ARTICLE_NOT_FOUND',
      `target_url: there is no article at ${quote(url, 120)}${reasonIn([...entries, ...catalog.unresolved(lastSegment(url))])}`,
    );
  if (other !== undefined) throw ambiguous(url, certain);
  return entry;
}

/** Whether an article's page certainly has its URL: the address is pinned or listed, and the article has not expired. */
function isCertain(entry: Entry): boolean {
  return entry.address?.kind !== 'unknown' && !isExpired(entry);
}

function isExpired(entry: Entry): boolean {
  return entryState(entry, Date.now()) === 'expired';
}

/** Returns why a file that may have a URL does not count, as the end of a message; empty if there is none. */
function reasonIn(entries: readonly Entry[]): string {
  for (const entry of entries) {
    const { path, address } = entry;
    if (address?.kind === 'unknown') return `; ${path} ${address.reason}`;
    if (isExpired(entry)) return `; ${path} has expired`;
  }
  return '';
}

function isTarget(article: Article, id: string, canonical: string | undefined): boolean {
  return article.id === id && canonicalUrl(article.url) === canonical;
}

function noTarget(id: string, url: string, reason = ''): PressmarkError {
  const message = `target_id ${quote(id)} and target_url ${quote(url, 80)} do not name the same stored article${reason}`;
  return new PressmarkError('ARTICLE_NOT_FOUND', message);
}

function ambiguous(url: string, entries: readonly Entry[]): PressmarkError {
  const paths = entries.slice(0, 3).map(({ path }) => path);
  const message = `target_url: ${entries.length} articles are at ${quote(url, 80)}: ${paths.join(', ')}; remove all but one`;
  return new PressmarkError('ARTICLE_AMBIGUOUS', message);
}
