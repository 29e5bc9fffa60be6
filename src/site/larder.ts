import type { Stamp } from '../fs/stamp.js';
import { type ReadablePage, sameStamp } from '../store/entry.js';

/** What an article's page shows of its file. */
export interface ArticleText {
  readonly stamp: Stamp;
  readonly article: Omit<ReadablePage['article'], 'body' | 'contentHtml'>;
  readonly html: string;
  readonly isTopFirst: boolean;
}

/** Articles that were just read, so that their pages need not read them again. */
export interface Larder {
  put(path: string, text: ArticleText): void;
  /** Hands out an article that is kept as `stamp` says it is, and keeps it no longer. */
  take(path: string, stamp: Stamp): ArticleText | undefined;
}

/** What is kept, in characters. To keep a whole site costs the collector of garbage what reading it again costs. */
const MOST_CHARACTERS = 2_000_000;

/** An empty larder. */
export function createLarder(): Larder {
  const kept = new Map<string, ArticleText>();
  let characters = 0;

  function take(path: string, stamp: Stamp): ArticleText | undefined {
    const text = kept.get(path);
    if (text === undefined) return undefined;
    kept.delete(path);
    characters -= text.html.length;
    return sameStamp(text.stamp, stamp) ? text : undefined;
  }

  function put(path: string, text: ArticleText): void {
    if (characters + text.html.length > MOST_CHARACTERS) return;
    kept.set(path, text);
    characters += text.html.length;
  }

  return { put, take };
}

/** What is kept of a file that was read: not its whole text. */
export function textOf({ stamp, article, html, isTopFirst }: ReadablePage): ArticleText {
  const { body, contentHtml, ...rest } = article;
  return { stamp, article: rest, html: html(), isTopFirst };
}
