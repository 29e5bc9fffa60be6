import type { DeliveryOutcome } from '../host/hook-types.js';
import type { DeliveryRecord } from '../host/records.js';

/** A longer answer, such as that of a lookup, is not looked into for a URL, in characters. */
const LONGEST = 10_000;

/** What is kept of a delivery. @param answer the body of its answer. */
export function recordOf(
  { event, adapter, id, outcome, status, ms }: DeliveryOutcome,
  answer: string,
): DeliveryRecord {
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
