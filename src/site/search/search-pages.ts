import os from 'node:os';
import type { SiteInfo } from '../../host/page-types.js';
import type { ArticleList } from '../index/article-list.js';
import type { Manifest } from '../write/manifest.js';

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

/** The pages of the newest articles as they were built last, at most `count`, oldest first. */
export function newestPages(
  count: number,
  site: SiteInfo,
  { items }: Pick<ArticleList, 'items'>,
  { files }: Pick<Manifest, 'files'>,
): SearchPage[] {
  return items.slice(-count).flatMap(({ entry, file }) => {
    const written = files.get(file);
    const path = new URL(entry.url).pathname.slice(site.basePath.length);
    return written === undefined
      ? []
      : [{ file, path, version: `${written.size}-${written.crc}`, size: written.size }];
  });
}

/** Memory that Pagefind takes for a byte of a page (measured: 0.85 MB for a page of 15 KB). */
const MEMORY_PER_BYTE = 60;
/** How much of the machine's memory the indexing may take. */
const MEMORY_SHARE = 1 / 4;

/** The newest of these pages, as many as can be indexed in a share of this machine's memory; all where none can. */
export function withinMemory(pages: readonly SearchPage[]): readonly SearchPage[] {
  const machine = Math.min(os.totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  let room = (machine * MEMORY_SHARE) / MEMORY_PER_BYTE;
  const last = pages.findLastIndex(({ size }) => {
    room -= size;
    return room < 0;
  });
  return last === pages.length - 1 ? pages : pages.slice(last + 1);
}
