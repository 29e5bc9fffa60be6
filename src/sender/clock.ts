import { setTimeout as pause } from 'node:timers/promises';

/** The time, and timed waits; tests have their own clock. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Waits; returns early if the signal is aborted. */
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

/** The machine's clock, moved forward, to try out things that are due later. */
export function clockAhead(ms: number): Clock {
  return { now: () => Date.now() + ms, wait: CLOCK.wait };
}
