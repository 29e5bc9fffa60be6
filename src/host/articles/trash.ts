/** A person who changes articles; the author of the commit. */
export interface Editor {
  readonly name: string;
  /** @default Pressmark's address */
  readonly email?: string;
}

/** An article in the trash. */
export interface TrashedArticle {
  readonly id: string;
  readonly title: string;
  /** The public URL that it had. */
  readonly url: string;
  /** The file that it had, relative to the site's folder. */
  readonly path: string;
  /** When it was removed, ISO 8601. */
  readonly at: string;
  /** The person who removed it. */
  readonly by: string;
  /** The redirect at its URL; null if the URL answers 410. */
  readonly redirect: string | null;
}

/** Removed articles, which people can restore. */
export interface ArticleTrash {
  /**
   * Removes an article's file, with a commit. The file is kept in `.pressmark/trash/`. A redelivery does not store the article
   * again.
   *
   * @param base the revision that the person has seen.
   * @param options.redirect a path of this site or an absolute URL to redirect its URL to. @default its URL answers 410
   * @throws PressmarkError ARTICLE_NOT_FOUND, REVISION_CONFLICT, BODY_INVALID.
   */
  trash(id: string, base: string, options: { readonly redirect?: string | null }, by: Editor): Promise<void>;
  /**
   * Restores an article as it was, with a commit. @throws PressmarkError ARTICLE_NOT_FOUND; USAGE if its id, URL or file is in
   * use again, or the site has moved to another address since.
   */
  restore(id: string, by: Editor): Promise<void>;
  /**
   * Deletes an article from the trash. A redelivery does not store it again; its URL answers as if the article had never
   * existed.
   *
   * @throws PressmarkError ARTICLE_NOT_FOUND.
   */
  deleteTrashed(id: string): Promise<void>;
  /** The articles in the trash, newest first. */
  trashed(): Promise<readonly TrashedArticle[]>;
}
