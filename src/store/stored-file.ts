import type { Article } from '../article/article.js';

/** A file that was written. */
export interface StoredFile {
  readonly article: Article;
  /** Below the content folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The person's edit that stood there before. */
  readonly replaced?: { readonly article: Article; readonly text: string };
}

/** A file that an update is about to replace. */
export interface ReplacedFile extends StoredFile {
  /** Whether it is a person's edit. */
  readonly edited: boolean;
}
