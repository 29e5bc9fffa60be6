/** Numbers and names of the contract (sections "Limits", "Versioning"). */

/** The largest request body that the receiver reads, and the largest answer that the service reads, in bytes. */
export const MAX_BODY_BYTES = 1_000_000;

/** The service's time limit for an article delivery, in milliseconds. */
export const DELIVERY_TIMEOUT_MS = 30_000;

/** The service's time limit for a connection test or a lookup, in milliseconds. */
export const LOOKUP_TIMEOUT_MS = 15_000;

/** The first attempt and five retries. */
export const MAX_ATTEMPTS = 6;

/** The shortest pauses before the retries, in minutes. */
export const RETRY_WAITS_MINUTES = [1, 5, 30, 120, 360] as const;

/** A delivery that has been `sending` for this long is sent again, in minutes. */
export const STUCK_SENDING_MINUTES = 10;

/** The part of an answer's body that the service keeps as the error text, in characters. */
export const ERROR_TEXT_CHARS = 200;

/** The version in requests; the same in contract versions 2 and 3. */
export const REQUEST_CONTRACT_VERSION = 2;

/** The version in this receiver's answers. */
export const ANSWER_CONTRACT_VERSION = 3;

/** The implemented events, as `webhook.test` reports them. */
export const CAPABILITIES = ['article.published', 'article.lookup', 'article.updated'] as const;

/** Every event that the service emits. */
export const EVENTS = ['article.published', 'webhook.test', 'article.lookup', 'article.updated'] as const;

export type EventName = (typeof EVENTS)[number];
