import type { Entry } from './entry.js';

/** How long settled refreshes are kept by default, in days. */
export const KEEP_DAYS = 30;

/**
 * The records that may go: refreshes that are settled, were made before a moment, and are neither the last of
 * their article nor the last that landed from their file. The record of a publication is the sender's memory of
 * what was sent, one for each article, and stays.
 *
 * @param before milliseconds since the epoch.
 * @returns their ids.
 */
export function outlived(entries: Iterable<Entry>, before: number): string[] {
  const refreshes: { id: string; at: number }[] = [];
  const newest = new Map<string, { id: string; at: number }>();
  for (const { id, connector, source, record } of entries) {
    const { status, payload } = record;
    if (payload.event !== 'article.updated' || !isSettled(record)) continue;
    const one = { id, at: Date.parse(payload.timestamp) };
    refreshes.push(one);
    const names = [['article', connector, payload.data.target_id]];
    // `publish` compares the file with it
    if (status === 'success') names.push(['file', connector, source]);
    for (const name of names.map((parts) => JSON.stringify(parts))) {
      const other = newest.get(name);
      if (other === undefined || other.at < one.at) newest.set(name, one);
    }
  }
  const kept = new Set([...newest.values()].map(({ id }) => id));
  return refreshes.filter(({ id, at }) => at < before && !kept.has(id)).map(({ id }) => id);
}

/** Whether a delivery is settled: nothing more is sent unless a person asks for it. */
export function isSettled({ status }: Pick<Entry['record'], 'status'>): boolean {
  return status === 'success' || status === 'failed';
}
