import type { ArticleData } from '../contract/envelope.js';
import { itemComments } from '../contract/item-comment.js';
import { termName, termNames, trimmedName } from './names.js';
import { dateOnArrival } from './publication.js';

export { commentPlaces, itemComment, itemComments } from '../contract/item-comment.js';

/** The title of an article without one, in the file and in lookups (a lookup's title is never empty). */
export const PLACEHOLDER_TITLE = 'Untitled';

/** The fields that the service may set, at publication and in updates. */
export interface ArticleContent {
  readonly title: string;
  readonly description: string;
  readonly author: string;
  readonly tags: readonly string[];
  readonly keyword: string;
  /** The address of the featured image; null if there is none. */
  readonly image: string | null;
  /** Ready-made `<script type="application/ld+json">` blocks for the page's head, verbatim. */
  readonly jsonLd: string;
  /** The article as the service rendered it. */
  readonly contentHtml: string;
  /** The text below the front matter: the service's Markdown, or `contentHtml` if it sent none. */
  readonly body: string;
}

/** Front matter besides Pressmark's own: a person's keys and those of `article.frontMatter` filters. */
export type ExtraKeys = Readonly<Record<string, unknown>>;

/** An incoming article, before its slug, file and URL are chosen. */
export interface ArticleDraft extends ArticleContent {
  readonly id: string;
  /** The service's unchanged suggestion; `article-store` makes it safe and unique. */
  readonly slug: string;
  /** First publication, ISO 8601. */
  readonly date: string;
  readonly extra: ExtraKeys;
  /** The reason why the article is held, that is, stored and not shown; undefined if it is not held. */
  readonly held?: string;
  /** Further fields from the service, for filters; they are not stored. */
  readonly source?: Readonly<Record<string, unknown>>;
  /** A digest of the last input of an adapter; undefined if the webhook has delivered the article. */
  readonly received?: string;
  /** The first revision. @default made from the file's text */
  readonly revision?: string;
}

/** A stored article. */
export interface Article extends ArticleDraft {
  /** The compare-and-set token (contract: Receiver article state). */
  readonly revision: string;
  /** Absolute public URL, frozen at publication. */
  readonly url: string;
  /** The time of the last update, ISO 8601; null before the first. */
  readonly updated: string | null;
}

/** Appends the item comments of `original` that `text` has lost (contract: Body additions). */
export function keepItemComments(text: string, original: string): string {
  const comments = itemComments(original);
  if (comments.length === 0) return text;
  const kept = new Set(itemComments(text));
  const lost = comments.filter((comment) => !kept.has(comment));
  return lost.length === 0 ? text : [text, ...lost].join('\n');
}

/**
 * The draft in an `article.published` delivery, whose names are normalised by `namesOf`. @param now the time of its arrival, in
 * ms since 1970.
 */
export function draftOf(data: ArticleData, now = Date.now()): ArticleDraft {
  const date = dateOnArrival(data.published_at, now);
  const { id, slug, source } = data;
  return { id, slug, date, extra: {}, ...contentOf(data), ...(source !== undefined && { source }) };
}

/** The fields that an `article.updated` delivery replaces. A null image keeps the stored one (contract: article.updated, 5). */
export function replacementOf(data: ArticleData, stored: Pick<Article, 'image'>): ArticleContent {
  const content = contentOf(data);
  return { ...content, image: content.image ?? stored.image };
}

/** Only the fields that an update may replace. */
export function contentFields(from: ArticleContent): ArticleContent {
  const { title, description, author, tags, keyword, image, jsonLd, contentHtml, body } = from;
  return { title, description, author, tags, keyword, image, jsonLd, contentHtml, body };
}

/** Normalises the title, the author and the tags as they are stored. */
export function namesOf({ title, author, tags }: Pick<ArticleData, 'title' | 'author' | 'tags'>) {
  return {
    title: trimmedName(title) || PLACEHOLDER_TITLE,
    author: termName(author),
    tags: termNames(tags),
  };
}

function contentOf(data: ArticleData): ArticleContent {
  const { title, author, tags } = data;
  return {
    title,
    description: data.meta_description,
    author,
    tags,
    keyword: data.focus_keyword,
    image: data.featured_image_url,
    jsonLd: data.json_ld,
    contentHtml: data.content_html,
    body: data.content_markdown === '' ? data.content_html : data.content_markdown,
  };
}
