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
  | {
      readonly kind: 'page';
      readonly html: string;
      /** Where `file` finds the files of the page; undefined if the site has them. */
      readonly folder?: string;
    }
  /** In the words of the site's generator: foreign text. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Nothing makes pages here, or none are made yet. */
  | { readonly kind: 'none' };

/** Pages of articles that are not stored, in the theme of the site, as the service `preview`. Nothing of them is published. */
export interface PreviewService {
  /**
   * Where the site has a generator of its own, this takes as long as a build, and one page is made after the other.
   *
   * @param files the address at which a browser gets what `file` reads, absolute, with a slash at its end.
   */
  page(draft: StoredDraft, files: string): Promise<PreviewPage>;
  /**
   * A file that a page shows, at most 20 MB of it.
   *
   * @param folder of its page.
   * @param path as it stands in an address, with a slash at its beginning.
   * @param files as for its page.
   */
  file(folder: string, path: string, files: string): Promise<PreviewFile | undefined>;
}

/** A file of a page. */
export interface PreviewFile {
  /** Its name, such as `css/style.css`. */
  readonly name: string;
  readonly bytes: Buffer;
}
