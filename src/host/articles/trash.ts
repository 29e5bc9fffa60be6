/** A person who changes articles; the author of the commit. */
export interface Editor {
  readonly name: string;
  /** @default the commit has Pressmark's */
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
  /** Who has removed it. */
  readonly by: string;
  /** Where its URL leads now; null if it is gone. */
  readonly redirect: string | null;
}

/** Articles that people remove, and can have back. */
export interface ArticleTrash {
  /**
   * Removes an article's file, with a commit. The file is kept in `.pressmark/trash/`; a redelivery does not bring it back.
   *
   * @param base the revision that the person has seen.
   * @param options.redirect a path of this site or an absolute URL to which its URL leads. @default its URL is gone
   * @throws PressmarkError ARTICLE_NOT_FOUND, REVISION_CONFLICT, BODY_INVALID; USAGE at the level `push`.
   */
  trash(id: string, base: string, options: { readonly redirect?: string | null }, by: Editor): Promise<void>;
  /** Puts an article back as it was, with a commit. @throws PressmarkError ARTICLE_NOT_FOUND; USAGE where its id, its URL or its file is there again. */
  restore(id: string, by: Editor): Promise<void>;
  /**
   * Deletes what the trash has of an article. A redelivery does not bring it back; its URL answers as if it had never been there.
   *
   * @throws PressmarkError ARTICLE_NOT_FOUND.
   */
  deleteTrashed(id: string): Promise<void>;
  /** The articles in the trash, newest first. */
  trashed(): Promise<readonly TrashedArticle[]>;
}
