import { setImmediate } from 'node:timers/promises';

/**
 * Resolves in the next iteration of the event loop, after whatever else was ready: for the pauses in long work. One
 * `setImmediate` is not enough, as what comes of a request or of a message goes on in the very same iteration.
 */
export async function nextIteration(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
