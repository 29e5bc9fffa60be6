import { parseMoment } from '../contract/moment.js';

/** The time span in which an article has a page, by its file; in ms since 1970. */
export type Publication =
  | { readonly kind: 'draft' }
  /** Until it is released. */
  | { readonly kind: 'held' }
  | {
      readonly kind: 'dated';
      /** Undefined if the file has no date, or the site shows future dates at once. */
      readonly from?: number | undefined;
      /** When the article expires; undefined if it does not. */
      readonly until?: number | undefined;
    };

/** The state of an article. Only `live` ones have a page; `held` ones wait for release, `scheduled` ones for their date. */
export type ArticleState = 'draft' | 'held' | 'scheduled' | 'live' | 'expired';

/** The front matter key of an article's expiry. */
export const EXPIRY_KEY = 'expiryDate';

/** The largest difference between the clocks of a service and its receiver, in milliseconds. */
const CLOCK_SKEW_MS = 60_000;

/** Removes dates that a definition could not read (NaN). */
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
 * The date of a new article. A date that is ahead by no more than clocks may differ becomes the moment of arrival, so that no
 * generator leaves the article out. A later date schedules the article.
 *
 * @param sent ISO 8601.
 * @param now in ms since 1970.
 */
export function dateOnArrival(sent: string, now: number, skewMs = CLOCK_SKEW_MS): string {
  const ahead = parseMoment(sent) - now;
  return ahead > 0 && ahead <= skewMs ? new Date(now).toISOString() : sent;
}
