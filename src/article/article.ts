import type { ArticleData } from '../contract/envelope.js';
import { itemComments } from '../contract/item-comment.js';
import { termName, termNames, trimmedName } from './names.js';
import { dateOnArrival } from './publication.js';

export { commentPlaces, itemComment, itemComments } from '../contract/item-comment.js';

/** What an article without a title is called, in the file and in lookups (a lookup's title is never empty). */
export const PLACEHOLDER_TITLE = 'Untitled';

/** What the service may set, at publication and again by an update. */
export interface ArticleContent {
  readonly title: string;
  readonly description: string;
  readonly author: string;
  readonly tags: readonly string[];
  readonly keyword: string;
  /** Address of the featured image; null if there is none. */
  readonly image: string | null;
  /** Ready-made `<script type="application/ld+json">` blocks for the page's head, verbatim. */
  readonly jsonLd: string;
  /** The article as the service rendered it. */
  readonly contentHtml: string;
  /** What stands below the front matter: the service's Markdown, or `contentHtml` where it sent none. */
  readonly body: string;
}

/** Front matter that is not Pressmark's: a person's keys and those of `article.frontMatter` filters. */
export type ExtraKeys = Readonly<Record<string, unknown>>;

/** An article on its way in: what was sent, before a slug, a file and a URL are chosen. */
export interface ArticleDraft extends ArticleContent {
  readonly id: string;
  /** The service's suggestion, as it came; `article-store` makes it safe and unique. */
  readonly slug: string;
  /** First publication, ISO 8601. */
  readonly date: string;
  readonly extra: ExtraKeys;
  /** Why it is held: stored, and not shown; none if it is not. */
  readonly held?: string;
  /** What else the service sent, for filters; it is not stored. */
  readonly source?: Readonly<Record<string, unknown>>;
  /** A digest of what an adapter has handed over last; none if the webhook has delivered the article. */
  readonly received?: string;
  /** The first revision. @default made of the file's text */
  readonly revision?: string;
}

/** A stored article. */
export interface Article extends ArticleDraft {
  /** The compare-and-set token (contract: Receiver article state). */
  readonly revision: string;
  /** Absolute public URL, frozen at publication. */
  readonly url: string;
  /** When it was last replaced by an update, ISO 8601; null before the first. */
  readonly updated: string | null;
}

/** `text`, with those item comments of `original` appended that it has lost (contract: Body additions). */
export function keepItemComments(text: string, original: string): string {
  const comments = itemComments(original);
  if (comments.length === 0) return text;
  const kept = new Set(itemComments(text));
  const lost = comments.filter((comment) => !kept.has(comment));
  return lost.length === 0 ? text : [text, ...lost].join('\n');
}

/** The draft that an `article.published` delivery describes, whose names are those of `namesOf`. @param now when it has come, in ms since 1970. */
export function draftOf(data: ArticleData, now = Date.now()): ArticleDraft {
  const date = dateOnArrival(data.published_at, now);
  const { id, slug, source } = data;
  return { id, slug, date, extra: {}, ...contentOf(data), ...(source !== undefined && { source }) };
}

/**
 * What an `article.updated` delivery replaces. A null image leaves the stored one untouched
 * (contract: article.updated, 5).
 */
export function replacementOf(data: ArticleData, stored: Pick<Article, 'image'>): ArticleContent {
  const content = contentOf(data);
  return { ...content, image: content.image ?? stored.image };
}

/** Only what an update may replace, of something that holds more. */
export function contentFields(from: ArticleContent): ArticleContent {
  const { title, description, author, tags, keyword, image, jsonLd, contentHtml, body } = from;
  return { title, description, author, tags, keyword, image, jsonLd, contentHtml, body };
}

/** The names in what was sent as they are stored. */
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
