import { CLOCK, type Clock } from './clock.js';

/** For waits that are never interrupted. */
const NEVER = new AbortController().signal;

/** Waits until a number of requests may begin at the same moment; returns early if the signal is aborted. */
type Pace = (count?: number, signal?: AbortSignal) => Promise<void>;

/**
 * Creates a limit by which no window of a second contains more than `rate` beginnings of requests. The window slides instead of
 * ticking evenly, as concurrent requests have to begin at the same moment.
 *
 * @param rate requests per second, and the most at the same moment. Below 1, the window is longer.
 */
export function createPace(rate: number, clock: Clock = CLOCK): Pace {
  const most = Math.max(1, Math.floor(rate));
  const windowMs = (1000 * most) / rate;
  const begun: number[] = [];

  return async (wanted = 1, signal = NEVER) => {
    const count = Math.min(wanted, most);
    while (!signal.aborted) {
      const now = clock.now();
      // If the clock was set back, moments in the future are dropped.
      while (begun[0] !== undefined && (begun[0] <= now - windowMs || begun[0] > now)) begun.shift();
      const blocking = begun[begun.length + count - most - 1];
      if (blocking === undefined) {
        for (let n = 0; n < count; n++) begun.push(now);
        return;
      }
      await clock.wait(Math.ceil(blocking + windowMs - now), signal);
    }
  };
}
