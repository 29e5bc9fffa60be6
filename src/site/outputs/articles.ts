import type { Post } from '../index/article-entry.js';
import type { Articles, ArticleText } from '../index/articles.js';
import { relatedTo } from '../index/related.js';
import type { SiteIndex } from '../index/site-index.js';
import { excerptOf } from '../render/html-text.js';
import { linkOf, type Page, summaryOf } from '../render/page.js';
import { pathOf } from './addresses.js';
import { type Planned, plannedPage, type Sources } from './output.js';

/** The page of an article. @param text that of its file. */
export function articlePage(
  post: Post,
  { posts, tags }: Pick<SiteIndex, 'posts' | 'tags'>,
  { article, html, length }: ArticleText,
) {
  const { previous, next, related } = relatedTo(post, posts, tags);
  const excerpt = article.description.trim() === '' ? { excerpt: excerptOf(html) } : {};
  const summary = summaryOf({ ...article, ...excerpt, readingMinutes: length.readingMinutes });
  return {
    kind: 'article',
    path: pathOf(post.file),
    title: summary.title,
    description: summary.description,
    canonical: summary.url,
    article: {
      ...summary,
      html,
      jsonLd: article.jsonLd,
      keyword: article.keyword,
      words: length.words,
      toc: [],
      previous: previous === undefined ? null : linkOf(previous),
      next: next === undefined ? null : linkOf(next),
      related: related.map(linkOf),
    },
    articles: [],
    tag: null,
    author: null,
  } as const satisfies Page;
}

/** Plans the page of an article. */
export type ArticlePlanner = (post: Post, sources: Sources) => Planned;

/** Plans the pages of articles, each of which is made from its file. @param articles reads the files. */
export function articlePlanner({ textAt }: Pick<Articles, 'textAt'>): ArticlePlanner {
  return (post, sources) => {
    const { index } = sources;
    const { previous, next, related } = relatedTo(post, index.posts, index.tags);
    const shown = [post, previous, next, ...related].map((one) =>
      one === undefined ? '' : index.keyOf(one),
    );
    const extra = sources.partsOf(post);
    return plannedPage(sources, post.file, [...shown, JSON.stringify(extra)], (): Page | undefined => {
      const text = textAt(post);
      return text && { ...articlePage(post, index, text), extra };
    });
  };
}
