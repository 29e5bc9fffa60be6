/** Numbers and names of the contract (sections "Limits", "Versioning"). */

/** Largest request body that is read, and largest answer the service reads, in bytes. */
export const MAX_BODY_BYTES = 1_000_000;

/** The service gives up on an article delivery after this long. */
export const DELIVERY_TIMEOUT_MS = 30_000;

/** The service gives up on a connection test or a lookup after this long. */
export const LOOKUP_TIMEOUT_MS = 15_000;

/** First try and five retries. */
export const MAX_ATTEMPTS = 6;

/** Least waits before the retries, in minutes. */
export const RETRY_WAITS_MINUTES = [1, 5, 30, 120, 360] as const;

/** A delivery that has been `sending` for this long is taken up again, in minutes. */
export const STUCK_SENDING_MINUTES = 10;

/** How much of an answer's body the service keeps as the error text, in characters. */
export const ERROR_TEXT_CHARS = 200;

/** The version that requests carry; the same in contract versions 2 and 3. */
export const REQUEST_CONTRACT_VERSION = 2;

/** The version that this receiver's answers state. */
export const ANSWER_CONTRACT_VERSION = 3;

/** What the receiver implements, as `webhook.test` reports it. */
export const CAPABILITIES = ['article.published', 'article.lookup', 'article.updated'] as const;

/** Every event that the service emits. */
export const EVENTS = ['article.published', 'webhook.test', 'article.lookup', 'article.updated'] as const;

export type EventName = (typeof EVENTS)[number];
