import { pathOf } from '../index/addresses.js';
import { linkOf, type Post, summaryOf } from '../index/article-entry.js';
import type { Articles, ArticleText } from '../index/articles.js';
import { byTime, type SiteIndex } from '../index/site-index.js';
import type { Page } from '../render/page.js';
import { type Planned, plannedPage, type Sources } from './planner.js';

/** Plans the page of an article. */
export type ArticlePlanner = (post: Post, sources: Sources) => Planned;

/**
 * Creates a planner for articles' pages. A page is made from its article's file, and made again when an article that it links
 * has changed.
 *
 * @param articles reads the files.
 */
export function articlePlanner({ textAt }: Pick<Articles, 'textAt'>): ArticlePlanner {
  return (post, sources) => {
    const { index } = sources;
    const { previous, next, related } = relatedTo(post, index);
    const shown = [post, previous, next, ...related].map((one) =>
      one === undefined ? '' : index.keyOf(one),
    );
    const derived = sources.derivedOf(post);
    return plannedPage(sources, post.file, [...shown, JSON.stringify(derived)], (): Page | undefined => {
      const text = textAt(post);
      return text && { ...articlePage(post, index, text), derived };
    });
  };
}

/** Makes the input of an article's template. @param text the content of the article's file. */
export function articlePage(
  post: Post,
  index: Pick<SiteIndex, 'posts' | 'tagsOf'>,
  { article, html }: ArticleText,
) {
  const { words, readingMinutes, excerpt } = post;
  const { previous, next, related } = relatedTo(post, index);
  const summary = summaryOf({ ...article, readingMinutes, ...(excerpt !== undefined && { excerpt }) });
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
      words,
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

/** The other articles that an article's page links. */
interface Neighbours {
  readonly previous: Post | undefined;
  readonly next: Post | undefined;
  readonly related: readonly Post[];
}

/** The maximum number of related articles on a page. */
const MOST_RELATED = 4;

/** How many articles before and after an article are considered for each tag. */
const EARLIER = 4;
const LATER = 1;

/** How many of an article's tags are considered. */
const TAGS_CONSIDERED = 8;

/**
 * Finds the articles that an article's page links. Related articles are near it in the list of one of its tags: up to four
 * before and one after. Those that share the most tags come first, then the nearest in time. So a new article changes only
 * pages of articles near it in a list.
 */
function relatedTo(post: Post, { posts, tagsOf }: Pick<SiteIndex, 'posts' | 'tagsOf'>): Neighbours {
  const [previous] = around(posts, post, 1, 0);
  const [next] = around(posts, post, 0, 1);
  const own = new Set(tagsOf(post));
  const near = new Set<Post>();
  for (const tag of [...own].slice(0, TAGS_CONSIDERED))
    for (const other of around(tag.posts, post, EARLIER, LATER)) near.add(other);
  const ranked = [...near].map((other) => ({
    other,
    shared: tagsOf(other).filter((tag) => own.has(tag)).length,
    distance: Math.abs(other.time - post.time),
  }));
  ranked.sort(
    (a, b) => b.shared - a.shared || a.distance - b.distance || (a.other.path < b.other.path ? -1 : 1),
  );
  return { previous, next, related: ranked.slice(0, MOST_RELATED).map(({ other }) => other) };
}

/** Returns the neighbours of a post in an ordered list that contains it: up to `before` and `after` posts. */
function around(list: readonly Post[], post: Post, before: number, after: number): Post[] {
  const position = positionIn(list, post);
  return [
    ...list.slice(Math.max(0, position - before), position),
    ...list.slice(position + 1, position + 1 + after),
  ];
}

/** Returns the position of a post in an ordered list that contains it. */
function positionIn(list: readonly Post[], post: Post): number {
  let low = 0;
  for (let high = list.length; low < high; ) {
    const middle = (low + high) >>> 1;
    const other = list[middle];
    if (other !== undefined && byTime(other, post) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
