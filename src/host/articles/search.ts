import type { ListedArticle } from './articles.js';

/** Which articles `search` returns, and in which order; all conditions must hold. */
export interface ArticleSearch {
  /** Words to find in the title, URL, id, author or tags, ignoring case. */
  readonly text?: string | undefined;
  readonly state?: ListedArticle['state'] | undefined;
  /** In any spelling that the site uses. */
  readonly tag?: string | undefined;
  readonly author?: string | undefined;
  /** Whether a person has changed the present text, in an admin or in the file. */
  readonly edited?: boolean | undefined;
  /** Whether a person wrote it, and no service sent it. */
  readonly handWritten?: boolean | undefined;
  /** @default 'newest' */
  readonly sort?: 'newest' | 'oldest' | 'title' | undefined;
  /** Counted from 1. @default 1 */
  readonly page?: number | undefined;
  /** Articles per page, at most 200. @default 50 */
  readonly size?: number | undefined;
}

/** An article in a list. Long titles are shortened; long authors and tags are left out, and so are tags after the hundredth. */
export interface ArticleRow
  extends Pick<
    ListedArticle,
    'id' | 'title' | 'url' | 'path' | 'date' | 'state' | 'author' | 'tags' | 'handWritten'
  > {
  readonly edited: boolean;
}

/** A page of articles. */
export interface FoundArticles {
  readonly rows: readonly ArticleRow[];
  /** The number of articles that match. */
  readonly total: number;
  readonly page: number;
  readonly pages: number;
}

/** Finds articles in the catalog; no file is read. */
export interface ArticleFinder {
  /** A page of the articles that match. */
  search(query?: ArticleSearch): Promise<FoundArticles>;
  /** The dates of the articles from a moment until now, in ms since 1970, the oldest first; without drafts. */
  datesSince(moment: number): Promise<readonly number[]>;
}
