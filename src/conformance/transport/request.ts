import type { EventName } from '../../contract/limits.js';
import { type HeaderNames, headerNames } from '../../contract/service.js';
import { sign } from '../../contract/signature.js';
import { envelopeOf, eventHeaders, type Signer } from '../../sender/delivery/send-event.js';

/** The differences of a request from the service's. */
export interface Overrides {
  /** Overrides fields of the envelope; undefined leaves a field out. */
  readonly envelope?: Readonly<Record<string, unknown>>;
  /** Overrides headers; undefined leaves a header out. */
  readonly headers?: (names: HeaderNames) => Readonly<Record<string, string | undefined>>;
  /** Replaces the signed body, the compact JSON of the envelope. */
  readonly body?: (json: string) => Buffer | string;
  /** Replaces the sent bytes after signing. */
  readonly sent?: (signed: Buffer) => Buffer | string;
  /** Replaces the signature; undefined leaves the header out. */
  readonly signature?: (right: string, signed: Buffer) => string | undefined;
  /** Writes all header names in capitals. */
  readonly capitals?: boolean;
  /** Writes all header names in lower case. */
  readonly lowercase?: boolean;
  readonly chunked?: boolean;
  readonly pieces?: boolean;
  /** Marks a request that only finds out why a rule is broken: its answer is no finding. */
  readonly trial?: boolean;
  /** Sends without waiting for a turn, which was taken before. */
  readonly atOnce?: boolean;
}

/**
 * Makes a request as the service would send it (contract: Request envelope, Request headers), with the overrides. The same data
 * give the same bytes: a retry is identical.
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
  const headers: Record<string, string | undefined> = {
    ...eventHeaders(event, signed, { secret, service }),
    ...(overrides.signature && { [names.signature]: overrides.signature(sign(signed, secret), signed) }),
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

/** The timestamp of a publish or an update, which is its `published_at` (contract: Article). */
function momentOf(data: object): string {
  return 'published_at' in data && typeof data.published_at === 'string'
    ? data.published_at
    : new Date().toISOString();
}
