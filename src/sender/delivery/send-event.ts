import {
  DELIVERY_TIMEOUT_MS,
  EVENTS,
  type EventName,
  LOOKUP_TIMEOUT_MS,
  REQUEST_CONTRACT_VERSION,
} from '../../contract/limits.js';
import { DEFAULT_SERVICE, headerNames, type Service } from '../../contract/service.js';
import { sign } from '../../contract/signature.js';
import { sampleTest } from '../article/sample-event.js';
import { exchange, type Reply } from './transport.js';

export { DEFAULT_SERVICE, type EventName };

/** The events that can be sent. */
export const EVENT_NAMES: readonly EventName[] = EVENTS;

/** A request body before serialization (contract: Request envelope). */
export interface Envelope {
  readonly event: EventName;
  readonly timestamp: string;
  /** 2 on every event except `article.published`, which has none. */
  readonly contract_version?: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The service in whose name events are sent, and the signing secret. */
export interface Signer {
  readonly secret: string;
  readonly service: Service;
}

/** The address of an event, and its sender. */
export interface Recipient extends Signer {
  readonly url: string;
}

/** Makes the envelope of an event, with its fields in the contract's order. */
export function envelopeOf(
  event: EventName,
  data: Readonly<Record<string, unknown>>,
  timestamp: string,
): Envelope {
  const version = event === 'article.published' ? {} : { contract_version: REQUEST_CONTRACT_VERSION };
  return { event, timestamp, ...version, data };
}

/** The bytes that are sent and signed: compact JSON, always the same for the same envelope. */
export function envelopeBytes(envelope: Envelope): Buffer {
  return Buffer.from(JSON.stringify(envelope));
}

/**
 * Makes the headers of a signed event (contract: Request headers).
 *
 * @param sentAt the moment of sending, in milliseconds since the epoch.
 */
export function eventHeaders(
  event: EventName,
  body: Uint8Array,
  { secret, service }: Signer,
  sentAt = Date.now(),
): Record<string, string> {
  const names = headerNames(service);
  return {
    'Content-Type': 'application/json',
    [names.signature]: sign(body, secret),
    [names.event]: event,
    [names.timestamp]: String(Math.floor(sentAt / 1000)),
    ...(event !== 'article.published' && { [names.contract]: String(REQUEST_CONTRACT_VERSION) }),
  };
}

/**
 * The time limit of an event, in milliseconds. The contract has none for an update, which writes an article like a publish and
 * gets the same limit (contract: Limits).
 */
export function timeoutOf(event: EventName): number {
  return event === 'article.published' || event === 'article.updated'
    ? DELIVERY_TIMEOUT_MS
    : LOOKUP_TIMEOUT_MS;
}

/** The number of redirects that an event follows (contract: Request headers, Redirects). */
export function redirectsOf(event: EventName): number {
  return event === 'article.published' ? 1 : 0;
}

/**
 * Serializes, signs and posts an event within the contract's limits.
 *
 * @param sentAt the moment of sending, in milliseconds since the epoch.
 * @throws PressmarkError UNREACHABLE if no answer came.
 */
export function postEvent(
  recipient: Recipient,
  envelope: Envelope,
  { sentAt = Date.now() }: { sentAt?: number } = {},
): Promise<Reply> {
  const body = envelopeBytes(envelope);
  const { event } = envelope;
  return exchange({
    url: recipient.url,
    headers: eventHeaders(event, body, recipient, sentAt),
    body,
    timeoutMs: timeoutOf(event),
    redirects: redirectsOf(event),
  });
}

/**
 * Sends a `webhook.test` (contract: webhook.test data).
 *
 * @param sentAt milliseconds since the epoch.
 * @throws PressmarkError UNREACHABLE if no answer came.
 */
export function sendTest(recipient: Recipient, sentAt: number): Promise<Reply> {
  const timestamp = new Date(sentAt).toISOString();
  return postEvent(recipient, envelopeOf('webhook.test', sampleTest(), timestamp), { sentAt });
}
