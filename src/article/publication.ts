import { parseMoment } from '../contract/moment.js';

/** When an article has a page, by its file: never, or from one moment on until another; in ms since 1970. */
export type Publication =
  | { readonly kind: 'draft' }
  /** Until it is released. */
  | { readonly kind: 'held' }
  | {
      readonly kind: 'dated';
      /** Undefined if the file has no date, or the site shows dates to come at once. */
      readonly from?: number | undefined;
      /** When the article expires; undefined if it does not. */
      readonly until?: number | undefined;
    };

/** Whether an article has a page; `held`: not before it is released; `scheduled`: not before its date. */
export type ArticleState = 'draft' | 'held' | 'scheduled' | 'live' | 'expired';

/** The key in which a file says when its article expires. */
export const EXPIRY_KEY = 'expiryDate';

/** The clocks of a service and of its receiver may differ so much, in milliseconds. */
const CLOCK_SKEW_MS = 60_000;

/** A publication in which what a definition could not read as a date, NaN, is none. */
export function withKnownDates(publication: Publication): Publication {
  if (publication.kind !== 'dated') return publication;
  const known = (at: number | undefined) => (Number.isNaN(at) ? undefined : at);
  return { kind: 'dated', from: known(publication.from), until: known(publication.until) };
}

/** The state of an article at a moment, in ms since 1970. */
export function stateAt(publication: Publication, now: number): ArticleState {
  if (publication.kind !== 'dated') return publication.kind;
  const { from, until } = publication;
  if (until !== undefined && until <= now) return 'expired';
  return from !== undefined && from > now ? 'scheduled' : 'live';
}

/**
 * The date of a new article. If it is ahead by no more than clocks may differ, it is the moment of arrival: no generator
 * leaves the article out then. A later one is that of a scheduled article.
 *
 * @param sent ISO 8601.
 * @param now in ms since 1970.
 */
export function dateOnArrival(sent: string, now: number, skewMs = CLOCK_SKEW_MS): string {
  const ahead = parseMoment(sent) - now;
  return ahead > 0 && ahead <= skewMs ? new Date(now).toISOString() : sent;
}
