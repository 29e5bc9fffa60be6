import { setTimeout } from 'node:timers/promises';

/**
 * Runs several lanes (asynchronous functions) at the same time, until the time is over or one of them fails, and waits
 * until all of them have ended.
 *
 * @param start starts the lanes. Each lane calls `isOver` before it begins anything new.
 * @throws the error of the first lane, in the order of the list, that failed.
 */
export async function runFor(
  ms: number,
  start: (isOver: () => boolean) => Promise<unknown>[],
): Promise<void> {
  let over = false;
  const lanes = start(() => over);
  const timer = new AbortController();
  const timeout = setTimeout(ms, undefined, { signal: timer.signal });
  await Promise.race([timeout, Promise.all(lanes)]).catch(() => undefined);
  timer.abort();
  over = true;
  await timeout.catch(() => undefined);
  for (const result of await Promise.allSettled(lanes)) if (result.status === 'rejected') throw result.reason;
}

/** The length of the next part of an attack: the time until the deadline, at least `least` and at most `most` ms. */
export function episode(deadline: number, { least, most }: { least: number; most: number }): number {
  return Math.min(most, Math.max(least, deadline - performance.now()));
}
