import type { ListedArticle } from './articles.js';

/** Which articles `search` returns, and in which order; all conditions must hold. */
export interface ArticleSearch {
  /** Words that stand in the title, the URL, the id, the author or a tag, each whatever its case. */
  readonly text?: string | undefined;
  readonly state?: ListedArticle['state'] | undefined;
  /** In any spelling of the site's. */
  readonly tag?: string | undefined;
  readonly author?: string | undefined;
  /** Whether a person has changed what is there now, in an admin or in its file. */
  readonly edited?: boolean | undefined;
  /** Whether a person wrote it from nothing. */
  readonly handWritten?: boolean | undefined;
  /** @default 'newest' */
  readonly sort?: 'newest' | 'oldest' | 'title' | undefined;
  /** From 1 on. @default 1 */
  readonly page?: number | undefined;
  /** Articles of a page, 200 at the most. @default 50 */
  readonly size?: number | undefined;
}

/** An article in a list. Long titles are shortened; long authors and tags are missing, and so is each tag after the hundredth. */
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
  /** The number of all articles that are meant. */
  readonly total: number;
  readonly page: number;
  readonly pages: number;
}

/** Finding articles by what is known of all of them; no file is read. */
export interface ArticleFinder {
  /** A page of the articles that are meant. */
  search(query?: ArticleSearch): Promise<FoundArticles>;
  /** The dates of the articles from a moment until now, in ms since 1970, the oldest first; without drafts. */
  datesSince(moment: number): Promise<readonly number[]>;
}
