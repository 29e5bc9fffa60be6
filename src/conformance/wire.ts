import {
  type EventName,
  HEADER_CONTRACT,
  HEADER_EVENT,
  HEADER_SIGNATURE,
  HEADER_TIMESTAMP,
  REQUEST_CONTRACT_VERSION,
} from '../contract/limits.js';
import { sign } from '../contract/signature.js';

/** Where a request differs from what the service would send. */
export interface Twist {
  /** Laid over the envelope; undefined leaves a field out. */
  readonly envelope?: Readonly<Record<string, unknown>>;
  /** Laid over the headers; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The body that is signed, in place of the envelope's compact JSON. */
  readonly body?: (json: string) => Buffer | string;
  /** The bytes that are sent, in place of those that were signed. */
  readonly sent?: (signed: Buffer) => Buffer | string;
  /** The signature that is sent, made from the right one; undefined leaves the header out. */
  readonly signature?: (right: string) => string | undefined;
  /** Writes the names of all headers in capitals. */
  readonly capitals?: boolean;
  readonly chunked?: boolean;
  readonly pieces?: boolean;
}

/** A request's bytes and headers. */
export interface Wire {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A header's name in the contract's spelling. */
export function spelled(header: string): string {
  return header.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/**
 * The bytes of a request as the service would send it (contract: Request envelope, Request headers), but for
 * the twist. The same data give the same bytes: a retry is identical.
 */
export function compose(event: EventName, data: unknown, secret: string, twist: Twist = {}): Wire {
  const versioned = event !== 'article.published';
  const json = JSON.stringify({
    event,
    timestamp: momentOf(data),
    ...(versioned && { contract_version: REQUEST_CONTRACT_VERSION }),
    data,
    ...twist.envelope,
  });
  const signed = Buffer.from(twist.body?.(json) ?? json);
  const right = sign(signed, secret);
  const headers: Record<string, string | undefined> = {
    'Content-Type': 'application/json',
    [spelled(HEADER_SIGNATURE)]: twist.signature === undefined ? right : twist.signature(right),
    [spelled(HEADER_EVENT)]: event,
    [spelled(HEADER_TIMESTAMP)]: String(Math.floor(Date.now() / 1000)),
    [spelled(HEADER_CONTRACT)]: versioned ? String(REQUEST_CONTRACT_VERSION) : undefined,
    ...twist.headers,
  };
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[twist.capitals ? name.toUpperCase() : name, value] as const],
  );
  return { headers: Object.fromEntries(kept), body: Buffer.from(twist.sent?.(signed) ?? signed) };
}

/** A publish's and an update's timestamp is their `published_at` (contract: Article). */
function momentOf(data: unknown): string {
  const published = typeof data === 'object' && data !== null && 'published_at' in data && data.published_at;
  return typeof published === 'string' ? published : new Date().toISOString();
}
