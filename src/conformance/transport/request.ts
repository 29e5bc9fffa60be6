import type { EventName } from '../../contract/limits.js';
import { type HeaderNames, headerNames } from '../../contract/service.js';
import { sign } from '../../contract/signature.js';
import { envelopeOf, eventHeaders, type Signer } from '../../sender/delivery/send-event.js';

/** Where a request differs from what the service would send. */
export interface Overrides {
  /** Laid over the envelope; undefined leaves a field out. */
  readonly envelope?: Readonly<Record<string, unknown>>;
  /** Laid over the headers; undefined leaves one out. */
  readonly headers?: (names: HeaderNames) => Readonly<Record<string, string | undefined>>;
  /** The body that is signed, in place of the envelope's compact JSON. */
  readonly body?: (json: string) => Buffer | string;
  /** The bytes that are sent, in place of those that were signed. */
  readonly sent?: (signed: Buffer) => Buffer | string;
  /** The signature that is sent, made from the right one; undefined leaves the header out. */
  readonly signature?: (right: string, signed: Buffer) => string | undefined;
  /** Writes the names of all headers in capitals. */
  readonly capitals?: boolean;
  /** Writes them in lower case. */
  readonly lowercase?: boolean;
  readonly chunked?: boolean;
  readonly pieces?: boolean;
  /** Sent to find out why a rule is not kept: its answer is no finding. */
  readonly trial?: boolean;
  /** Sends it without waiting for its turn, which was taken before. */
  readonly atOnce?: boolean;
}

/**
 * The bytes of a request as the service would send it (contract: Request envelope, Request headers), but for
 * the overrides. The same data give the same bytes: a retry is identical.
 */
export function compose(
  event: EventName,
  data: object,
  { secret, service }: Signer,
  overrides: Overrides = {},
): { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer } {
  const names = headerNames(service);
  const json = JSON.stringify({ ...envelopeOf(event, { ...data }, momentOf(data)), ...overrides.envelope });
  const signed = Buffer.from(overrides.body?.(json) ?? json);
  const right = sign(signed, secret);
  const headers: Record<string, string | undefined> = {
    ...eventHeaders(event, signed, { secret, service }),
    ...(overrides.signature && { [names.signature]: overrides.signature(right, signed) }),
    ...overrides.headers?.(names),
  };
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[inCase(name, overrides), value] as const],
  );
  return { headers: Object.fromEntries(kept), body: Buffer.from(overrides.sent?.(signed) ?? signed) };
}

function inCase(name: string, { capitals, lowercase }: Overrides): string {
  return capitals ? name.toUpperCase() : lowercase ? name.toLowerCase() : name;
}

/** A publish's and an update's timestamp is their `published_at` (contract: Article). */
function momentOf(data: object): string {
  return 'published_at' in data && typeof data.published_at === 'string'
    ? data.published_at
    : new Date().toISOString();
}
