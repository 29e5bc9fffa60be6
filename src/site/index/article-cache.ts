import type { Stamp } from '../../fs/stamp.js';
import {
  type ContentFolder,
  isGone,
  isUnreadable,
  type ReadablePage,
  readForPages,
  sameStamp,
} from '../../store/catalog/entry.js';
import { type Length, lengthOf } from '../render/html-text.js';
import { authorOf, type IndexEntry, tagsOf } from './index-entry.js';

/** What an article's page shows of its file. */
export interface ParsedArticle {
  readonly stamp: Stamp;
  /** With its author and tags as pages show them. */
  readonly article: Omit<ReadablePage['article'], 'body' | 'contentHtml'>;
  readonly html: string;
  readonly length: Length;
  /** Whether the header alone holds all that the index has of it; see `readHeader`. */
  readonly isHeaderComplete: boolean;
}

/** Articles as they were parsed, so that their pages and the feeds need not read them again. */
export type ArticleCache = ReturnType<typeof createArticleCache>;

/**
 * What is kept, by the sizes of files and their HTML: a text that is cut out of a file keeps the whole file in memory.
 * To keep a whole site costs the collector of garbage what reading it again costs.
 */
const MOST_BYTES = 6_000_000;

/** An empty cache. */
export function createArticleCache(content: ContentFolder) {
  /** In the order in which they were put; the first is forgotten first. */
  const kept = new Map<string, ParsedArticle>();
  let bytes = 0;

  /** Keeps an article that was read, and forgets those that were put first. */
  function put(path: string, parsed: ParsedArticle): void {
    remove(path);
    if (sizeOf(parsed) > MOST_BYTES / 4) return;
    kept.set(path, parsed);
    bytes += sizeOf(parsed);
    for (const oldest of kept.keys()) {
      if (bytes <= MOST_BYTES) return;
      remove(oldest);
    }
  }

  function remove(path: string): ParsedArticle | undefined {
    const parsed = kept.get(path);
    if (parsed === undefined) return undefined;
    kept.delete(path);
    bytes -= sizeOf(parsed);
    return parsed;
  }

  function find(path: string, stamp: Stamp): ParsedArticle | undefined {
    const parsed = kept.get(path);
    return parsed !== undefined && sameStamp(parsed.stamp, stamp) ? parsed : undefined;
  }

  /** An article as its file is now, which is read where it is not kept; undefined where it is gone or malformed. */
  function read(path: string, stamp: Stamp): ParsedArticle | undefined {
    return find(path, stamp) ?? readNow(path);
  }

  /** The HTML of an article; of one that is kept with this very stamp also where its file cannot be read now. */
  function htmlOf(path: string, stamp: Stamp): string | undefined {
    const parsed = read(path, stamp);
    if (parsed !== undefined) put(path, parsed);
    return parsed?.html;
  }

  /**
   * The reading time of an article, which its entry has from then on. Where its file cannot be read as the entry has it,
   * that is about to change, and with it all that shows the article.
   */
  function readingMinutesOf(entry: IndexEntry): number {
    const { path, stamp } = entry;
    entry.readingMinutes ??= read(path, stamp)?.length.readingMinutes;
    return entry.readingMinutes ?? 1;
  }

  function readNow(path: string): ParsedArticle | undefined {
    try {
      return parsedOf(readForPages(content, path));
    } catch (error) {
      if (isGone(error) || isMalformed(error) || isUnreadable(error)) return undefined;
      throw error;
    }
  }

  return { put, read, htmlOf, readingMinutesOf };
}

function sizeOf({ stamp, html }: ParsedArticle): number {
  return stamp.size + html.length;
}

function isMalformed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FRONT_MATTER_INVALID';
}

/** What is kept of a file that was read. */
export function parsedOf({ stamp, article, html: read, isTopFirst }: ReadablePage): ParsedArticle {
  const { body, contentHtml, author: _, tags: __, ...rest } = article;
  // What is new first: keys that are added behind a spread take as long as all else that is done here.
  const shown = { author: authorOf(article), tags: tagsOf(article), ...rest };
  const html = read();
  return { stamp, article: shown, html, length: lengthOf(html), isHeaderComplete: isTopFirst };
}
