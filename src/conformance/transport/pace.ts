import { CLOCK, type Clock } from '../../sender/clock.js';

const WINDOW_MS = 1000;

/** For waits that nothing ends early. */
const NEVER = new AbortController().signal;

/**
 * Lets requests begin so that no window of a second holds more than `rate` of them. A sliding window rather than an even
 * beat: concurrent requests have to begin at the same moment.
 *
 * @param rate requests a second, at least 1.
 * @returns a function that waits until so many requests may begin at the same moment; at most `rate` can.
 */
export function createPace(rate: number, clock: Clock = CLOCK): (count?: number) => Promise<void> {
  const begun: number[] = [];
  return async (wanted = 1) => {
    const count = Math.min(wanted, rate);
    for (;;) {
      const now = clock.now();
      while (begun[0] !== undefined && begun[0] <= now - WINDOW_MS) begun.shift();
      const blocking = begun[begun.length + count - rate - 1];
      if (blocking === undefined) {
        for (let n = 0; n < count; n++) begun.push(now);
        return;
      }
      await clock.wait(Math.ceil(blocking + WINDOW_MS - now), NEVER);
    }
  };
}
