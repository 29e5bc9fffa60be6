import { type Article, type ArticleContent, contentFields, type ExtraKeys } from '../article/article.js';
import type { StateChange } from '../article/format/amend.js';
import type { BodyKind } from '../article/stored-article.js';
import { canonicalUrl } from '../contract/canonical-url.js';
import { PressmarkError, quote } from '../errors.js';
import { type Catalog, lastSegment } from './catalog/catalog.js';
import type { ReadFile } from './catalog/content-folder.js';
import { catalogId, type Entry, entryState } from './catalog/entry.js';

/** What an update must find to be applied (contract: article.updated data). */
export interface Target {
  readonly targetId: string;
  readonly targetUrl: string;
  /** The revision that the update was made from. */
  readonly base: string;
  /** The revision that it makes. */
  readonly revision: string;
}

/** What an update replaces in its article (contract: article.updated, 5). */
export interface Replacement {
  /** The moment of the update, ISO 8601. */
  readonly updated: string;
  /** What replaces the article's content; a null image leaves the stored one. */
  readonly content: ArticleContent;
  /** Further front matter to set, besides what the file has. */
  readonly extra?: ExtraKeys;
  /** Set where `content` comes from an earlier version of the file: its body is in its stored form. */
  readonly storedBody?: BodyKind;
  /** Whether a null image clears the stored one, as no delivery can. */
  readonly clearsImage?: boolean;
  /** Why the article is held from now on; undefined leaves it as it is. */
  readonly held?: string;
  /** Shows or hides the article; undefined leaves it as it is. */
  readonly state?: StateChange;
  /** The digest of what an adapter has handed over; undefined leaves the stored one. */
  readonly received?: string;
}

/** So much of a revision that the service sent is repeated in the answer, in characters. */
const MAX_SHOWN = 200;

/** What is to be done with an update, and the file that says so. */
export interface Precondition {
  /** `retry`: it is stored already. */
  readonly kind: 'apply' | 'retry';
  readonly read: ReadFile;
  readonly entry: Entry;
}

/**
 * The one entry that an update is about (contract: article.updated, 2). Where several articles are at its URL it is
 * about none, whatever its `target_id`: a lookup finds none there either.
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
 * The contract's steps 2 to 4 for an update, on the file as it is now.
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

/** An article with what an update replaces in it. */
export function replacedBy(article: Article, revision: string, replacement: Replacement): Article {
  const {
    updated,
    content,
    extra,
    clearsImage = false,
    received = article.received,
    held = article.held,
  } = replacement;
  const fields = contentFields(content);
  const image = clearsImage ? fields.image : (fields.image ?? article.image);
  return {
    ...article,
    ...fields,
    extra: { ...article.extra, ...extra },
    image,
    updated,
    revision,
    ...(held !== undefined && { held }),
    ...(received !== undefined && { received }),
  };
}

/**
 * The one entry at a URL (contract: article.lookup). Where there is none, the error says which file may be meant.
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

/** Whether an article's page is at its URL for certain; an address is answered only if it is pinned or listed. */
function isCertain(entry: Entry): boolean {
  return entry.address?.kind !== 'unknown' && !isExpired(entry);
}

function isExpired(entry: Entry): boolean {
  return entryState(entry, Date.now()) === 'expired';
}

/** Why the files that may be at a URL are not resolved; empty if there are none. */
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
