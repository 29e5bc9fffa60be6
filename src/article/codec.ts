import { hash } from 'node:crypto';
import { type Article, keepItemComments } from './article.js';
import { fileText } from './file-text.js';
import { type FrontMatter, listOf, splitFrontMatter, textOf } from './front-matter/read.js';
import { withLf } from './line-ends.js';
import { isSlowMarkdown, renderMarkdown, unrenderedHtml } from './markdown.js';
import { readOwnForm, readOwnTop } from './own-form.js';
import { type StoredUrl, withUrl } from './stored-url.js';

/** The front matter that is Pressmark's; every other key is a person's or a plugin's. */
export const OWN_KEYS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'date',
  'updated',
  'author',
  'tags',
  'keyword',
  'image',
  'slug',
  'id',
  'revision',
  'url',
  'digest',
  'body_digest',
  'json_ld',
  'content_html',
]);

/** An article as it stands in its file. */
export interface StoredArticle {
  /** `revision` is the current one: the file's own, or `edit-…` where a person has edited it. */
  readonly article: Article;
  /** Whether a person has changed anything since Pressmark wrote the file. */
  readonly edited: boolean;
  /** Whether the body differs from what `contentHtml` renders; then the body is what is rendered. */
  readonly bodyEdited: boolean;
  /** The digest in the file: that of the version which Pressmark wrote last; undefined where there is none. */
  readonly digest: string | undefined;
  /** Whether the body is HTML; Markdown where it is undefined. */
  readonly bodyKind?: 'html';
  /** Whether the URL is certain; undefined where the file pins it. */
  readonly address?: Address;
}

/**
 * What is known of the URL of a file that does not pin it: listed by its generator, or not to be relied upon, and
 * why not, as the end of a sentence that begins with the file's name.
 */
export type Address =
  | { readonly kind: 'listed' }
  | {
      readonly kind: 'unknown';
      readonly reason: string;
      /** Whether the file has a date in the future: it is the only reason that passes while the file stays as it is. */
      readonly isFuture?: true;
    };

/** What an article is called whose file a person wrote without saying so. */
export interface Fallback {
  readonly id: string;
  readonly slug: string;
  url(slug: string, date: string): string;
}

/**
 * The Markdown file of an article. First what a person reads, last the long blocks; every string is
 * double-quoted or a literal block, so that all YAML readers agree.
 */
export function encode(article: Article): string {
  return fileText(article, article.revision).text;
}

/** A new article's file. */
export interface FirstFile {
  readonly text: string;
  /** The text in UTF-8, which is made on the way, as the digests are of bytes. */
  readonly bytes: Uint8Array;
  readonly article: Article;
  /** Whether the URL is certain; undefined where the file pins it. */
  readonly address?: Address;
}

/** The file of a new article, whose first revision is made from everything else that stands in it. */
export function encodeFirst(article: Omit<Article, 'revision'>): FirstFile {
  const { revision, text, bytes } = fileText(article, undefined);
  return { text, bytes, article: { revision, ...article } };
}

/**
 * Reads an article's file; the inverse of `encode`. A file that a person wrote from nothing is an article
 * too: what it does not say comes from `fallback`.
 *
 * @throws PressmarkError FRONT_MATTER_INVALID, its message starting with `line <n>: `.
 */
export function decode(text: string, fallback: Fallback): StoredArticle {
  const { data, body } = split(text);
  const digest = textOf(data, 'digest');
  const edited = digest !== fileDigest(text);
  const revision = edited ? editRevision(text) : (textOf(data, 'revision') ?? editRevision(text));
  const article: Article = { revision, ...fieldsOf(data, body, fallback) };
  return { article, edited, bodyEdited: textOf(data, 'body_digest') !== digestOf(body), digest };
}

/** An article's file as pages need it: without its revision, which costs a digest of the whole file. */
export interface ReadableArticle {
  readonly article: Omit<Article, 'revision'>;
  /** The HTML that the article is shown with, see `renderedHtml`. */
  html(): string;
  /** Whether `decodeTop` reads the same keys and values in it, as far as it reads. */
  readonly isTopFirst: boolean;
  /** Whether the URL is certain; undefined where the file pins it. */
  readonly address?: Address;
}

/**
 * Reads an article's file for its pages and for the catalog.
 *
 * @throws PressmarkError FRONT_MATTER_INVALID, its message starting with `line <n>: `.
 */
export function decodeForPages(text: string, fallback: Fallback): ReadableArticle {
  const { data, body, isTopFirst = false } = split(text);
  const article = fieldsOf(data, body, fallback);
  const html = () => renderedHtml({ article, bodyEdited: textOf(data, 'body_digest') !== digestOf(body) });
  return { article, html, isTopFirst };
}

/**
 * What stands at the beginning of an article's file: everything but the long texts, in a fraction of the time.
 *
 * @param text the beginning of the file.
 * @returns undefined where the whole file must be read. It must be anyhow before one relies on it: it may be malformed
 *   further down, or say more there; see `isTopFirst`.
 */
export function decodeTop(text: string, fallback: Fallback): ReadableArticle['article'] | undefined {
  const data = readOwnTop(text);
  return data && fieldsOf(data, '', fallback);
}

function split(text: string): FrontMatter {
  return readOwnForm(text) ?? splitFrontMatter(text);
}

function fieldsOf(data: FrontMatter['data'], body: string, fallback: Fallback): Omit<Article, 'revision'> {
  const slug = textOf(data, 'slug') ?? fallback.slug;
  const date = textOf(data, 'date') ?? '';
  return {
    title: textOf(data, 'title') ?? fallback.slug,
    description: textOf(data, 'description') ?? '',
    date,
    updated: textOf(data, 'updated') ?? null,
    author: textOf(data, 'author') ?? '',
    tags: listOf(data, 'tags'),
    keyword: textOf(data, 'keyword') ?? '',
    image: textOf(data, 'image') ?? null,
    slug,
    extra: Object.fromEntries(Object.entries(data).filter(([key]) => !OWN_KEYS.has(key))),
    id: textOf(data, 'id') ?? fallback.id,
    url: textOf(data, 'url') ?? fallback.url(slug, date),
    jsonLd: textOf(data, 'json_ld') ?? '',
    contentHtml: textOf(data, 'content_html') ?? '',
    body,
  };
}

/**
 * The HTML that the article is shown with. The service's own to the byte, until a person edits the body, or
 * where it sent Markdown alone; then the body is rendered as Markdown, and the item comment survives
 * (contract: Body additions). Long Markdown is not rendered; see `isSlowMarkdown`.
 */
export function renderedHtml({ article: { body, contentHtml }, bodyEdited, bodyKind }: Rendered): string {
  if (!bodyEdited && contentHtml !== '') return contentHtml;
  if (bodyKind === 'html') return keepItemComments(body, contentHtml);
  if (isSlowMarkdown(body)) return unrenderedHtml(body, contentHtml);
  return keepItemComments(renderMarkdown(body), contentHtml);
}

/** What `renderedHtml` needs of a stored article. */
export type Rendered = Pick<StoredArticle, 'bodyEdited' | 'bodyKind'> & {
  readonly article: Pick<Article, 'body' | 'contentHtml'>;
};

/** `sha256-` and the hex digest of a text with its line ends as LF: a checkout with autocrlf is not an edit. */
export function digestOf(text: string): string {
  return `sha256-${hash('sha256', withLf(text))}`;
}

/** The revision of a file that a person has edited. */
export function editRevision(text: string): string {
  return `edit-${hash('sha256', withLf(text)).slice(0, 32)}`;
}

/** The digest of a whole file: over everything but its `revision` and `digest` lines. */
export function fileDigest(text: string): string {
  // Normalised once: a second pass would take the \r of an original \r\r\n for part of a line end.
  const lf = withLf(text);
  const end = lf.indexOf('\n---\n', 3);
  const covered = end === -1 ? lf : withoutLine(withoutLine(lf, 'revision', end), 'digest', end);
  return `sha256-${hash('sha256', covered)}`;
}

/** The URL in a file; there its address is nowhere else. */
export function plainStoredUrl(text: string): StoredUrl | undefined {
  const url = textOf(readOwnTop(text) ?? split(text).data, 'url');
  return url === undefined ? undefined : { url, address: undefined };
}

/** The file with another URL. The digest of a pristine file follows, that of an edited one shows the edit as before. */
export function plainWithStoredUrl(text: string, { edited, digest }: StoredArticle, url: string): string {
  const moved = withUrl(text, url, (one) => {
    const { data, body } = split(one);
    return { url: textOf(data, 'url'), rest: { data: { ...data, url: '' }, body } };
  });
  return edited || digest === undefined ? moved : moved.replace(digest, fileDigest(moved));
}

function withoutLine(text: string, key: string, before: number): string {
  const start = text.indexOf(`\n${key}: `);
  if (start === -1 || start > before) return text;
  return text.slice(0, start) + text.slice(text.indexOf('\n', start + 1));
}
