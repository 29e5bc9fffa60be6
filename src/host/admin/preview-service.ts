/** An article that is not stored, as its file would be. */
export interface StoredDraft {
  /** Its file, relative to the site's folder. */
  readonly path: string;
  /** What would stand in it. */
  readonly text: string;
  /** Where its page would be. */
  readonly url: string;
}

/** The page of an article that is not stored. */
export type PreviewPage =
  | { readonly kind: 'page'; readonly html: string }
  /** In the words of the site's generator: foreign text. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Nothing makes pages here, or none are made yet. */
  | { readonly kind: 'none' };

/** Pages of articles that are not stored, in the theme of the site, as the service `preview`. Nothing of them is published. */
export interface PreviewService {
  /**
   * Where the site has a generator of its own, this takes as long as a build, and one page is made after the other.
   *
   * @param origin of the admin that shows it.
   */
  page(draft: StoredDraft, origin: string): Promise<PreviewPage>;
}
