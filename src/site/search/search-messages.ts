/** A page that can be found. */
export interface SearchPage {
  /** Below the output folder. */
  readonly file: string;
  /** Below the site's base path. */
  readonly path: string;
  /** Another one where its text is another. */
  readonly version: string;
  /** In bytes. */
  readonly size: number;
}

/** What the indexing process is asked for. */
export interface SearchRequest {
  readonly outputDir: string;
  /** Where receivers on one folder take turns. */
  readonly lockDir: string;
  readonly pages: readonly Pick<SearchPage, 'file' | 'path'>[];
  /** Stands for everything that the index is made of. */
  readonly of: string;
}

/** What became of it. */
export type SearchOutcome =
  | { readonly is: 'done'; readonly pages: number; readonly ms: number }
  /** The index was of these very pages already. */
  | { readonly is: 'current' }
  /** Somebody else's index lies in the folder. */
  | { readonly is: 'foreign' }
  | { readonly is: 'aborted' }
  | { readonly is: 'failed'; readonly reason: string };
