import type { Stamp } from '../../fs/stamp.js';
import { type ReadablePage, sameStamp } from '../../store/entry.js';
import { authorOf, tagsOf } from './index-entry.js';

/** What an article's page shows of its file. */
export interface ArticleText {
  readonly stamp: Stamp;
  /** With its author and tags as pages show them. */
  readonly article: Omit<ReadablePage['article'], 'body' | 'contentHtml'>;
  readonly html: string;
  readonly isTopFirst: boolean;
}

/** Articles that were just read, so that their pages need not read them again. */
export interface ArticleCache {
  put(path: string, text: ArticleText): void;
  /** Hands out an article that is kept as `stamp` says it is, and keeps it no longer. */
  take(path: string, stamp: Stamp): ArticleText | undefined;
}

/**
 * What is kept, by the sizes of files and their HTML: a text that is cut out of a file keeps the whole file in memory.
 * To keep a whole site costs the collector of garbage what reading it again costs.
 */
const MOST_BYTES = 6_000_000;

/** An empty larder. */
export function createArticleCache(): ArticleCache {
  const kept = new Map<string, ArticleText>();
  let bytes = 0;

  function take(path: string, stamp: Stamp): ArticleText | undefined {
    const text = remove(path);
    return text !== undefined && sameStamp(text.stamp, stamp) ? text : undefined;
  }

  function remove(path: string): ArticleText | undefined {
    const text = kept.get(path);
    if (text === undefined) return undefined;
    kept.delete(path);
    bytes -= sizeOf(text);
    return text;
  }

  function put(path: string, text: ArticleText): void {
    remove(path);
    if (bytes + sizeOf(text) > MOST_BYTES) return;
    kept.set(path, text);
    bytes += sizeOf(text);
  }

  return { put, take };
}

function sizeOf({ stamp, html }: ArticleText): number {
  return stamp.size + html.length;
}

/** What is kept of a file that was read. */
export function textOf({ stamp, article, html, isTopFirst }: ReadablePage): ArticleText {
  const { body, contentHtml, author: _, tags: __, ...rest } = article;
  // What is new first: keys that are added behind a spread take as long as all else that is done here.
  const shown = { author: authorOf(article), tags: tagsOf(article), ...rest };
  return { stamp, article: shown, html: html(), isTopFirst };
}
