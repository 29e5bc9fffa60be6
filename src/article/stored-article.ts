import { type Article, keepItemComments } from './article.js';
import type { Publication } from './publication.js';
import { shownMarkdown } from './text/markdown.js';

/** Whether a body is Markdown or HTML. */
export type BodyKind = 'markdown' | 'html';

/** An article as it stands in its file. */
export interface StoredArticle {
  /** `revision` is the current one: the file's own, or `edit-…` where a person has edited it. */
  readonly article: Article;
  /** Whether a person has changed anything since Pressmark wrote the file. */
  readonly edited: boolean;
  /** Whether the body differs from what `contentHtml` renders; then the body is what is rendered. */
  readonly bodyEdited: boolean;
  /** The digest in the file: that of the version which Pressmark wrote last; undefined if there is none. */
  readonly digest: string | undefined;
  /** Whether the body is HTML; Markdown where it is undefined. */
  readonly bodyKind?: 'html';
  /** Whether the URL is certain; undefined if the file pins it. */
  readonly address?: Address;
  /** When the article has a page. */
  readonly publication: Publication;
}

/**
 * What is known of the URL of a file that does not pin it: listed by the site's generator, or not to be relied upon, and
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

/** The URL in an article's file that was answered to the service. */
export interface StoredUrl {
  readonly url: string;
  /** The path below the site's URL that the file pins besides; undefined if it pins none. */
  readonly address: string | undefined;
}

/**
 * The HTML that the article is shown with. The service's own to the byte, until a person edits the body, or
 * where it sent Markdown alone; then the body is rendered as Markdown, and the item comment survives
 * (contract: Body additions).
 *
 * @param ofPeople renders what a person wrote. @default as all Markdown
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

/** Whether an article is shown with the HTML that came, which needs no rendering. */
export function isAsSent({ article: { contentHtml }, bodyEdited }: Rendered): boolean {
  return !bodyEdited && contentHtml !== '';
}

/** What `renderedHtml` needs of a stored article. */
export type Rendered = Pick<StoredArticle, 'bodyEdited' | 'bodyKind'> & {
  readonly article: Pick<Article, 'body' | 'contentHtml'>;
};
