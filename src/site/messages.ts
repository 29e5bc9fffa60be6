import type { SiteReport } from './site.js';

/** What the main thread asks of the builder's. */
export type Request =
  /** Builds everything, or what these files below the content folder change. */
  | { readonly do: 'build'; readonly paths: readonly string[] | 'all' }
  /** Ends the thread after the build under way. */
  | { readonly do: 'close' };

/** What the builder's thread answers, one for every request. */
export type Answer =
  | { readonly is: 'built'; readonly report: SiteReport }
  | { readonly is: 'failed'; readonly reason: string }
  | { readonly is: 'closed' };
