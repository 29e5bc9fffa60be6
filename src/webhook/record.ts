import type { DeliveryOutcome } from '../host/hooks/hook-types.js';
import type { DeliveryRecord, KeptHeader, RefusedRequests } from '../host/records.js';

/** What is kept of a delivery before it has a key. */
export type NewRecord = Omit<DeliveryRecord, 'key'>;

/** A delivery byte by byte, and its answer. */
export interface Exchange {
  readonly headers: readonly KeptHeader[];
  /** Null if the plugin of an adapter has not said that it holds no secret. */
  readonly body: Buffer | null;
  readonly answer: string | null;
}

/** Where deliveries and requests are noted for people, after their answers. */
export interface Notes {
  delivery(record: NewRecord, exchange: Exchange): void;
  /** Requests that could not be verified: anybody can have sent them. */
  refused(refused: Omit<RefusedRequests, 'at'>): void;
}

/** A longer answer, such as that of a lookup, is not looked into for a URL, in characters. */
const LONGEST = 10_000;

/** What is kept of a delivery. @param answer the body of its answer. */
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
