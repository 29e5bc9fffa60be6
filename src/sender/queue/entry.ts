import { hash } from 'node:crypto';
import * as z from 'zod';
import { canonicalUrl } from '../../contract/canonical-url.js';
import { EVENTS } from '../../contract/limits.js';
import type { Delivery } from '../delivery/delivery.js';
import { firstIssue } from '../state.js';

/** A delivery record with the sender's own data; one file each. */
export interface Entry {
  /** The file's name without `.json`. */
  readonly id: string;
  readonly connector: string;
  /** The Markdown file of the article. */
  readonly source: string;
  /** The article's public URL in the receiver's answer; null until then. */
  readonly liveUrl: string | null;
  /** Why the `url` of the answer is not used as the live URL. */
  readonly note: string | null;
  /** The beginning of the successful answer; null until then. */
  readonly answer: string | null;
  /**
   * Whether an attempt was interrupted or did not end with a 4xx: the receiver may have stored the article although no success
   * was seen.
   */
  readonly mayBeStored: boolean;
  /** Why the last refresh of this article was refused; null if none was, or a later one has landed. */
  readonly refused: Refused | null;
  readonly record: Delivery;
}

/** A refresh that stopped before its update was queued. */
export interface Refused {
  /** ISO 8601. */
  readonly at: string;
  readonly why: string;
}

const moment = z.string().refine((text) => !Number.isNaN(Date.parse(text)), { error: 'must be a moment' });

const schema = z.object({
  connector: z.string().min(1),
  source: z.string(),
  liveUrl: z.string().nullable(),
  note: z.string().nullable(),
  answer: z.string().nullable(),
  mayBeStored: z.boolean(),
  refused: z.strictObject({ at: moment, why: z.string() }).nullable(),
  record: z
    .strictObject({
      url: z.string().refine((text) => canonicalUrl(text) !== undefined, { error: 'must be an http(s) URL' }),
      status: z.enum(['pending', 'sending', 'success', 'failed']),
      attempts: z.int().min(0),
      lastStatusCode: z.int().nullable(),
      lastError: z.string().nullable(),
      nextRetryAt: moment.nullable(),
      payload: z.looseObject({
        event: z.enum(EVENTS),
        timestamp: z.string(),
        data: z.looseObject({ id: z.string().min(1), title: z.string() }),
      }),
    })
    .refine(
      ({ status, nextRetryAt }) => (nextRetryAt === null) === (status === 'success' || status === 'failed'),
      { error: 'must be null exactly where the delivery is settled', path: ['nextRetryAt'] },
    ),
});

/** The id of an article's delivery to a connector; always the same for the same article. */
export function entryId(connector: string, dataId: string): string {
  return hash('sha256', `${connector}\n${dataId}`).slice(0, 16);
}

/** Makes the entry of a new delivery. @param source the article's file. */
export function newEntry(connector: string, source: string, record: Delivery): Entry {
  const id = entryId(connector, String(record.payload.data.id));
  const facts = { liveUrl: null, answer: null, note: null, mayBeStored: false, refused: null };
  return { id, connector, source, ...facts, record };
}

/**
 * Whether an entry's text may be replaced. A receiver that has stored the article would answer the new text with 200 and keep
 * the old one.
 */
export function mayBeReplaced({ mayBeStored, record: { status } }: Entry): boolean {
  return !mayBeStored && (status === 'pending' || status === 'failed');
}

/**
 * Whether no attempt was made: each one leaves a status, or leaves open whether the receiver has stored the article. The
 * payload may still change; afterwards, each attempt sends the same bytes (contract: Delivery record, payload).
 */
export function isUnsent({ mayBeStored, record }: Entry): boolean {
  return !mayBeStored && record.lastStatusCode === null;
}

/**
 * Whether an entry belongs to the article with this public URL.
 *
 * @param connector the name of the article's connector.
 */
export function isOfArticle(
  entry: Pick<Entry, 'connector' | 'liveUrl'>,
  connector: string,
  url: string,
): boolean {
  const { liveUrl } = entry;
  return entry.connector === connector && liveUrl !== null && canonicalUrl(liveUrl) === canonicalUrl(url);
}

/** The text of an entry's file; the long payload comes last. */
export function writeEntry({ id: _id, record, ...rest }: Entry): string {
  return `${JSON.stringify({ ...rest, record })}\n`;
}

/**
 * Parses an entry's file.
 *
 * @returns the problem if it cannot be read.
 */
export function readEntry(id: string, text: string): Entry | { readonly problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { problem: text === '' ? 'it is empty' : 'it is not JSON' };
  }
  const { success, error } = schema.safeParse(json);
  if (!success) return { problem: firstIssue(error) };
  // The parsed value itself, not the schema's copy: a retry is byte-identical, so no key may change its place.
  return { id, ...(json as Omit<Entry, 'id'>) };
}
