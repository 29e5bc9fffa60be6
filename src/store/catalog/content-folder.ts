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

/** Where articles are read from. */
export interface ContentFolder extends Conventions {
  /** Absolute path. */
  readonly root: string;
  /**
   * Canonical URLs that no new article gets, as the server answers them itself; `/*` at the end of one stands for all below.
   * Those of plugins are added at the start.
   */
  readonly reservedUrls: Set<string>;
  /** What reads and writes the text of articles: in a receiver, a thread. */
  readonly codec: ArticleCodec;
  /** Why no new article can be stored, as it would not be at the URL that is answered; undefined if it can. */
  refusal(): string | undefined;
}

/** Everything that reads or makes the text of an article, and may take as long as its author likes. */
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
    html: (stored: Rendered) => renderedHtml(stored),
    comments: itemComments,
    keepComments: keepItemComments,
    assets: assetsNamedIn,
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

/** The same, asked by promises. Each may also reject with STORE_FAILED if it takes too long, or RECEIVER_BUSY. */
export type ArticleCodec = {
  readonly [Kind in keyof TextWork]: (
    ...args: Parameters<TextWork[Kind]>
  ) => Promise<ReturnType<TextWork[Kind]>>;
};

/** A codec that works in the thread that asks. */
function codecHere(content: Conventions): ArticleCodec {
  const asked = Object.entries(textWork(content)).map(([kind, work]) => [
    kind,
    async (...args: unknown[]): Promise<unknown> => Reflect.apply(work, undefined, args),
  ]);
  return Object.fromEntries(asked);
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

/** The same folder, whose files are read in the thread that asks: for a start or a command, on which no delivery waits. */
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

/** An article file as it was on the disk. */
export interface DecodedFile {
  readonly fingerprint: Fingerprint;
  readonly stored: StoredArticle;
}

/** The same with its text. */
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

/** The same in this thread, for a start or a command, on which no delivery waits. */
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

/** What keeps every file from being read: a failure of this process or of its machine. */
const SHORTAGES = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

/**
 * Whether reading has failed because of this one file, which is there: a bad block, no permission, a loop of links, a
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
 * @returns undefined if the file is gone.
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

/** The same in this thread, with the file, so that it is not read twice for its page; without, if it cannot be read. */
export function readPageEntry(
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

/** The text of a file, or why it alone cannot be read; undefined if it is gone. */
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

/** So much of a file that took too long is looked into for its id and its URL, in characters: they stand at its beginning. */
const LONGEST_BEGINNING = 10_000;

/** What stands for the text of such a file. */
const UNREAD: Text = { text: '', fingerprint: NEVER_READ };

function readAt({ root }: ContentFolder, path: string): Text {
  const { text, stat } = readText(join(root, path));
  return { text, fingerprint: fingerprintOf(stat) };
}
