/** An article as lists, feeds and templates see it. */
export interface ArticleSummary {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** First publication, ISO 8601. */
  readonly date: string;
  readonly updated: string | null;
  readonly author: string;
  readonly tags: readonly string[];
  readonly image: string | null;
  /** Absolute public URL. */
  readonly url: string;
}

/** A link of the site's own: its text and its address below the site's base path. */
export interface SiteLink {
  readonly label: string;
  readonly href: string;
}

/** What is the same on every page. */
export interface SiteInfo {
  /** Absolute, without a trailing slash. */
  readonly url: string;
  /** The path part of `url`, `''` for a site at its host's root. */
  readonly basePath: string;
  readonly title: string;
  readonly description: string;
  /** BCP 47, such as `en` or `de-AT`. */
  readonly language: string;
  readonly author: string;
}

/** What every page's template gets. */
export interface PageContext {
  readonly site: SiteInfo;
  readonly kind: 'article' | 'home' | 'tag' | 'tags' | 'notFound';
  readonly title: string;
  readonly description: string;
  /** The page's own absolute URL. */
  readonly canonical: string;
  /** The article itself on its page, with the HTML to show and the head's `json_ld`; null elsewhere. */
  readonly article: (ArticleSummary & { readonly html: string; readonly jsonLd: string }) | null;
  /** The articles that the page lists, newest first. */
  readonly articles: readonly ArticleSummary[];
  /** The tag of a tag page. */
  readonly tag: string | null;
  /** HTML that filters add to the head. */
  readonly head: string;
  /** Whatever plugins add for their own templates. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** One entry of the feed. */
export interface FeedItem extends ArticleSummary {
  /** The article's HTML. */
  readonly html: string;
}
