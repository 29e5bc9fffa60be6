import { itemComments, keepItemComments, PLACEHOLDER_TITLE } from '../../article/article.js';
import type { Hooks } from '../../host/hooks.js';
import type {
  ArticleLink,
  ArticleSummary,
  PageContext,
  PageKind,
  SiteInfo,
  SiteLink,
  StandalonePage,
} from '../../host/page-types.js';
import type { IndexEntry } from '../index/index-entry.js';
import { fileAt } from '../outputs/addresses.js';
import { isoOf } from './dates.js';
import type { Helpers } from './helpers.js';
import { type Text, textOf } from './i18n.js';
import { withToc } from './table-of-contents.js';
import type { Theme } from './theme.js';

/** A tag as the tags page lists it. */
export interface TagLink extends SiteLink {
  readonly count: number;
}

/** One page of a list, and its way to the others. */
export interface Pager {
  /** Of articles: 0 for the newest ones, else counted from the oldest. Of tags: from 1 on. */
  readonly number: number;
  /** The paths of the pages beside it. */
  readonly newer: string | undefined;
  readonly older: string | undefined;
  /** How many pages the list has; of articles, on the page of the newest ones alone. */
  readonly pageCount: number | undefined;
  /** The first page, those beside this one, the last one, and this one, in their order. */
  readonly pageLinks: readonly PageLink[];
}

/** A link to a page of a list. */
export interface PageLink {
  readonly number: number;
  readonly path: string;
  /** Whether pages between it and the link before it are left out. */
  readonly isAfterGap: boolean;
}

/** A page to be built. */
export interface Page
  extends Omit<PageContext, 'site' | 'title' | 'description' | 'head' | 'extra' | 'page'> {
  readonly page?: StandalonePage;
  readonly title: Text;
  readonly description: Text;
  /** Below the site's base path, starting with a slash. */
  readonly path: string;
  /** Below the output folder. */
  readonly file: string;
  /** Of the pages of a list. */
  readonly pager?: Pager;
  readonly tagLinks?: readonly TagLink[];
}

/** What templates get as `it`. */
interface Variables extends PageContext, Helpers {
  readonly path: string;
  readonly number: number | undefined;
  readonly newer: string | undefined;
  readonly older: string | undefined;
  readonly pageCount: number | undefined;
  readonly pageLinks: readonly PageLink[];
  readonly tagLinks: readonly TagLink[] | undefined;
}

/** Which template each kind of page has. */
const TEMPLATE: Readonly<Record<PageKind, string>> = {
  article: 'article',
  page: 'page',
  home: 'home',
  archive: 'archive',
  tag: 'tag',
  tags: 'tags',
  author: 'author',
  search: 'search',
  notFound: 'not-found',
};

/** What front matter may name as a template: a file at the top of the theme, and not the frame of all pages. */
const LAYOUT = /^(?!layout$)[\w-]+$/;

/** Makes pages of one theme; the result renders a page to HTML through the filters. */
export function createRenderer(site: SiteInfo, theme: Theme, hooks: Hooks, helpers: Helpers) {
  return async function render(page: Page): Promise<string> {
    const { kind, path, canonical, tag, author, articles } = page;
    const info = { kind, path };
    // Each key by its name, here and below: a spread costs more than all else that is done for a page.
    let context: PageContext = {
      site,
      kind,
      title: textOf(theme.t, page.title),
      description: textOf(theme.t, page.description),
      canonical,
      article: page.article && withToc(page.article, site),
      page: page.page === undefined ? null : withToc(shownPage(page.page), site),
      articles,
      tag,
      author,
      head: '',
      extra: {},
    };
    if (hooks.hasFilter('page.context')) {
      context = keepVerbatim(await hooks.applyFilters('page.context', context, info), page);
    }
    if (hooks.hasFilter('page.head')) {
      context = { ...context, head: await hooks.applyFilters('page.head', context.head, context) };
    }
    const { article } = context;
    if (article !== null && hooks.hasFilter('page.content')) {
      const html = await hooks.applyFilters('page.content', article.html, context);
      context = {
        ...context,
        article: { ...article, html: keepItemComments(html, page.article?.html ?? '') },
      };
    }
    const html = theme.render(templateOf(kind, context), variablesOf(page, context));
    if (!hooks.hasFilter('page.html')) return html;
    return keepComments(await hooks.applyFilters('page.html', html, info), page.article?.html ?? '');
  };

  /** The template of a page: that of its kind, or for articles and pages what `layout` in the front matter names. */
  function templateOf(kind: PageKind, { article, page }: PageContext): string {
    const layout = (article ?? page)?.extra.layout;
    // What other generators call a layout is in the files of many, and names no template here.
    return typeof layout === 'string' && LAYOUT.test(layout) && theme.has(layout) ? layout : TEMPLATE[kind];
  }

  /** Documented in docs/themes.md. */
  function variablesOf({ path, pager, tagLinks }: Page, context: PageContext): Variables {
    return {
      site: context.site,
      kind: context.kind,
      title: context.title,
      description: context.description,
      canonical: context.canonical,
      article: context.article,
      page: context.page,
      articles: context.articles,
      tag: context.tag,
      author: context.author,
      head: context.head,
      extra: context.extra,
      url: helpers.url,
      tagLink: helpers.tagLink,
      authorLink: helpers.authorLink,
      date: helpers.date,
      isoDate: helpers.isoDate,
      byYear: helpers.byYear,
      t: helpers.t,
      navigation: helpers.navigation,
      asset: helpers.asset,
      initial: helpers.initial,
      path,
      number: pager?.number,
      newer: pager?.newer,
      older: pager?.older,
      pageCount: pager?.pageCount,
      pageLinks: pager?.pageLinks ?? NO_LINKS,
      tagLinks,
    };
  }
}

/** What templates get of a page that the owner wrote, whatever else is known of it. */
function shownPage({ title, description, html, toc, extra }: StandalonePage): StandalonePage {
  return { title, description, html, toc, extra };
}

/** What no filter of the context may lose (contract: `json_ld` and the item comment stay in the page). */
function keepVerbatim(context: PageContext, { article }: Page): PageContext {
  if (article === null) return context;
  const html = keepItemComments(context.article?.html ?? '', article.html);
  return { ...context, article: { ...article, ...context.article, html, jsonLd: article.jsonLd } };
}

/** A page with those item comments put back that a filter such as a minifier has dropped. */
function keepComments(html: string, original: string): string {
  const kept = new Set(itemComments(html));
  const lost = itemComments(original).filter((comment) => !kept.has(comment));
  if (lost.length === 0) return html;
  const end = html.lastIndexOf('</body>');
  const at = end === -1 ? html.length : end;
  return `${html.slice(0, at)}${lost.join('\n')}\n${html.slice(at)}`;
}

/** An article as another one's page links to it: nothing in it is a danger in an attribute. */
export function linkOf({
  title,
  description,
  date,
  image,
  url,
}: Pick<IndexEntry, 'title' | 'description' | 'date' | 'image' | 'url'>): ArticleLink {
  return {
    title: title.trim() === '' ? PLACEHOLDER_TITLE : title,
    description,
    date,
    published: isoOf(date) ?? null,
    image: safeImage(image, url),
    url,
  };
}

const NO_EXTRA = {};
const NO_LINKS: readonly PageLink[] = [];

/**
 * An article as lists and feeds show it.
 *
 * @param readingMinutes called where somebody asks for its reading time, as it may have to be found out.
 */
export function summaryOf(
  entry: Omit<IndexEntry, 'path' | 'stamp' | 'readingMinutes'>,
  readingMinutes: () => number,
): ArticleSummary {
  const { id, updated, author, tags, excerpt = entry.description, extra = NO_EXTRA } = entry;
  const modified = (updated === null ? undefined : isoOf(updated)) ?? null;
  // What is new first: keys that are added behind a spread take as long as all else that is done here.
  return {
    id,
    updated,
    modified,
    author,
    tags,
    excerpt,
    get readingMinutes() {
      return readingMinutes();
    },
    extra,
    ...linkOf(entry),
  };
}

/** An address that a parser would leave exactly as it is. */
const PLAIN_IMAGE = /^https:\/\/(?:[a-z0-9]+\.)+[a-z]{2,}(?:\/\w[\w-]*(?:\.[\w-]+)*)+$/;

/** An image's absolute address; null for one that is none, or is no HTTP(S) address, such as `javascript:`. */
function safeImage(image: string | null, base: string): string | null {
  if (image === null || image.trim() === '') return null;
  if (PLAIN_IMAGE.test(image)) return image;
  if (!URL.canParse(image, base)) return null;
  const { protocol, href } = new URL(image, base);
  return protocol === 'http:' || protocol === 'https:' ? href : null;
}

/** The title of a list's page: the list's own, which has the number 0, has no number. */
export function numbered(title: Text, number: number): Text {
  return number === 0 ? title : { t: 'page', values: { title, number } };
}

/** The empty frame of one of the site's own pages. */
export function sitePage(
  site: SiteInfo,
  kind: PageKind,
  path: string,
  texts: { title: Text; description: Text },
): Page {
  return {
    kind,
    path,
    file: fileAt(path),
    canonical: `${site.url}${path}`,
    article: null,
    articles: [],
    tag: null,
    author: null,
    ...texts,
  };
}
