import { setTimeout } from 'node:timers/promises';

/**
 * Runs what goes on at the same time, until the time is over or one of it fails; waits for the end of all.
 *
 * @param start begins all of it; each asks `isOver` before it begins anything new.
 * @throws the first failure.
 */
export async function runFor(
  ms: number,
  start: (isOver: () => boolean) => Promise<unknown>[],
): Promise<void> {
  let over = false;
  const lanes = start(() => over);
  const timer = new AbortController();
  const time = setTimeout(ms, undefined, { signal: timer.signal });
  await Promise.race([time, Promise.all(lanes)]).catch(() => undefined);
  timer.abort();
  over = true;
  await time.catch(() => undefined);
  for (const ended of await Promise.allSettled(lanes)) if (ended.status === 'rejected') throw ended.reason;
}

/** What is left until a deadline, for one of so many episodes: at least `least`, at most `most` milliseconds. */
export function episode(deadline: number, { least, most }: { least: number; most: number }): number {
  return Math.min(most, Math.max(least, deadline - performance.now()));
}
