import type { SiteReport } from '../options.js';
import type { SearchPage } from '../search/search-pages.js';

/** What the main thread asks of the builder's; answers name the request's `id`, as they come in any order. */
export type Request = { readonly id: number } & Question;

/** A request without its number. */
export type Question =
  /** Builds everything, or what these files below the content folder change. */
  | { readonly kind: 'build'; readonly paths: readonly string[] | 'all' }
  /** Has builds rest much while deliveries come in fast, or no more; see `Builder.pace`. */
  | { readonly kind: 'pace'; readonly isBurst: boolean }
  /** Names the newest pages; see `Builder.newestPages`. */
  | { readonly kind: 'name'; readonly newest: number }
  /** Ends the thread; a build of everything is not waited for. */
  | { readonly kind: 'close' };

/** What the builder's thread answers, one for every request; and once, unasked, that it knows what was built last. */
export type Answer = { readonly id: number } & (Outcome | Loaded);

/** Sent when the thread has read what was built last and has built what an unclean stop had damaged, or could not. */
export interface Loaded {
  readonly kind: 'loaded';
  /** Whether the site stands whole: changes can be built before everything has been looked at. */
  readonly isWhole: boolean;
  /** See `Builder.isUndamaged`; on a full disk, pages can be served although nothing can be built. */
  readonly isUndamaged: boolean;
}

/** An answer without the number of its request. */
export type Outcome =
  | { readonly kind: 'built'; readonly report: SiteReport }
  | { readonly kind: 'named'; readonly pages: readonly SearchPage[] }
  | { readonly kind: 'failed'; readonly reason: string }
  /** The builder was closed in the midst of a build of everything. */
  | { readonly kind: 'stopped' }
  | { readonly kind: 'paced' }
  | { readonly kind: 'closed' };
