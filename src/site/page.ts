import { hash } from 'node:crypto';
import { itemComments, keepItemComments, PLACEHOLDER_TITLE } from '../article/article.js';
import type { Hooks } from '../host/hooks.js';
import type {
  ArticleLink,
  ArticleSummary,
  PageContext,
  PageKind,
  SiteInfo,
  SiteLink,
} from '../host/page-types.js';
import type { Entry } from '../store/entry.js';
import { fileAt, linkBelow, linkTo } from './addresses.js';
import { authorOf, type Groups, tagsOf } from './groups.js';
import { dayFormat, momentOf } from './moments.js';
import type { Theme } from './theme.js';

/** A tag as the tags page lists it. */
export interface TagLink extends SiteLink {
  readonly count: number;
}

/** A page to be built. */
export interface Page extends Omit<PageContext, 'site' | 'head' | 'extra'> {
  /** Below the site's base path, starting with a slash. */
  readonly path: string;
  /** Below the output folder. */
  readonly file: string;
  /** Of a list's page: 0 for its newest articles, else counted from the oldest. */
  readonly number?: number;
  /** The pages of the same list beside this one. */
  readonly newer?: string | undefined;
  readonly older?: string | undefined;
  readonly tagLinks?: readonly TagLink[];
}

/** Which template each kind of page has. */
const TEMPLATE: Readonly<Record<PageKind, string>> = {
  article: 'article',
  home: 'home',
  archive: 'archive',
  tag: 'tag',
  tags: 'tags',
  author: 'author',
  notFound: 'not-found',
};

/** Makes pages of one theme; the result renders a page to HTML through the filters. */
export function createRenderer(
  site: SiteInfo,
  theme: Theme,
  hooks: Hooks,
  { tags, authors }: { readonly tags: Groups; readonly authors: Groups },
) {
  const day = dayFormat(site);
  const helpers = {
    /** A path below the site's base path, or an absolute URL, as a link. */
    link: (address: string) => (address.startsWith('/') ? linkBelow(address, site) : linkTo(address, site)),
    /** The page of a tag. */
    tagLink: (name: string) => linkBelow(`/tags/${tags.get(name)?.slug ?? ''}/`, site),
    /** The page of an author. */
    authorLink: (name: string) => linkBelow(`/authors/${authors.get(name)?.slug ?? ''}/`, site),
    /** A date in words. */
    day,
    /** A date for machines; empty where it is no date. */
    isoDate: (date: string) => momentOf(date)?.toISOString() ?? '',
    css: `${linkBelow('/style.css', site)}?v=${hash('sha256', theme.css).slice(0, 8)}`,
  };

  return async function render(page: Page): Promise<string> {
    const { path, file, number, newer, older, tagLinks, ...own } = page;
    const info = { kind: page.kind, path };
    let context: PageContext = { site, ...own, head: '', extra: {} };
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
    const html = theme.render(TEMPLATE[page.kind], {
      ...context,
      ...helpers,
      number,
      newer,
      older,
      tagLinks,
    });
    if (!hooks.hasFilter('page.html')) return html;
    return keepComments(await hooks.applyFilters('page.html', html, info), page.article?.html ?? '');
  };
}

/** What no filter of the context may lose (contract: `json_ld` and the item comment stay in the page). */
function keepVerbatim(context: PageContext, { article }: Page): PageContext {
  if (article === null) return context;
  const html = keepItemComments(context.article?.html ?? '', article.html);
  return { ...context, article: { ...article, ...context.article, html, jsonLd: article.jsonLd } };
}

/** A page with those item comments put back that a filter such as a minifier has dropped. */
function keepComments(html: string, original: string): string {
  const lost = itemComments(original).filter((comment) => !html.includes(comment));
  if (lost.length === 0) return html;
  const end = html.lastIndexOf('</body>');
  const at = end === -1 ? html.length : end;
  return `${html.slice(0, at)}${lost.join('\n')}\n${html.slice(at)}`;
}

/** An article as another one's page links to it: nothing in it is a danger in an attribute. */
export function linkOf({ title, description, date, image, url }: Entry): ArticleLink {
  return {
    title: title.trim() === '' ? PLACEHOLDER_TITLE : title,
    description,
    date,
    published: momentOf(date)?.toISOString() ?? null,
    image: safeImage(image, url),
    url,
  };
}

/** An article as lists and feeds show it. */
export function summaryOf(entry: Entry): ArticleSummary {
  const { id, updated } = entry;
  const modified = updated === null ? undefined : momentOf(updated);
  return {
    ...linkOf(entry),
    id,
    updated,
    modified: modified?.toISOString() ?? null,
    author: authorOf(entry),
    tags: tagsOf(entry),
  };
}

/** An image's absolute address; null for one that is none, or is no HTTP(S) address, such as `javascript:`. */
function safeImage(image: string | null, base: string): string | null {
  if (image === null || image.trim() === '' || !URL.canParse(image, base)) return null;
  const { protocol, href } = new URL(image, base);
  return protocol === 'http:' || protocol === 'https:' ? href : null;
}

/** The empty frame of one of the site's own pages. */
export function sitePage(
  site: SiteInfo,
  kind: PageKind,
  path: string,
  texts: { title: string; description: string },
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
