import { percentEncoded } from '../../article/address/files-of-address.js';
import type {
  PageContext,
  PageKind,
  SiteInfo,
  SiteLink,
  StandalonePage,
} from '../../host/pages/page-types.js';
import type { Text } from './i18n.js';

/** A tag on the tags page. */
export interface TagLink extends SiteLink {
  readonly count: number;
}

/** A page of a list, with links to the others. */
export interface Pager {
  /** 0 for the page of the newest articles; the others are counted from the oldest. */
  readonly number: number;
  /** The paths of the next and the previous page. */
  readonly newer: string | undefined;
  readonly older: string | undefined;
  /** The number of pages; only on the page of the newest articles. */
  readonly pageCount: number | undefined;
  /** Links to the first page, the neighbours of this page, the last page, and this page, in their order. */
  readonly pageLinks: readonly PageLink[];
}

/** A link to a page of a list. */
export interface PageLink {
  readonly number: number;
  readonly path: string;
  /** Whether pages between this link and the one before it are left out. */
  readonly isAfterGap: boolean;
}

/** A page to build. */
export interface Page
  extends Omit<PageContext, 'site' | 'title' | 'description' | 'head' | 'extra' | 'page'> {
  readonly page?: StandalonePage;
  /** Plugins' derived data for the page; templates get it as `extra`. */
  readonly derived?: PageContext['extra'];
  readonly title: Text;
  readonly description: Text;
  /** The path below the site's base path, starting with a slash. */
  readonly path: string;
  /** The position in a list; only for pages of lists. */
  readonly pager?: Pager;
  readonly tagLinks?: readonly TagLink[];
}

/** Makes one of the site's own pages, without content. */
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
