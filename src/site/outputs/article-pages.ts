import type { Stamp } from '../../fs/stamp.js';
import type { ArticleLink, ArticleSummary } from '../../host/page-types.js';
import { type ContentFolder, isGone, isUnreadable, readForPages, sameStamp } from '../../store/entry.js';
import { type ArticleCache, type ArticleText, textOf } from '../index/article-cache.js';
import { type Page, summaryOf } from '../render/page.js';
import { lengthOf } from '../render/reading-time.js';

/** All that an article's page needs beside its file; plain data, as it may travel to another thread. */
export interface ArticleJob {
  /** The page, below the output folder. */
  readonly file: string;
  /** The article, below the content folder. */
  readonly path: string;
  /** Of the article as the model has it. */
  readonly stamp: Stamp;
  /** Whether the model has it by the beginning of its file alone. */
  readonly isByHeader: boolean;
  readonly previous: ArticleLink | null;
  readonly next: ArticleLink | null;
  readonly related: readonly ArticleLink[];
}

/**
 * The page of an article as its file is now.
 *
 * @returns undefined where the file is another one than the model has, or says more: it must be taken in first.
 */
export function articlePage(job: ArticleJob, content: ContentFolder, cache: ArticleCache): Page | undefined {
  const { file, path, stamp, isByHeader, previous, next, related } = job;
  const text = cache.take(path, stamp) ?? readText(content, path);
  if (text === undefined || !sameStamp(text.stamp, stamp)) return undefined;
  if (isByHeader && !text.isTopFirst) return undefined;
  const { article, html } = text;
  const links = { previous, next, related };
  return pageOfArticle(file, summaryOf(article), { html, jsonLd: article.jsonLd }, links);
}

/** The page of an article, made of what is known of it. */
export function pageOfArticle(
  file: string,
  summary: ArticleSummary,
  text: { readonly html: string; readonly jsonLd: string },
  links: Pick<ArticleJob, 'previous' | 'next' | 'related'>,
): Page {
  const { title, description, url } = summary;
  const { html, jsonLd } = text;
  const { words, readingMinutes } = lengthOf(html);
  const { previous, next, related } = links;
  return {
    kind: 'article',
    path: `/${file.replace(/(^|\/)index\.html$/, '$1')}`,
    file,
    title,
    description,
    canonical: url,
    // What is new first: keys that are added behind a spread take as long as all else that is done for a page.
    article: { html, jsonLd, words, readingMinutes, previous, next, related, ...summary },
    articles: [],
    tag: null,
    author: null,
  };
}

/** An article's text; undefined where it is gone or malformed. */
function readText(content: ContentFolder, path: string): ArticleText | undefined {
  try {
    return textOf(readForPages(content, path));
  } catch (error) {
    if (isGone(error) || isMalformed(error)) return undefined;
    throw error;
  }
}

function isMalformed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FRONT_MATTER_INVALID';
}

/**
 * The HTML of articles for the feeds; what was read for the last feed is not read again. Undefined for an article that
 * cannot be read now and was not read before.
 */
export function createHtmlReader<Item extends { readonly entry: { readonly path: string } }>(
  content: ContentFolder,
): (post: Item) => string | undefined {
  const known = new Map<Item['entry'], string>();

  return ({ entry }) => {
    const html = known.get(entry) ?? htmlAt(entry.path);
    if (html === undefined) return undefined;
    known.delete(entry);
    known.set(entry, html);
    const [oldest] = known.keys();
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
    return html;
  };

  function htmlAt(path: string): string | undefined {
    try {
      return readText(content, path)?.html;
    } catch (error) {
      if (isUnreadable(error)) return undefined;
      throw error;
    }
  }
}

/** More than all feeds show. */
const MOST_KNOWN = 40;
