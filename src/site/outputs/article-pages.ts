import type { Stamp } from '../../fs/stamp.js';
import type { ArticleLink } from '../../host/page-types.js';
import { sameStamp } from '../../store/catalog/entry.js';
import type { ArticleCache } from '../index/article-cache.js';
import type { ArticleFiles } from '../index/article-files.js';
import type { Post } from '../index/article-list.js';
import { relatedTo } from '../index/related.js';
import type { SiteIndex } from '../index/site-index.js';
import { excerptOf } from '../render/html-text.js';
import { linkOf, type Page, summaryOf } from '../render/page.js';
import type { RenderContext } from '../render/render-context.js';
import { pathOf } from './addresses.js';
import type { Output } from './output.js';

/** All that an article's page needs beside its file; plain data, as it may travel to another thread. */
export interface ArticleJob {
  /** The page, below the output folder. */
  readonly file: string;
  /** The article, below the content folder. */
  readonly path: string;
  /** Of the article as the index has it. */
  readonly stamp: Stamp;
  /** Whether the index has it by the beginning of its file alone. */
  readonly isByHeader: boolean;
  readonly previous: ArticleLink | null;
  readonly next: ArticleLink | null;
  readonly related: readonly ArticleLink[];
}

/**
 * The page of an article as its file is now.
 *
 * @returns undefined where the file is another one than the index has, or says more: it must be taken in first.
 */
export function articlePage(job: ArticleJob, cache: Pick<ArticleCache, 'read'>): Page | undefined {
  const { file, path, stamp, isByHeader, previous, next, related } = job;
  const parsed = cache.read(path, stamp);
  if (parsed === undefined || !sameStamp(parsed.stamp, stamp)) return undefined;
  if (isByHeader && !parsed.isHeaderComplete) return undefined;
  const { article, html, length } = parsed;
  const { jsonLd, keyword } = article;
  const hasExcerpt = article.description.trim() !== '';
  const entry = hasExcerpt ? article : { ...article, excerpt: excerptOf(html) };
  const summary = summaryOf(entry, () => length.readingMinutes);
  return {
    kind: 'article',
    path: pathOf(file),
    title: summary.title,
    description: summary.description,
    canonical: summary.url,
    article: { ...summary, html, jsonLd, keyword, words: length.words, toc: [], previous, next, related },
    articles: [],
    tag: null,
    author: null,
  };
}

/** The pages of articles. */
export interface ArticlePages extends Output {
  /** What a render thread needs to make the page of an article. @param link makes the links to other articles. */
  jobOf(post: Post, link?: (post: Post) => ArticleLink): ArticleJob;
}

/**
 * The pages of articles.
 *
 * @param articleFiles reads files again that have changed since.
 */
export function articlePages(
  index: SiteIndex,
  cache: Pick<ArticleCache, 'read'>,
  articleFiles: Pick<ArticleFiles, 'isBroken' | 'isByHeader' | 'readChanged'>,
  context: () => RenderContext,
): ArticlePages {
  function jobOf(post: Post, link = (other: Post): ArticleLink => linkOf(other.entry)): ArticleJob {
    const { path, stamp } = post.entry;
    const { previous, next, related } = relatedTo(post, index.all, index.tags);
    return {
      file: post.file,
      path,
      stamp,
      isByHeader: articleFiles.isByHeader(path),
      previous: previous === undefined ? null : link(previous),
      next: next === undefined ? null : link(next),
      related: related.map((other) => link(other)),
    };
  }

  function render(file: string): Promise<string> | undefined {
    const post = index.at(file);
    if (post === undefined) return undefined;
    const page = articlePage(jobOf(post), cache);
    if (page === undefined)
      articleFiles.readChanged([post.entry.path]); // the file has changed since it was read
    else post.entry.readingMinutes ??= page.article?.readingMinutes;
    return page && context().render(page);
  }

  function* paths(): Generator<string> {
    for (const { file } of index.all.items) yield file;
  }

  return {
    reserved: [],
    paths,
    has: (path) => index.at(path) !== undefined,
    affectedBy: (change) => change.pages,
    render,
    keeps: (path) => {
      const post = index.at(path);
      return post !== undefined && articleFiles.isBroken(post.entry.path);
    },
    jobOf,
  };
}
