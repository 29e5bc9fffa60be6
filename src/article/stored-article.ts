import { type Article, keepItemComments } from './article.js';
import type { Publication } from './publication.js';
import { shownMarkdown } from './text/markdown.js';

/** Whether a body is Markdown or HTML. */
export type BodyKind = 'markdown' | 'html';

/** An article and the state of its file. */
export interface StoredArticle {
  /** `revision` is the current one: the file's own, or `edit-…` if a person has edited it. */
  readonly article: Article;
  /** Whether a person has changed anything since Pressmark wrote the file. */
  readonly edited: boolean;
  /** Whether the body differs from what `contentHtml` renders; then the body is rendered instead. */
  readonly bodyEdited: boolean;
  /** The digest in the file, of the version that Pressmark wrote last; undefined if there is none. */
  readonly digest: string | undefined;
  /** Set if the body is HTML, whatever was sent; undefined means Markdown. */
  readonly bodyKind?: 'html';
  /** Whether the URL is certain; undefined if the file pins it. */
  readonly address?: Address;
  /** The time span in which the article has a page. */
  readonly publication: Publication;
}

/**
 * The certainty of a URL that the file does not pin: listed by the site's generator, or unknown with a reason, as the end of a
 * sentence that begins with the file's name.
 */
export type Address =
  | { readonly kind: 'listed' }
  | {
      readonly kind: 'unknown';
      readonly reason: string;
      /** Whether the reason is a date in the future, the only one that passes without a change of the file. */
      readonly isFuture?: true;
    };

/** The URL in an article's file that the service was given. */
export interface StoredUrl {
  readonly url: string;
  /** The path below the site's URL that the file also pins; undefined if it pins none. */
  readonly address: string | undefined;
}

/**
 * The displayed HTML of an article. It is the service's unchanged HTML, unless a person has edited the body or only Markdown
 * was sent. Then the body is rendered as Markdown, and the item comment is kept (contract: Body additions).
 *
 * @param ofPeople renders Markdown that a person wrote. @default like all Markdown
 */
export function renderedHtml(stored: Rendered, ofPeople?: (markdown: string) => string): string {
  const { body, contentHtml } = stored.article;
  if (isAsSent(stored)) return contentHtml;
  const html =
    stored.bodyKind === 'html'
      ? body
      : shownMarkdown(body, contentHtml, stored.bodyEdited ? ofPeople : undefined);
  return html === contentHtml ? html : keepItemComments(html, contentHtml);
}

/** Whether the editable form of an article is HTML: it came without Markdown, or the site cannot show its Markdown. */
export function isHtml({ article, bodyKind }: Pick<StoredArticle, 'article' | 'bodyKind'>): boolean {
  return bodyKind === 'html' || article.body === article.contentHtml;
}

/** Whether an article is displayed with the HTML that was sent, without rendering. */
export function isAsSent({ article: { contentHtml }, bodyEdited }: Rendered): boolean {
  return !bodyEdited && contentHtml !== '';
}

/** The fields of a stored article that `renderedHtml` needs. */
export type Rendered = Pick<StoredArticle, 'bodyEdited' | 'bodyKind'> & {
  readonly article: Pick<Article, 'body' | 'contentHtml'>;
};
