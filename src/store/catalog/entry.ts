import { hash } from 'node:crypto';
import type { Article } from '../../article/article.js';
import type { ArticleFormat } from '../../article/format/format.js';
import { reasonOf } from '../../article/front-matter/read.js';
import { shortened } from '../../article/names.js';
import { type PersonsPart, personsPart } from '../../article/own-revisions.js';
import { type ArticleState, type Publication, stateAt } from '../../article/publication.js';
import type { Address, StoredArticle } from '../../article/stored-article.js';
import { PressmarkError } from '../../errors.js';
import { type Fingerprint, sameFingerprint } from '../../fs/fingerprint.js';
import type { Layout } from '../../generators/layout.js';

/**
 * The catalog's entry for one article file: the fields for decisions about deliveries and for lists of articles. Texts are
 * shortened, as entries stay in memory.
 */
export interface Entry {
  /** The path below the content folder, with forward slashes. */
  readonly path: string;
  readonly fingerprint: Fingerprint;
  /** See `catalogId`. */
  readonly id: string;
  /** The text in the file, which may not be a valid URL; the catalog's index uses the canonical form. */
  readonly url: string;
  /** Undefined if the file cannot be read. */
  readonly title?: string;
  /** The publication date in the file; undefined if there is none. */
  readonly date?: string;
  /** See `spellingTags`; undefined if there are none. */
  readonly tags?: readonly string[];
  /** Undefined if there is none, or if the name is overlong. */
  readonly author?: string;
  /** The parts that a person has written or edited; see `personsPart`. Page builds do not compute it. */
  readonly byPerson?: PersonsPart;
  /** Whether the URL is certain; undefined if it is pinned by the file. */
  readonly address?: Address;
  /** When its page appears, in ms since 1970; undefined if it was already time when the file was written. */
  readonly from?: number;
  /** When it expires, in ms since 1970. */
  readonly until?: number;
  /** Whether it is held, that is stored but not shown; undefined if not. */
  readonly isHeld?: true;
  /** Whether the generator leaves it out as a draft; undefined if not. */
  readonly isDraft?: true;
  /** Why the file cannot be read: `line <n>: …`, or the system's error. Its id and URL stay taken, but it is not an article. */
  readonly broken?: string;
  /** Whether the file has an unsupported form, such as `---js`; `broken` says which. */
  readonly isUnsupported?: boolean;
}

/** The format of a site's article files, and the locations of files and pages. */
export interface Conventions {
  readonly layout: Layout;
  readonly format: ArticleFormat;
}

/** The text of a file, with its fingerprint. */
export interface Text {
  readonly text: string;
  readonly fingerprint: Fingerprint;
}

/** The fingerprint of a file that could not be read. No file has it, so the file is read again at each check. */
export const NEVER_READ: Fingerprint = { ino: -1, size: -1, mtimeMs: -1 };

/** Whether the file of an entry could not be read; `broken` has the reason. */
export function isUnread({ fingerprint }: Entry): boolean {
  return sameFingerprint(fingerprint, NEVER_READ);
}

/** Whether the URL of an entry will become certain without a change of the file. */
export function isFuture({ address }: Entry): boolean {
  return address?.kind === 'unknown' && address.isFuture === true;
}

/** Returns the state of a readable article; a draft counts as live. @param now in ms since 1970. */
export function entryState({ isHeld, from, until }: Entry, now: number): ArticleState {
  if (isHeld === true) return 'held';
  return stateAt({ kind: 'dated', from, until }, now);
}

/** Lists the times at which articles' states change, in ms since 1970. */
function* stateChanges(entries: Iterable<Entry>): Generator<number> {
  for (const { from, until, broken } of entries) {
    if (broken !== undefined) continue;
    if (from !== undefined) yield from;
    if (until !== undefined) yield until;
  }
}

/** Returns when the state of any of these articles last changed; 0 if none has. @param now in ms since 1970. */
export function lastStateChange(entries: Iterable<Entry>, now: number): number {
  let last = 0;
  for (const at of stateChanges(entries)) if (at <= now && at > last) last = at;
  return last;
}

/** Returns when the state of any of these articles changes next; Infinity if none will. @param now in ms since 1970. */
export function nextStateChange(entries: Iterable<Entry>, now: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const at of stateChanges(entries)) if (at > now && at < next) next = at;
  return next;
}

/**
 * Makes the entry for a file's text, and returns the decoded file if it is not malformed. A malformed file's id and URL stay
 * taken.
 */
export function entryIn(
  content: Conventions,
  path: string,
  read: Text,
  known?: Entry,
): { readonly entry: Entry; readonly stored?: StoredArticle } {
  try {
    const stored = content.format.decode(read.text, path);
    return { entry: entryOf(path, stored, read.fingerprint), stored };
  } catch (error) {
    const entry = brokenEntry(content, path, read, reasonOf(error), known);
    return { entry: isUnsupported(error) ? { ...entry, isUnsupported: true } : entry };
  }
}

function isUnsupported(error: unknown): boolean {
  return error instanceof PressmarkError && error.code === 'FRONT_MATTER_UNSUPPORTED';
}

/** The data for an entry. */
type Readable = Pick<StoredArticle, 'address' | 'publication'> &
  Partial<Pick<StoredArticle, 'edited' | 'digest'>> & {
    readonly article: Pick<Article, 'id' | 'url' | 'title' | 'date' | 'tags' | 'author'> &
      Partial<Pick<Article, 'revision'>>;
  };

/** Returns the fields for the state of an article and its changes. A time before the file was written is left out. */
function timesOf(
  publication: Publication,
  { mtimeMs }: Fingerprint,
  isListed: boolean,
): Pick<Entry, 'isHeld' | 'isDraft' | 'from' | 'until'> {
  if (publication.kind === 'held') return { isHeld: true };
  // A site may have a page even for a draft.
  if (publication.kind === 'draft') return isListed ? {} : { isDraft: true };
  const { from, until } = publication;
  const isScheduled = from !== undefined && from > Math.min(mtimeMs, Date.now());
  return { ...(isScheduled && { from }), ...(until !== undefined && { until }) };
}

/** Makes the entry of an article that was just read or written. */
export function entryOf(path: string, readable: Readable, fingerprint: Fingerprint): Entry {
  const { article, address, publication } = readable;
  const { id, url, title, date, tags, author } = article;
  const byPerson = personsPart(readable);
  return ownStrings({
    ...(address !== undefined && { address }),
    ...timesOf(publication, fingerprint, address?.kind === 'listed'),
    ...(tags.length > 0 && { tags: spellingTags(tags) }),
    ...(author !== '' && author.length <= LONGEST_SPELLING && { author }),
    ...(date !== '' && { date: shortened(date, LONGEST_DATE) }),
    ...(byPerson !== undefined && { byPerson }),
    title: shortened(title, LONGEST_TITLE),
    path,
    fingerprint,
    id: catalogId(id),
    url,
  });
}

/** The longest id that is kept unchanged, in characters. */
const LONGEST_ID = 1_000;

/** Returns an article's id in the catalog: the article's id, or its digest if the id is overlong. */
export function catalogId(id: string): string {
  return id.length <= LONGEST_ID ? id : `sha256-${hash('sha256', id)}`;
}

/** The longest title in an entry, in characters. */
export const LONGEST_TITLE = 200;
/** The longest date in an entry, in characters. */
const LONGEST_DATE = 60;

/** The maximum number of tags in an entry, and the longest tag or author, in characters. */
const MOST_SPELLING_TAGS = 100;
export const LONGEST_SPELLING = 200;

/** Returns an article's tags for its entry; they determine how later articles spell the same tag. */
export function spellingTags(tags: readonly string[]): readonly string[] {
  return tags.slice(0, MOST_SPELLING_TAGS).filter(({ length }) => length <= LONGEST_SPELLING);
}

/** Copies the strings of an entry: a substring would keep the file's whole text in memory. */
export function ownStrings<E extends Entry>(entry: E): E {
  return JSON.parse(JSON.stringify(entry)) as E;
}

/** Makes the entry of a malformed file: with the known id and URL, or those in its lines. */
export function brokenEntry(
  content: Conventions,
  path: string,
  read: Text,
  broken: string,
  known?: Entry,
): Entry {
  const id = known?.id ?? catalogId(lineValue(read.text, 'id') ?? path);
  const slug = content.format.slugOf(path);
  const url = known?.url ?? lineValue(read.text, 'url') ?? content.layout.url(slug, '');
  const address = { kind: 'unknown', reason: `cannot be read, ${broken}` } as const;
  const isCertain = content.format.hasCertainUrls;
  return { path, fingerprint: read.fingerprint, id, url, ...(!isCertain && { address }), broken };
}

function lineValue(text: string, key: string): string | undefined {
  const line = new RegExp(`^${key}: (".*")\\r?$`, 'm').exec(text)?.[1];
  if (line === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' && value !== '' ? value : undefined;
  } catch {
    return undefined; // this line itself is malformed
  }
}
