import { type Article, type ArticleContent, contentFields } from '../article/article.js';
import type { Target } from './verdict.js';

/** A compare-and-set (contract: article.updated). */
export interface UpdateRequest extends Target {
  /** The moment of the update, ISO 8601. */
  readonly updated: string;
  /** What replaces the article's content; a null image leaves the stored one. */
  readonly content: ArticleContent;
  /** Whether a null image clears the stored one, as no delivery can. */
  readonly clearsImage?: boolean;
}

/** An article with what an update replaces in it (contract: article.updated, 5). */
export function replacedBy(article: Article, request: UpdateRequest): Article {
  const { updated, revision, content, clearsImage = false } = request;
  const replacement = contentFields(content);
  const image = clearsImage ? replacement.image : (replacement.image ?? article.image);
  return { ...article, ...replacement, image, updated, revision };
}
