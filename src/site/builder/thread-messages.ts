import type { SearchPage } from '../search/search-messages.js';
import type { SiteReport } from '../site-options.js';

/** What the main thread asks of the builder's; answers name the request's `id`, as they come in any order. */
export type Request = { readonly id: number } & Question;

/** A request without its number. */
export type Question =
  /** Builds everything, or what these files below the content folder change. */
  | { readonly do: 'build'; readonly paths: readonly string[] | 'all' }
  /** Has builds rest much while deliveries come in fast, or no more; see `Builder.pace`. */
  | { readonly do: 'pace'; readonly isBurst: boolean }
  /** Names the newest pages; see `Builder.newestPages`. */
  | { readonly do: 'name'; readonly newest: number }
  /** Ends the thread after the build under way. */
  | { readonly do: 'close' };

/** What the builder's thread answers, one for every request; and once, unasked, that it knows what was built last. */
export type Answer = { readonly id: number } & (Outcome | Prepared);

/** Said when the thread has read what was built last, has built what an unclean stop had damaged, or could not. */
export interface Prepared {
  readonly is: 'prepared';
  /** Whether the site stands whole: changes can be built before all has been looked at. */
  readonly stands: boolean;
  /** See `Builder.isUndamaged`; on a full disk, pages can be served although nothing can be built. */
  readonly isUndamaged: boolean;
}

/** An answer without the number of its request. */
export type Outcome =
  | { readonly is: 'built'; readonly report: SiteReport }
  | { readonly is: 'named'; readonly pages: readonly SearchPage[] }
  | { readonly is: 'failed'; readonly reason: string }
  | { readonly is: 'paced' }
  | { readonly is: 'closed' };
