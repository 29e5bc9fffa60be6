import type { Article } from '../../article/article.js';

/** The text of an article's file. */
export interface ArticleText {
  /** The whole file. */
  readonly text: string;
  readonly article: Article;
  /** Whether no person has edited it: its digest matches. */
  readonly pristine: boolean;
}

/** Why an article's file waits for a commit; a later word is worth more. */
export type Why =
  /** Git may lack what the file holds. */
  | 'found'
  /** A person has changed the file, and not again for a while. */
  | 'edited'
  /** The store has written it. */
  | 'stored'
  /** An update is about to replace what it holds. */
  | 'replaced';

/** An article's file that git may lack. What is committed is what the file holds then. */
export interface Pending {
  /** Relative to the site's folder, with forward slashes. */
  readonly path: string;
  readonly why: Why;
}

/** The result of an attempt to commit a file. */
export type Outcome =
  /** Git has what the file holds in a commit. */
  | { readonly kind: 'committed' }
  /** A commit can be made when something else has ended. */
  | { readonly kind: 'later'; readonly because: string }
  /** No commit is to be made while nothing changes. */
  | { readonly kind: 'failed'; readonly because: string };
