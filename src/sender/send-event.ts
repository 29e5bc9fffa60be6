import { randomUUID } from 'node:crypto';
import {
  CAPABILITIES,
  DELIVERY_TIMEOUT_MS,
  EVENTS,
  type EventName,
  HEADER_CONTRACT,
  HEADER_EVENT,
  HEADER_SIGNATURE,
  HEADER_TIMESTAMP,
  REQUEST_CONTRACT_VERSION,
} from '../contract/limits.js';
import { sign } from '../contract/signature.js';
import { messageOf, PressmarkError } from '../errors.js';

/** What can be sent. */
export const EVENT_NAMES: readonly EventName[] = EVENTS;

/** An answer as it came. */
export interface EventAnswer {
  readonly status: number;
  readonly body: string;
  readonly ms: number;
}

/**
 * The bytes of one request: compact JSON with the fields in the contract's order, `contract_version` only
 * where it belongs (contract: Request envelope).
 */
export function envelopeBytes(event: EventName, data: object, timestamp: string): Buffer {
  const version = event === 'article.published' ? {} : { contract_version: REQUEST_CONTRACT_VERSION };
  return Buffer.from(JSON.stringify({ event, timestamp, ...version, data }));
}

/**
 * Signs and posts one event.
 *
 * @throws PressmarkError UNREACHABLE where the receiver cannot be reached.
 */
export async function sendEvent(
  to: string,
  secret: string,
  event: EventName,
  data: object,
  timestamp: string,
): Promise<EventAnswer> {
  const body = envelopeBytes(event, data, timestamp);
  const headers = {
    'content-type': 'application/json',
    [HEADER_SIGNATURE]: sign(body, secret),
    [HEADER_EVENT]: event,
    [HEADER_TIMESTAMP]: String(Math.floor(Date.now() / 1000)),
    ...(event !== 'article.published' && { [HEADER_CONTRACT]: String(REQUEST_CONTRACT_VERSION) }),
  };
  const started = performance.now();
  try {
    const response = await fetch(to, {
      method: 'POST',
      body,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(DELIVERY_TIMEOUT_MS),
    });
    return {
      status: response.status,
      body: await response.text(),
      ms: Math.round(performance.now() - started),
    };
  } catch (cause) {
    const reason =
      cause instanceof Error && cause.cause !== undefined ? messageOf(cause.cause) : messageOf(cause);
    throw new PressmarkError(
      'UNREACHABLE',
      `${to} cannot be reached: ${reason || 'no connection'}; is the receiver running there?`,
      { cause },
    );
  }
}

/** A small article for trying a receiver out; what `given` says replaces the sample's own. */
export function sampleArticle(
  given: Readonly<Record<string, unknown>>,
  timestamp: string,
): Record<string, unknown> {
  const id = typeof given.id === 'string' ? given.id : randomUUID();
  const title = typeof given.title === 'string' ? given.title : 'A first article';
  const jsonLd = {
    '@context': 'https://schema.org',
    '@type': 'Article',
    headline: title,
    datePublished: timestamp,
  };
  return {
    id,
    title,
    slug: title,
    content_html: `<p>This article was sent to try the receiver out. If you can read it on your site, everything works.</p>\n<!-- svc:item:${id} -->`,
    content_markdown: `This article was sent to try the receiver out. If you can read it on your site, everything works.\n\n<!-- svc:item:${id} -->\n`,
    meta_description: 'Sent to try the receiver out.',
    focus_keyword: '',
    featured_image_url: null,
    tags: ['trial'],
    author: 'Pressmark',
    published_at: timestamp,
    json_ld: `<script type="application/ld+json">${JSON.stringify(jsonLd).replaceAll('<', '\\u003c')}</script>`,
    ...given,
  };
}

/** The data of a `webhook.test`. */
export function sampleTest(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { id: randomUUID(), message: 'A connection test', capabilities: CAPABILITIES, ...given };
}
