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
 * What the catalog knows of one article file: what a delivery is decided by, and what a list of articles shows. Texts are
 * shortened, as an entry stays in memory.
 */
export interface Entry {
  /** Below the content folder, with forward slashes. */
  readonly path: string;
  readonly fingerprint: Fingerprint;
  /** See `catalogId`. */
  readonly id: string;
  /** As it stands in the file, where a person may have written something that is no URL; the catalog has its canonical form. */
  readonly url: string;
  /** Undefined if the file cannot be read. */
  readonly title?: string;
  /** When it was published, as the file says it; undefined if the file says nothing. */
  readonly date?: string;
  /** See `spellingTags`; undefined if there are none. */
  readonly tags?: readonly string[];
  /** Undefined if there is none, or the name is of an absurd length. */
  readonly author?: string;
  /** What of its text is a person's, see `personsPart`. It is not looked for where pages are made. */
  readonly byPerson?: PersonsPart;
  /** Whether the URL is certain; undefined if it is pinned by the file. */
  readonly address?: Address;
  /** When its page is due, in ms since 1970; undefined if that was so when the file was written. */
  readonly from?: number;
  /** When it expires, in ms since 1970. */
  readonly until?: number;
  /** Whether it is stored and not shown; undefined if it is not. */
  readonly isHeld?: true;
  /** Whether the site's generator leaves it out as a draft; undefined if it does not. */
  readonly isDraft?: true;
  /** Why the file cannot be read, `line <n>: …` or the system's error; it then keeps its id and URL taken, but is not an article. */
  readonly broken?: string;
  /** Whether the file is in a form that is not read at all, such as `---js`; `broken` says which. */
  readonly isUnsupported?: boolean;
}

/** How a site's article files are written, and where they and their pages are. */
export interface Conventions {
  readonly layout: Layout;
  readonly format: ArticleFormat;
}

/** The text of a file, and the fingerprint that it had then. */
export interface Text {
  readonly text: string;
  readonly fingerprint: Fingerprint;
}

/** The fingerprint of a file that could not be read. No file has it, so that it is read again whenever it is looked at. */
export const NEVER_READ: Fingerprint = { ino: -1, size: -1, mtimeMs: -1 };

/** Whether an entry is of a file that could not even be read; `broken` has the system's words. */
export function isUnread({ fingerprint }: Entry): boolean {
  return sameFingerprint(fingerprint, NEVER_READ);
}

/** Whether the URL of an entry becomes certain at some time although nobody changes the file. */
export function isFuture({ address }: Entry): boolean {
  return address?.kind === 'unknown' && address.isFuture === true;
}

/** The state of an article whose file can be read; a draft is as good as live. @param now in ms since 1970. */
export function entryState({ isHeld, from, until }: Entry, now: number): ArticleState {
  if (isHeld === true) return 'held';
  return stateAt({ kind: 'dated', from, until }, now);
}

/** The entry that a file's text makes, and what the file holds; a malformed one keeps its id and URL taken. */
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

/** What an entry is made of. */
type Readable = Pick<StoredArticle, 'address' | 'publication'> &
  Partial<Pick<StoredArticle, 'edited' | 'digest'>> & {
    readonly article: Pick<Article, 'id' | 'url' | 'title' | 'date' | 'tags' | 'author'> &
      Partial<Pick<Article, 'revision'>>;
  };

/** The times at which the state of an article changes; nearly all files were written after theirs. */
function timesOf(
  publication: Publication,
  { mtimeMs }: Fingerprint,
  isListed: boolean,
): Pick<Entry, 'isHeld' | 'isDraft' | 'from' | 'until'> {
  if (publication.kind === 'held') return { isHeld: true };
  // A site may make a page of what says that it is a draft.
  if (publication.kind === 'draft') return isListed ? {} : { isDraft: true };
  const { from, until } = publication;
  const isScheduled = from !== undefined && from > Math.min(mtimeMs, Date.now());
  return { ...(isScheduled && { from }), ...(until !== undefined && { until }) };
}

/** The entry of an article that was just read or written. */
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

/** Characters of an id, at the most, that an entry keeps as it is. */
const LONGEST_ID = 1_000;

/** The id by which the catalog knows an article: the article's own, or its digest where that is of an absurd length. */
export function catalogId(id: string): string {
  return id.length <= LONGEST_ID ? id : `sha256-${hash('sha256', id)}`;
}

/** Characters of a title, at the most. */
export const LONGEST_TITLE = 200;
/** Characters of a date, at the most. */
const LONGEST_DATE = 60;

/** Tags of one article that an entry has, at the most, and characters of such a tag or author. */
const MOST_SPELLING_TAGS = 100;
export const LONGEST_SPELLING = 200;

/** Those of an article's tags that an entry has, and that fix how later articles spell the same tag. */
export function spellingTags(tags: readonly string[]): readonly string[] {
  return tags.slice(0, MOST_SPELLING_TAGS).filter(({ length }) => length <= LONGEST_SPELLING);
}

/** A string cut out of a file keeps its whole text in memory: through JSON each one becomes its own. */
export function ownStrings<E extends Entry>(entry: E): E {
  return JSON.parse(JSON.stringify(entry)) as E;
}

/** What can still be known of a malformed file: its id and URL as they were, or as their lines say. */
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
    return undefined; // this very line is what is malformed
  }
}
