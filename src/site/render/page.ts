import { percentEncoded } from '../../article/address/files-of-address.js';
import { PLACEHOLDER_TITLE } from '../../article/article.js';
import type {
  ArticleLink,
  ArticleSummary,
  PageContext,
  PageKind,
  SiteInfo,
  SiteLink,
  StandalonePage,
} from '../../host/pages/page-types.js';
import type { ArticleEntry } from '../index/article-entry.js';
import { isoOf } from './dates.js';
import type { Text } from './i18n.js';

/** A tag as the tags page lists it. */
export interface TagLink extends SiteLink {
  readonly count: number;
}

/** One page of a list, and its way to the others. */
export interface Pager {
  /** 0 for the newest ones, else counted from the oldest. */
  readonly number: number;
  /** The paths of its neighbours. */
  readonly newer: string | undefined;
  readonly older: string | undefined;
  /** How many pages the list has; on the page of the newest ones alone. */
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
  /** What plugins have derived for it. */
  readonly extra?: PageContext['extra'];
  readonly title: Text;
  readonly description: Text;
  /** Below the site's base path, starting with a slash. */
  readonly path: string;
  /** Of the pages of a list. */
  readonly pager?: Pager;
  readonly tagLinks?: readonly TagLink[];
}

/** An article as another one's page links to it: nothing in it is a danger in an attribute. */
export function linkOf({
  title,
  description,
  date,
  image,
  url,
}: Pick<ArticleEntry, 'title' | 'description' | 'date' | 'image' | 'url'>): ArticleLink {
  return {
    title: title.trim() === '' ? PLACEHOLDER_TITLE : title,
    description,
    date,
    published: isoOf(date) ?? null,
    image: safeImage(image, url),
    url,
  };
}

/** An article as lists and feeds show it. */
export function summaryOf(
  entry: Omit<ArticleEntry, 'path' | 'fingerprint' | 'file' | 'time' | 'modified'>,
): ArticleSummary {
  const { id, updated, author, tags, excerpt = entry.description, readingMinutes, extra = {} } = entry;
  const modified = (updated === null ? undefined : isoOf(updated)) ?? null;
  return { ...linkOf(entry), id, updated, modified, author, tags, excerpt, readingMinutes, extra };
}

/** An image's absolute address; null for one that is none, or is no HTTP(S) address, such as `javascript:`. */
function safeImage(image: string | null, base: string): string | null {
  if (image === null || image.trim() === '') return null;
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
    canonical: `${site.url}${percentEncoded(path)}`,
    article: null,
    articles: [],
    tag: null,
    author: null,
    ...texts,
  };
}
