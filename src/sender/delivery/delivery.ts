import { MAX_ATTEMPTS, RETRY_WAITS_MINUTES, STUCK_SENDING_MINUTES } from '../../contract/limits.js';
import type { Envelope } from './send-event.js';
import type { Reply } from './transport.js';

export { MAX_ATTEMPTS };

/** The state of a delivery (contract: States and transitions). */
export type DeliveryStatus = 'pending' | 'sending' | 'success' | 'failed';

/** The delivery record, with exactly the contract's columns (contract: Delivery record). */
export interface Delivery {
  /** The endpoint for which the payload was queued. */
  readonly url: string;
  readonly status: DeliveryStatus;
  /** The number of attempts that have begun, including those that ended with their process. */
  readonly attempts: number;
  /** The HTTP status of the last attempt; null if there was no answer or no attempt. */
  readonly lastStatusCode: number | null;
  readonly lastError: string | null;
  /**
   * ISO 8601. While `pending`, the earliest time of the next attempt; while `sending`, the time at which the delivery counts as
   * stuck; null once settled.
   */
  readonly nextRetryAt: string | null;
  /**
   * The payload that is serialized and signed for each attempt. It gets the time of the first attempt, and does not change
   * afterwards.
   */
  readonly payload: Envelope;
}

/** The result of an attempt. */
export type Outcome =
  | {
      readonly result: 'accepted';
      readonly statusCode: number;
      /** The article's public URL, if the answer has one. */
      readonly liveUrl: string | null;
      /** Why the `url` of the answer is not used as the live URL. */
      readonly note?: string;
      /** The first 2,000 characters of the answer's body. */
      readonly answer?: string;
    }
  | {
      readonly result: 'refused';
      /** Null if no answer came. */
      readonly statusCode: number | null;
      readonly error: string;
      /** Whether the delivery fails at once, however many attempts remain. */
      readonly final: boolean;
      /** The answer, either to the event itself or to the `webhook.test` before an update. */
      readonly reply?: Pick<Reply, 'status' | 'headers'>;
    }
  /** Nothing was sent, and nothing will be: this does not count as an attempt, and the record keeps the last status code. */
  | { readonly result: 'stopped'; readonly error: string };

/** An event in a delivery's life. */
export type DeliveryEvent =
  /** A worker takes the delivery. */
  | { readonly kind: 'take' }
  /** Its attempt has ended. */
  | { readonly kind: 'end'; readonly outcome: Outcome }
  /** The worker's tick checks the delivery. */
  | { readonly kind: 'tick' }
  | { readonly kind: Asked };

/** A person's request: to send a failed delivery again, to send it without waiting, or to cancel it. */
export type Asked = 'retry' | 'send' | 'cancel';

const MINUTE_MS = 60_000;

/** The error text of a cancelled delivery. */
const CANCELLED = 'cancelled by hand';

/** The error text of an attempt without a recorded outcome. */
const CUT_OFF = `the attempt was cut off: ${STUCK_SENDING_MINUTES} minutes later no result was noted`;

/** A new delivery: `pending` and due at once (contract: the first try is immediate; the initial state is not shown). */
export function queued(url: string, payload: Envelope, now: number): Delivery {
  return {
    url,
    status: 'pending',
    attempts: 0,
    lastStatusCode: null,
    lastError: null,
    nextRetryAt: moment(now),
    payload,
  };
}

/**
 * Computes the delivery after an event; a pure function of record, event and clock (contract: States and transitions).
 *
 * @param now milliseconds since the epoch.
 * @returns undefined if the event has no effect on the delivery in its current state.
 */
export function advance(delivery: Delivery, event: DeliveryEvent, now: number): Delivery | undefined {
  const { status } = delivery;
  if (event.kind === 'end') return status === 'sending' ? ended(delivery, event.outcome, now) : undefined;
  if (event.kind === 'send')
    return status === 'pending' ? { ...delivery, nextRetryAt: moment(now) } : undefined;
  if (event.kind === 'cancel')
    return status === 'pending'
      ? { ...delivery, status: 'failed', lastError: CANCELLED, nextRetryAt: null }
      : undefined;
  if (event.kind === 'retry')
    return mayBeRetried(delivery)
      ? { ...delivery, status: 'pending', attempts: 0, nextRetryAt: moment(now) }
      : undefined;
  if (!isOver(delivery.nextRetryAt, now)) return undefined;
  if (event.kind === 'take' && status === 'pending') return begun(delivery, now);
  return event.kind === 'tick' && status === 'sending' ? cutOff(delivery, now) : undefined;
}

/** Counts an attempt from its beginning, so that a delivery that crashes its worker is not sent without end. */
function begun(delivery: Delivery, now: number): Delivery {
  return {
    ...delivery,
    status: 'sending',
    attempts: delivery.attempts + 1,
    nextRetryAt: moment(now + STUCK_SENDING_MINUTES * MINUTE_MS),
  };
}

/**
 * Sets the moment of sending in a payload (contract: timestamp, published_at), including its JSON-LD if that contains the
 * moment of queueing.
 *
 * @param now milliseconds since the epoch.
 */
export function sentFirstAt(payload: Envelope, now: number): Envelope {
  const timestamp = moment(now);
  const json_ld = ['datePublished', 'dateModified'].reduce(
    (text, key) => text.replace(`"${key}":"${payload.timestamp}"`, `"${key}":"${timestamp}"`),
    String(payload.data.json_ld),
  );
  return { ...payload, timestamp, data: { ...payload.data, published_at: timestamp, json_ld } };
}

/** Returns a stuck delivery to `pending`; after the last attempt, it has failed. */
function cutOff(delivery: Delivery, now: number): Delivery {
  const noted = { ...delivery, lastStatusCode: null, lastError: CUT_OFF };
  return delivery.attempts >= MAX_ATTEMPTS
    ? { ...noted, status: 'failed', nextRetryAt: null }
    : { ...noted, status: 'pending', nextRetryAt: moment(now) };
}

function ended(delivery: Delivery, outcome: Outcome, now: number): Delivery {
  if (outcome.result === 'stopped')
    return {
      ...delivery,
      status: 'failed',
      attempts: delivery.attempts - 1,
      lastError: outcome.error,
      nextRetryAt: null,
    };
  const { attempts } = delivery;
  const lastStatusCode = outcome.statusCode;
  if (outcome.result === 'accepted')
    return { ...delivery, status: 'success', lastStatusCode, lastError: null, nextRetryAt: null };
  const wait = RETRY_WAITS_MINUTES[attempts - 1];
  const failed = { ...delivery, lastStatusCode, lastError: outcome.error };
  return outcome.final || attempts >= MAX_ATTEMPTS || wait === undefined
    ? { ...failed, status: 'failed', nextRetryAt: null }
    : { ...failed, status: 'pending', nextRetryAt: moment(now + wait * MINUTE_MS) };
}

/**
 * Whether a person may retry a failed delivery. A stale base revision is never sent again; a new refresh must read the article
 * first.
 */
function mayBeRetried({ status, payload, lastStatusCode }: Delivery): boolean {
  return status === 'failed' && !(payload.event === 'article.updated' && lastStatusCode === 409);
}

/**
 * Whether the receiver may have stored the article although no success was seen. After a 4xx it has not, since a stored article
 * is answered with 2xx; after a timeout, a 5xx or an interrupted attempt it may have.
 */
export function leavesOpen(event: DeliveryEvent): boolean {
  if (event.kind === 'tick') return true;
  if (event.kind !== 'end' || event.outcome.result === 'stopped') return false;
  const { statusCode } = event.outcome;
  return statusCode === null || statusCode < 400 || statusCode > 499;
}

function isOver(at: string | null, now: number): boolean {
  return at !== null && Date.parse(at) <= now;
}

function moment(ms: number): string {
  return new Date(ms).toISOString();
}
