import { join } from 'node:path';
import { type Article, itemComments, keepItemComments } from '../../article/article.js';
import { assetsNamedIn } from '../../article/asset.js';
import type { ArticleFormat } from '../../article/format/format.js';
import { plainFormat } from '../../article/format/plain.js';
import { signsOf } from '../../article/names.js';
import { isAsSent, type Rendered, renderedHtml, type StoredArticle } from '../../article/stored-article.js';
import { isGone, messageOf, PressmarkError, systemCode } from '../../errors.js';
import { type Fingerprint, fingerprintOf } from '../../fs/fingerprint.js';
import { readText } from '../../fs/read-text.js';
import type { Layout } from '../../generators/layout.js';
import { brokenEntry, type Conventions, type Entry, entryIn, NEVER_READ, type Text } from './entry.js';

/** The folder of articles, and how its files are read. */
export interface ContentFolder extends Conventions {
  /** The folder's absolute path. */
  readonly root: string;
  /**
   * Canonical URLs that the server answers itself, so that no new article gets them; `/*` at the end includes all URLs below.
   * Plugins' URLs are added at the start.
   */
  readonly reservedUrls: Set<string>;
  /** Reads and writes articles' text; in a receiver, in another thread. */
  readonly codec: ArticleCodec;
  /** Returns why no new article can be stored, because its page would have another URL; undefined if there is no obstacle. */
  refusal(): string | undefined;
}

/** Returns the functions that read or make articles' text. Their time depends on the text, which may be hostile. */
export function textWork(content: Conventions) {
  const { format } = content;
  const { decode, encode, amend, inState, storedUrl, tagKey = String, extension } = format;
  return {
    decode,
    encode,
    amend,
    inState,
    storedUrl,
    /** See `entryIn`. */
    entry: (path: string, read: Text, known?: Entry) => entryIn(content, path, read, known).entry,
    ownTags: (tags: readonly string[]) => ownTags(tags, tagKey),
    extension: (draft: Pick<Article, 'body' | 'contentHtml'>) =>
      typeof extension === 'string' ? extension : extension(draft),
    /** The HTML of Markdown as it was sent, without escapes for the site's generator. */
    html: (sent: Rendered) => renderedHtml(sent),
    htmlOfStored: ({ article, ...stored }: Rendered) =>
      renderedHtml({ ...stored, article: { ...article, body: format.sentBody(article.body) } }),
    comments: itemComments,
    keepComments: keepItemComments,
    assets: assetsNamedIn,
  };
}

/** Returns an article's tags that have a key, each once, with their keys and signs. */
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

/**
 * The functions of `textWork`, asynchronous. They may also reject with STORE_FAILED if they take too long, or with
 * RECEIVER_BUSY.
 */
export type ArticleCodec = {
  readonly [Kind in keyof TextWork]: (
    ...args: Parameters<TextWork[Kind]>
  ) => Promise<ReturnType<TextWork[Kind]>>;
};

/** Creates a codec that works in the calling thread. */
function codecHere(content: Conventions): ArticleCodec {
  const asked = Object.entries(textWork(content)).map(([kind, work]) => [
    kind,
    async (...args: unknown[]): Promise<unknown> => Reflect.apply(work, undefined, args),
  ]);
  return Object.fromEntries(asked);
}

/** Creates a content folder; by default, of a site that Pressmark builds itself. */
export function contentFolder(
  root: string,
  layout: Layout,
  format: ArticleFormat = plainFormat(layout.url),
  refusal: ContentFolder['refusal'] = () => undefined,
): ContentFolder {
  const codec = codecHere({ layout, format });
  return { root, layout, format, codec, reservedUrls: new Set(), refusal };
}

/** Returns the same folder with a codec in the calling thread: for the start and for commands, when no delivery waits. */
export function readHere(content: ContentFolder): ContentFolder {
  return { ...content, codec: codecHere(content) };
}

/** Whether the server answers a canonical URL itself. */
export function isReserved({ reservedUrls }: Pick<ContentFolder, 'reservedUrls'>, url: string): boolean {
  if (reservedUrls.has(url)) return true;
  for (let at = url.lastIndexOf('/'); at > 0; at = url.lastIndexOf('/', at - 1))
    if (reservedUrls.has(`${url.slice(0, at)}/*`)) return true;
  return false;
}

/** A decoded article file and its fingerprint. */
export interface DecodedFile {
  readonly fingerprint: Fingerprint;
  readonly stored: StoredArticle;
}

/** A decoded article file with its text. */
export interface ReadFile extends DecodedFile {
  readonly text: string;
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

/** Like `readArticle`, but in this thread: for the start and for commands, when no delivery waits. */
export function readArticleSync(content: ContentFolder, path: string): ReadFile {
  const { text, fingerprint } = readAt(content, path);
  return { text, fingerprint, stored: content.format.decode(text, path) };
}

/** Whether a file was read, but its text cannot be decoded as an article's. */
export function isMalformed(error: unknown): error is PressmarkError {
  return error instanceof PressmarkError && error.code.startsWith('FRONT_MATTER_');
}

/** Returns the HTML of an article, without the escapes that its file has for the site's generator; see `renderedHtml`. */
export async function htmlOf({ codec }: Pick<ContentFolder, 'codec'>, stored: Rendered): Promise<string> {
  const { bodyEdited, bodyKind, article } = stored;
  const { body, contentHtml } = article;
  if (isAsSent(stored)) return contentHtml;
  return codec.htmlOfStored({ article: { body, contentHtml }, bodyEdited, ...(bodyKind && { bodyKind }) });
}

/** The system's errors that affect all files: failures of this process or machine. */
const SHORTAGES = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

/**
 * Whether reading failed because of this existing file: a bad block, no permission, a loop of links, or too large for a string.
 */
export function isUnreadable(error: unknown): boolean {
  if (error instanceof PressmarkError || isGone(error)) return false;
  const code = systemCode(error);
  return code !== undefined && !SHORTAGES.has(code);
}

/**
 * Reads a file's entry for the catalog. A file that is malformed, cannot be read or takes too long has an entry, too: while a
 * person is editing a file, a redelivery must find its id taken, and one bad file must not prevent reading the others.
 *
 * @param known the present entry, for the id and URL of a malformed file.
 * @returns undefined if the file is gone.
 * @throws the system's error if no file can be read now; PressmarkError RECEIVER_BUSY.
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
    // `NEVER_READ`, so that it is read again next time: the cause may be the thread, not the file.
    const beginning = { text: read.text.slice(0, LONGEST_BEGINNING), fingerprint: NEVER_READ };
    return brokenEntry(content, path, beginning, error.message, known);
  }
}

/**
 * Like `readEntry`, but in this thread. It also returns the file, if it can be read, so that it is not read again for its page.
 */
export function readEntrySync(
  content: ContentFolder,
  path: string,
  known?: Entry,
): { readonly entry: Entry; readonly file?: DecodedFile } | undefined {
  const read = textOrReason(content, path);
  if (read === undefined) return undefined;
  if ('reason' in read) return { entry: brokenEntry(content, path, UNREAD, read.reason, known) };
  const { entry, stored } = entryIn(content, path, read, known);
  return { entry, ...(stored && { file: { stored, fingerprint: read.fingerprint } }) };
}

/** Reads a file's text, or the reason why this file cannot be read; undefined if it is gone. */
function textOrReason(content: ContentFolder, path: string): Text | { readonly reason: string } | undefined {
  try {
    return readAt(content, path);
  } catch (error) {
    if (isGone(error)) return undefined;
    if (!isUnreadable(error)) throw error;
    // Only the first part of the message: the second is an absolute path.
    return { reason: messageOf(error).split(',', 1)[0] ?? '' };
  }
}

/** Reads the text of a file; undefined if it is gone or cannot be read, as the start and `doctor` report. */
export function textOrNothing(path: string): string | undefined {
  try {
    return readText(path).text;
  } catch (error) {
    if (isGone(error) || isUnreadable(error)) return undefined;
    throw error;
  }
}

/** How much of a file that took too long is searched for its id and URL, which are at its beginning, in characters. */
const LONGEST_BEGINNING = 10_000;

/** Replaces the text of a file that cannot be read. */
const UNREAD: Text = { text: '', fingerprint: NEVER_READ };

function readAt({ root }: ContentFolder, path: string): Text {
  const { text, stat } = readText(join(root, path));
  return { text, fingerprint: fingerprintOf(stat) };
}
