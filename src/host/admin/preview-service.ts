/** An article that is not stored, as its file would be. */
export interface StoredDraft {
  /** Its file, relative to the site's folder. */
  readonly path: string;
  /** The content of that file. */
  readonly text: string;
  /** The address that its page would have. */
  readonly url: string;
}

/** The page of an article that is not stored. */
export type PreviewPage =
  | { readonly kind: 'page'; readonly html: string }
  /** The message of the site's generator. Foreign text. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** No pages are made here, or none were made yet. */
  | { readonly kind: 'none' };

/** Pages of articles that are not stored, in the theme of the site, as the service `preview`. Nothing of them is published. */
export interface PreviewService {
  /**
   * If the site has its own generator, this takes as long as a build; pages are made one after the other.
   *
   * @param origin of the admin that shows it.
   */
  page(draft: StoredDraft, origin: string): Promise<PreviewPage>;
}
