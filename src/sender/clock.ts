import { setTimeout as pause } from 'node:timers/promises';

/** The time, and waiting for it; tests have one of their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Waits; returns early where the signal comes. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** The machine's clock. */
export const CLOCK: Clock = {
  now: Date.now,
  wait: (ms, signal) =>
    pause(ms, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    }),
};

/** The machine's clock, so much later: for trying what is due only then. */
export function clockAhead(ms: number): Clock {
  return { now: () => Date.now() + ms, wait: CLOCK.wait };
}

/** More turns than anybody waits for at a time. */
const MOST_AHEAD = 100;

/**
 * Lets through at most so many a second, evenly spaced.
 *
 * @param perSecond undefined: any number.
 */
export function pacemaker(
  clock: Clock,
  perSecond: number | undefined,
): (signal: AbortSignal) => Promise<void> {
  if (perSecond === undefined) return () => Promise.resolve();
  const gap = 1000 / perSecond;
  let next = 0;
  return async (signal) => {
    const now = clock.now();
    // A clock that was set back must not make anybody wait for the old time to come again.
    const at = next > now + MOST_AHEAD * gap ? now : Math.max(next, now);
    next = at + gap;
    if (at > now) await clock.wait(at - now, signal);
  };
}
