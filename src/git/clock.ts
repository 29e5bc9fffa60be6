import { setTimeout } from 'node:timers/promises';

/** A monotonic clock, and waiting by it. */
export interface Clock {
  /** In milliseconds, since some moment. */
  now(): number;
  /** Waits; returns early where the signal comes. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** The machine's. */
export const STEADY: Clock = {
  now: () => performance.now(),
  wait: (ms, signal) =>
    setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    }),
};

/** The pause after so many failed attempts in a row: `first`, then twice as long each time, up to `longest`. */
export function backoff(failures: number, { first, longest }: { first: number; longest: number }): number {
  return Math.min(first * 2 ** Math.min(failures - 1, 20), longest);
}
