import type { DeliveryOutcome } from '../host/hooks/hook-types.js';
import type { DeliveryRecord, KeptHeader, RefusedRequests } from '../host/records.js';

/** The record of a delivery before it has a key. */
export type NewRecord = Omit<DeliveryRecord, 'key'>;

/** A delivery, byte by byte, and its answer. */
export interface Exchange {
  readonly headers: readonly KeptHeader[];
  /** Null if the adapter's plugin has not declared its bodies free of secrets. */
  readonly body: Buffer | null;
  readonly answer: string | null;
}

/** Notes deliveries and requests for people, after their answers. */
export interface Notes {
  delivery(record: NewRecord, exchange: Exchange): void;
  /** Notes requests that could not be verified, which anyone can send. */
  refused(refused: Omit<RefusedRequests, 'at'>): void;
}

/** The longest answer that is searched for a URL, in characters. */
const LONGEST = 10_000;

/** The record of a delivery. @param answer the body of its answer. */
export function recordOf(
  { event, adapter, id, outcome, status, ms }: DeliveryOutcome,
  answer: string,
): NewRecord {
  const at = new Date().toISOString();
  const url = status < 400 ? urlIn(answer) : null;
  return { at, event: event ?? null, adapter: adapter ?? null, id: id ?? null, url, outcome, status, ms };
}

function urlIn(answer: string): string | null {
  if (answer.length > LONGEST || !answer.includes('"url"')) return null;
  try {
    const { url }: { url?: unknown } = Object(JSON.parse(answer));
    return typeof url === 'string' ? url : null;
  } catch {
    return null; // an adapter's own answer
  }
}
