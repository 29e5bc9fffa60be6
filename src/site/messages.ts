import type { SearchPage } from './search-messages.js';
import type { SiteReport } from './site.js';

/** What the main thread asks of the builder's. */
export type Request =
  /** Builds everything, or what these files below the content folder change. */
  | { readonly do: 'build'; readonly paths: readonly string[] | 'all' }
  /** Names the newest pages; see `Builder.newestPages`. */
  | { readonly do: 'name'; readonly newest: number }
  /** Ends the thread after the build under way. */
  | { readonly do: 'close' };

/** What the builder's thread answers, one for every request. */
export type Answer =
  | { readonly is: 'built'; readonly report: SiteReport }
  | { readonly is: 'named'; readonly pages: readonly SearchPage[] }
  | { readonly is: 'failed'; readonly reason: string }
  | { readonly is: 'closed' };
