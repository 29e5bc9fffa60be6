/** An article as another article's page links to it. */
export interface ArticleLink {
  readonly title: string;
  readonly description: string;
  /** First publication, as in the file. */
  readonly date: string;
  /** The same moment as ISO 8601 in UTC; null if `date` is not a date. */
  readonly published: string | null;
  readonly image: string | null;
  /** Absolute public URL. */
  readonly url: string;
}

/** An article as lists, feeds and templates see it. */
export interface ArticleSummary extends ArticleLink {
  readonly id: string;
  /** The last update, as in the file; null before the first. */
  readonly updated: string | null;
  /** The same moment as ISO 8601 in UTC; null before the first update, or if `updated` is not a date. */
  readonly modified: string | null;
  readonly author: string;
  readonly tags: readonly string[];
  /** The description, or else the beginning of the text. */
  readonly excerpt: string;
  /** Minutes it takes to read, at least 1. */
  readonly readingMinutes: number;
  /**
   * Front matter that is not Pressmark's, as in the file. In lists, keys whose values have more than 1,000 characters as JSON
   * are left out.
   */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** A heading of a text. */
export interface TocHeading {
  /** The id of the heading's element. */
  readonly id: string;
  /** Plain text. */
  readonly title: string;
}

/** A heading with the headings below it. */
export interface TocEntry extends TocHeading {
  readonly children: readonly TocHeading[];
}

/** An article on its own page. */
export interface ArticleOnPage extends ArticleSummary {
  /** The focus keyword; may be empty. */
  readonly keyword: string;
  /** The HTML to show. */
  readonly html: string;
  /** The head's `json_ld`. */
  readonly jsonLd: string;
  /** Its table of contents; empty if it has too few headings. */
  readonly toc: readonly TocEntry[];
  /** Words of the text; a character of Chinese, Japanese or Korean counts as one. */
  readonly words: number;
  /** The article published just before this one. */
  readonly previous: ArticleLink | null;
  /** The article published just after this one. */
  readonly next: ArticleLink | null;
  /** Articles near in time that share tags, the best first; at most four. */
  readonly related: readonly ArticleLink[];
}

/** A link within the site: its text and its address below the site's base path. */
export interface SiteLink {
  readonly label: string;
  readonly href: string;
}

/** The data that is the same on every page. */
export interface SiteInfo {
  /** Absolute, without a trailing slash. */
  readonly url: string;
  /** The path part of `url`, `''` for a site at its host's root. */
  readonly basePath: string;
  readonly title: string;
  readonly description: string;
  /** BCP 47, such as `en` or `de-AT`. */
  readonly language: string;
  /** The writing direction of the language. */
  readonly direction: 'ltr' | 'rtl';
  readonly author: string;
  /** The links for the header from the config; null if the theme decides. */
  readonly navigation: readonly SiteLink[] | null;
  /** A picture below the site's base path, and its size in pixels. */
  readonly logo: { readonly src: string; readonly width: number; readonly height: number } | null;
  /** The accent colours on light and on dark paper, such as `#93371f`. */
  readonly accent: { readonly light: string; readonly dark: string };
  /** The locale of dates and numbers, BCP 47. */
  readonly locale: string;
  /** The time zone of dates, such as `Europe/Vienna`. */
  readonly timeZone: string;
  /** Whether the site has a search page. */
  readonly search: boolean;
  /** The number of headings from which on an article has a table of contents; 0 for never. */
  readonly toc: number;
}

/** The kinds of pages. */
export type PageKind =
  | 'article'
  | 'page'
  | 'home'
  | 'archive'
  | 'tag'
  | 'tags'
  | 'author'
  | 'search'
  | 'notFound';

/**
 * A page that the owner wrote: in `content/pages/`, or the text for a tag or an author in `content/tags/` or
 * `content/authors/`.
 */
export interface StandalonePage {
  readonly title: string;
  readonly description: string;
  readonly html: string;
  /** Like an article's. */
  readonly toc: readonly TocEntry[];
  /** The rest of its front matter. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** The data for every page's template. */
export interface PageContext {
  readonly site: SiteInfo;
  readonly kind: PageKind;
  readonly title: string;
  readonly description: string;
  /** The page's own absolute URL. */
  readonly canonical: string;
  /** The article, on its own page; null elsewhere. */
  readonly article: ArticleOnPage | null;
  /** The owner's page, or the owner's text for the tag or the author; null elsewhere. */
  readonly page: StandalonePage | null;
  /** The articles that the page lists, newest first. */
  readonly articles: readonly ArticleSummary[];
  /** The tag of a tag page. */
  readonly tag: string | null;
  /** The author of an author's page. */
  readonly author: string | null;
  /** HTML that filters add to the head. */
  readonly head: string;
  /** Data that plugins add for their own templates. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** One entry of the feed. */
export interface FeedItem extends ArticleSummary {
  /** The article's HTML. */
  readonly html: string;
}

/** An address of the sitemap. */
export interface SitemapItem {
  /** Absolute. */
  readonly url: string;
  /** ISO 8601; undefined if unknown. */
  readonly lastmod?: string;
  /** Null for a page that is not an article's. */
  readonly article: ArticleSummary | null;
}
