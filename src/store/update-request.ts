import { type Article, type ArticleContent, contentFields, type ExtraKeys } from '../article/article.js';
import type { BodyKind } from '../article/format.js';
import type { Target } from './verdict.js';

/** A compare-and-set (contract: article.updated). */
export interface UpdateRequest extends Target {
  /** The moment of the update, ISO 8601. */
  readonly updated: string;
  /** What replaces the article's content; a null image leaves the stored one. */
  readonly content: ArticleContent;
  /** Further front matter to set, besides what the file has. */
  readonly extra?: ExtraKeys;
  /** Set where `content` comes from an earlier version of the file: its body is in its stored form. */
  readonly storedBody?: BodyKind;
  /** Whether a null image clears the stored one, as no delivery can. */
  readonly clearsImage?: boolean;
}

/** An article with what an update replaces in it (contract: article.updated, 5). */
export function replacedBy(article: Article, request: UpdateRequest): Article {
  const { updated, revision, content, extra, clearsImage = false } = request;
  const replacement = contentFields(content);
  const image = clearsImage ? replacement.image : (replacement.image ?? article.image);
  return { ...article, ...replacement, extra: { ...article.extra, ...extra }, image, updated, revision };
}
