import { hash } from 'node:crypto';
import { join } from 'node:path';
import { type Article, itemComments, keepItemComments } from '../../article/article.js';
import { assetsNamedIn } from '../../article/asset.js';
import type { ArticleFormat } from '../../article/format/format.js';
import { plainFormat } from '../../article/format/plain.js';
import { reasonOf } from '../../article/front-matter/read.js';
import { hasNames, shortened, signsOf } from '../../article/names.js';
import { type PersonsPart, personsPart } from '../../article/own-revisions.js';
import { type ArticleState, type Publication, stateAt } from '../../article/publication.js';
import {
  type Address,
  isAsSent,
  type ReadableArticle,
  type Rendered,
  renderedHtml,
  type StoredArticle,
} from '../../article/stored-article.js';
import { messageOf, PressmarkError, systemCode } from '../../errors.js';
import { type Fingerprint, fingerprintOf } from '../../fs/fingerprint.js';
import { readText } from '../../fs/read-text.js';
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
  /** Undefined where the file cannot be read. */
  readonly title?: string;
  /** When it was published, as the file says it; undefined where the file says nothing. */
  readonly date?: string;
  /** See `spellingTags`; undefined where there are none. */
  readonly tags?: readonly string[];
  /** Undefined where there is none, or the name is of an absurd length. */
  readonly author?: string;
  /** What of its text is a person's, see `personsPart`. It is not looked for where pages are made. */
  readonly byPerson?: PersonsPart;
  /** Whether the URL is certain; undefined where it is pinned by the file. */
  readonly address?: Address;
  /** When its page is due, in ms since 1970; undefined where that was so when the file was written. */
  readonly from?: number;
  /** When it expires, in ms since 1970. */
  readonly until?: number;
  /** Whether it is stored and not shown; undefined where it is not. */
  readonly isHeld?: true;
  /** Whether the site's generator leaves it out as a draft; undefined where it does not. */
  readonly isDraft?: true;
  /** Why the file cannot be read, `line <n>: …` or the system's error; it then keeps its id and URL taken, but is not an article. */
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
  /** Canonical URLs that no new article gets, as the server answers them itself. Plugins' routes are added at the start. */
  readonly reservedUrls: Set<string>;
  /** What reads and writes the text of articles: in a receiver, a thread. */
  readonly codec: ArticleCodec;
  /** Why no new article can be stored, as it would not be at the URL that is answered; undefined where it can. */
  refusal(): string | undefined;
}

/** Everything that reads or makes the text of an article, and may take as long as its author likes. */
export function textWork(content: Pick<ContentFolder, 'format' | 'layout'>) {
  const { format } = content;
  const { decode, encode, amend, inState, storedUrl, tagKey = String, extension } = format;
  return {
    decode,
    encode,
    amend,
    inState,
    storedUrl,
    /** See `entryIn`. */
    entry: (path: string, read: Text, known?: Entry) => entryIn(content, path, read, known),
    ownTags: (tags: readonly string[]) => ownTags(tags, tagKey),
    extension: (draft: Pick<Article, 'body' | 'contentHtml'>) =>
      typeof extension === 'string' ? extension : extension(draft),
    html: (stored: Rendered) => renderedHtml(stored),
    comments: itemComments,
    keepComments: keepItemComments,
    assets: assetsNamedIn,
    hasNames,
  };
}

/** Those of an article's tags that have a key, each once, with their keys and signs. */
export function ownTags(tags: readonly string[], tagKey: (tag: string) => string) {
  const own = new Map<string, { readonly key: string; readonly signs: string; readonly tag: string }>();
  for (const tag of tags) {
    const key = tagKey(tag);
    const signs = signsOf(tag);
    const name = `${key} ${signs}`;
    if (key !== '' && !own.has(name)) own.set(name, { key, signs, tag });
  }
  const each = [...own.values()];
  return {
    keys: each.map(({ key }) => key),
    signs: each.map(({ signs }) => signs),
    tags: each.map(({ tag }) => tag),
  };
}

export type TextWork = ReturnType<typeof textWork>;

/** The same, asked by promises. Each may also reject with STORE_FAILED where it takes too long, or RECEIVER_BUSY. */
export type ArticleCodec = {
  readonly [Kind in keyof TextWork]: (
    ...args: Parameters<TextWork[Kind]>
  ) => Promise<ReturnType<TextWork[Kind]>>;
};

/** A codec that works in the thread that asks. */
function codecHere(content: Pick<ContentFolder, 'format' | 'layout'>): ArticleCodec {
  const work = textWork(content);
  return {
    entry: async (...args) => work.entry(...args),
    decode: async (...args) => work.decode(...args),
    encode: async (...args) => work.encode(...args),
    amend: async (...args) => work.amend(...args),
    inState: async (...args) => work.inState(...args),
    storedUrl: async (...args) => work.storedUrl(...args),
    ownTags: async (...args) => work.ownTags(...args),
    extension: async (...args) => work.extension(...args),
    html: async (...args) => work.html(...args),
    comments: async (...args) => work.comments(...args),
    keepComments: async (...args) => work.keepComments(...args),
    assets: async (...args) => work.assets(...args),
    hasNames: async (...args) => work.hasNames(...args),
  };
}

/** A content folder; without a format, one of a site that Pressmark builds itself. */
export function contentFolder(
  root: string,
  layout: Layout,
  format: ArticleFormat = plainFormat(layout.url),
  refusal: ContentFolder['refusal'] = () => undefined,
): ContentFolder {
  const codec = codecHere({ layout, format });
  return { root, layout, format, codec, reservedUrls: new Set(), refusal };
}

/** The text of a file, and the fingerprint that it had then. */
interface Text {
  readonly text: string;
  readonly fingerprint: Fingerprint;
}

/** An article file as it is on the disk now. */
export interface ReadFile {
  readonly text: string;
  readonly fingerprint: Fingerprint;
  readonly stored: StoredArticle;
}

/**
 * Reads and decodes one article file.
 *
 * @throws PressmarkError FRONT_MATTER_INVALID, STORE_FAILED, RECEIVER_BUSY; or the system's error, such as ENOENT.
 */
export async function readArticle(content: ContentFolder, path: string): Promise<ReadFile> {
  const { text, fingerprint } = readAt(content, path);
  return { text, fingerprint, stored: await content.codec.decode(text, path) };
}

/** The same in this thread, where nobody waits for an answer. */
export function readArticleSync(content: ContentFolder, path: string): ReadFile {
  const { text, fingerprint } = readAt(content, path);
  return { text, fingerprint, stored: content.format.decode(text, path) };
}

/** The HTML that an article is shown with, see `renderedHtml`. */
export async function htmlOf({ codec }: Pick<ContentFolder, 'codec'>, stored: Rendered): Promise<string> {
  const { bodyEdited, bodyKind, article } = stored;
  const { body, contentHtml } = article;
  if (isAsSent(stored)) return contentHtml;
  return codec.html({ article: { body, contentHtml }, bodyEdited, ...(bodyKind && { bodyKind }) });
}

/** An article file as its pages and the catalog need it. */
export interface ReadablePage extends ReadableArticle {
  readonly fingerprint: Fingerprint;
}

/**
 * Reads one article file for its page.
 *
 * @throws PressmarkError FRONT_MATTER_INVALID; or the system's error, such as ENOENT.
 */
export function readForPages(content: ContentFolder, path: string): ReadablePage {
  const { text, fingerprint } = readAt(content, path);
  return { ...content.format.decodeForPages(text, path), fingerprint };
}

/** The fingerprint of a file that could not be read. No file has it, so that it is read again whenever it is looked at. */
export const NEVER_READ: Fingerprint = { ino: -1, size: -1, mtimeMs: -1 };

/** So much of a file that took too long is looked into for its id and its URL, in characters: they stand at its beginning. */
const LONGEST_BEGINNING = 10_000;

/** What stands for the text of such a file. */
const UNREAD: Text = { text: '', fingerprint: NEVER_READ };

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

/** What keeps every file from being read: a failure of this process or of its machine. */
const SHORTAGES = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

/**
 * Whether reading has failed because of this one file, which is there: a bad block, no permission, links in a circle, a
 * file that is too large for a string.
 */
export function isUnreadable(error: unknown): boolean {
  if (error instanceof PressmarkError || isGone(error)) return false;
  const code = systemCode(error);
  return code !== undefined && !SHORTAGES.has(code);
}

/**
 * Reads what the catalog keeps of a file. One that is malformed, cannot be read or takes too long is an entry too: while a
 * person is in the middle of an edit, a redelivery must find its id taken; and one such file keeps no other from being read.
 *
 * @param known the entry so far, which a malformed file's id and URL are taken from.
 * @returns undefined where the file is gone.
 * @throws the system's error where no file could be read now; PressmarkError RECEIVER_BUSY.
 */
export async function readEntry(
  content: ContentFolder,
  path: string,
  known?: Entry,
): Promise<Entry | undefined> {
  const read = textOrReason(content, path);
  if (read === undefined) return undefined;
  if ('reason' in read) return brokenEntry(content, path, UNREAD, read.reason, known);
  try {
    return await content.codec.entry(path, read, known);
  } catch (error) {
    if (!(error instanceof PressmarkError) || error.code !== 'STORE_FAILED') throw error;
    // Read again at the next look: it may have been the thread, and not the file.
    const beginning = { text: read.text.slice(0, LONGEST_BEGINNING), fingerprint: NEVER_READ };
    return brokenEntry(content, path, beginning, error.message, known);
  }
}

/**
 * The same in this thread, where nobody waits for an answer.
 *
 * @param onRead is handed what was read, so that whoever needs more of the article need not read it again.
 */
export function readEntrySync(
  content: ContentFolder,
  path: string,
  known?: Entry,
  onRead?: (path: string, read: ReadablePage) => void,
): Entry | undefined {
  const read = textOrReason(content, path);
  if (read === undefined) return undefined;
  if ('reason' in read) return brokenEntry(content, path, UNREAD, read.reason, known);
  return entryIn(content, path, read, known, onRead);
}

/** The text of a file, or why it alone cannot be read; undefined where it is gone. */
function textOrReason(content: ContentFolder, path: string): Text | { readonly reason: string } | undefined {
  try {
    return readAt(content, path);
  } catch (error) {
    if (isGone(error)) return undefined;
    if (!isUnreadable(error)) throw error;
    // Without the path of the machine, which is the second part of such a message.
    return { reason: messageOf(error).split(',', 1)[0] ?? '' };
  }
}

/** The entry that a file's text makes; a malformed one keeps its id and URL taken. */
function entryIn(
  content: Pick<ContentFolder, 'format' | 'layout'>,
  path: string,
  read: Text,
  known?: Entry,
  onRead?: (path: string, read: ReadablePage) => void,
): Entry {
  try {
    const { text, fingerprint } = read;
    if (onRead === undefined) return entryOf(path, content.format.decode(text, path), fingerprint);
    const readable = content.format.decodeForPages(text, path);
    onRead(path, { ...readable, fingerprint });
    return entryOf(path, readable, fingerprint);
  } catch (error) {
    const entry = brokenEntry(content, path, read, reasonOf(error), known);
    return isUnsupported(error) ? { ...entry, isUnsupported: true } : entry;
  }
}

function isUnsupported(error: unknown): boolean {
  return error instanceof PressmarkError && error.code === 'FRONT_MATTER_UNSUPPORTED';
}

/** What an entry is made of. */
type Readable = Pick<ReadableArticle, 'address' | 'publication'> &
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
function brokenEntry(
  content: Pick<ContentFolder, 'format' | 'layout'>,
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

function readAt({ root }: ContentFolder, path: string): Text {
  const { text, stat } = readText(join(root, path));
  return { text, fingerprint: fingerprintOf(stat) };
}

/** Whether two fingerprints are of the same, unchanged file. */
export function sameFingerprint(a: Fingerprint, b: Fingerprint): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs;
}

/** Whether an error says that a file is not there. */
export function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** The text of a file; empty where there is none. */
export function readOrEmpty(path: string): string {
  try {
    return readText(path).text;
  } catch (error) {
    if (isGone(error)) return '';
    throw error;
  }
}
