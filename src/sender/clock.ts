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
