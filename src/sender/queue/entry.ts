import { hash } from 'node:crypto';
import * as z from 'zod';
import { canonicalUrl } from '../../contract/canonical-url.js';
import { EVENTS } from '../../contract/limits.js';
import type { Delivery } from '../delivery/delivery.js';
import { firstIssue } from '../state.js';

/** A delivery record, and what else the sender notes; one file each. */
export interface Entry {
  /** The file's name without `.json`. */
  readonly id: string;
  readonly connector: string;
  /** The Markdown file that it was made from. */
  readonly source: string;
  /** The article's public URL, as the receiver answered it; null until then. */
  readonly liveUrl: string | null;
  /** Why the `url` of the answer is not taken as the live URL. */
  readonly note: string | null;
  /** The beginning of the answer that was a success; null until then. */
  readonly answer: string | null;
  /**
   * Whether an attempt was cut off or ended otherwise than with a 4xx: the receiver may hold the article although no
   * success was seen.
   */
  readonly mayBeStored: boolean;
  /** Why the last refresh of this article was refused; null if none was, or a later one has landed. */
  readonly refused: Refused | null;
  readonly record: Delivery;
}

/** A refresh that stopped before there was an update to be sent. */
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

/** The id of the delivery of an article to a connector: the same again for the same article. */
export function entryId(connector: string, dataId: string): string {
  return hash('sha256', `${connector}\n${dataId}`).slice(0, 16);
}

/** The entry of a new delivery. @param source the file that it is made from. */
export function newEntry(connector: string, source: string, record: Delivery): Entry {
  const id = entryId(connector, String(record.payload.data.id));
  const facts = { liveUrl: null, answer: null, note: null, mayBeStored: false, refused: null };
  return { id, connector, source, ...facts, record };
}

/**
 * Whether another text may take the place of an entry's. A receiver that holds the article would answer the new text with
 * 200 and keep the old one.
 */
export function mayBeReplaced({ mayBeStored, record: { status } }: Entry): boolean {
  return !mayBeStored && (status === 'pending' || status === 'failed');
}

/**
 * Whether an entry is of the article with this public URL.
 *
 * @param connector the name of the one that the article is of.
 */
export function isOfArticle(
  entry: Pick<Entry, 'connector' | 'liveUrl'>,
  connector: string,
  url: string,
): boolean {
  const { liveUrl } = entry;
  return entry.connector === connector && liveUrl !== null && canonicalUrl(liveUrl) === canonicalUrl(url);
}

/** The text of an entry's file; the payload, which is long, comes last. */
export function writeEntry({ id: _id, record, ...rest }: Entry): string {
  return `${JSON.stringify({ ...rest, record })}\n`;
}

/**
 * Reads an entry's file.
 *
 * @returns why it cannot be read where it cannot.
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
  // The parsed value itself, not the schema's copy of it: a retry is byte-identical, so no key may change its place.
  return { id, ...(json as Omit<Entry, 'id'>) };
}
