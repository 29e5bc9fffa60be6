import type { ArticleChange } from '../host/hook-types.js';

/** The text of an article's file. */
export interface StoredFile {
  /** The whole file. */
  readonly text: string;
  readonly article: ArticleChange['article'];
  /** Whether no person has edited it: its digest matches. */
  readonly pristine: boolean;
  /** Its digest line: the same in a delivered text and in what a person has made from that. */
  readonly digest: string | undefined;
}
