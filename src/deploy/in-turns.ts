import { setImmediate } from 'node:timers/promises';

/** How long one turn takes, in milliseconds. */
const TURN_MS = 2;

/**
 * Does synchronous work for each item, in turns: every few milliseconds the event loop goes on, so that deliveries are answered.
 * For thousands of file system calls this takes a tenth of the time of the asynchronous ones.
 *
 * @throws what the work throws; the signal's reason.
 */
export async function inTurns<T>(
  items: Iterable<T>,
  work: (item: T) => void,
  signal?: AbortSignal,
): Promise<void> {
  let end = performance.now() + TURN_MS;
  for (const item of items) {
    work(item);
    if (performance.now() < end) continue;
    await setImmediate();
    signal?.throwIfAborted();
    end = performance.now() + TURN_MS;
  }
}
