import { percentEncoded } from '../../article/address/files-of-address.js';
import type {
  PageContext,
  PageKind,
  SiteInfo,
  SiteLink,
  StandalonePage,
} from '../../host/pages/page-types.js';
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
  /** What plugins have derived for it; templates get it as `extra`. */
  readonly derived?: PageContext['extra'];
  readonly title: Text;
  readonly description: Text;
  /** Below the site's base path, starting with a slash. */
  readonly path: string;
  /** Of the pages of a list. */
  readonly pager?: Pager;
  readonly tagLinks?: readonly TagLink[];
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
