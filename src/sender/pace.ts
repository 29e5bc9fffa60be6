import { CLOCK, type Clock } from './clock.js';

/** For waits that nothing ends early. */
const NEVER = new AbortController().signal;

/** Waits until so many requests may begin at the same moment; returns early where the signal comes. */
type Pace = (count?: number, signal?: AbortSignal) => Promise<void>;

/**
 * Lets requests begin so that no window of a second holds more than `rate` of them. A sliding window rather than an even
 * beat: concurrent requests have to begin at the same moment.
 *
 * @param rate requests a second; so many at most can begin at the same moment. Below 1, the window is longer.
 */
export function createPace(rate: number, clock: Clock = CLOCK): Pace {
  const most = Math.max(1, Math.floor(rate));
  const windowMs = (1000 * most) / rate;
  const begun: number[] = [];

  return async (wanted = 1, signal = NEVER) => {
    const count = Math.min(wanted, most);
    while (!signal.aborted) {
      const now = clock.now();
      // A clock that was set back must not make anybody wait for the old time to come again.
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
