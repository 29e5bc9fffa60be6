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

/** A batch begins when nothing has come for so long, in milliseconds, … */
const QUIET_MS = 100;
/** … or when the first has waited for so long. */
const LONGEST_WAIT_MS = 300;
/** From so many commits in a batch on, deliveries are streaming in, … */
const STREAM = 100;
/** … and git rests three times as long as it worked, up to so many milliseconds. */
const LONGEST_REST_MS = 2_000;

/** Decides when work begins and how long it pauses; see `createPacing`. */
export interface Pacing {
  /** Records that a delivery has arrived. */
  recordArrival(isFirst: boolean): void;
  /** Ends the pause under way, because an answer waits or new work has arrived. */
  endPause(): void;
  /** Waits until a burst of deliveries has passed, or until `isDue`. */
  waitForBurst(isDue: () => boolean): Promise<void>;
  /** Pauses after a batch while deliveries stream in: their answers come first. */
  yieldToDeliveries(commits: number, began: number): Promise<void>;
  /** Waits until `endPause()` at the most. */
  pause(ms: number): Promise<void>;
  /** Begins the stop. */
  stop(): void;
  /** Aborted from `stop()` on. */
  readonly stopping: AbortSignal;
}

/**
 * Bursts pass before a batch begins, so that batches grow, but the branch never falls behind by a second;
 * from `stop()` on, there are no pauses.
 */
export function createPacing(clock: Clock): Pacing {
  const stopController = new AbortController();
  let waking = new AbortController();
  let first = 0;
  let last = 0;

  function recordArrival(isFirst: boolean): void {
    last = clock.now();
    if (isFirst) first = last;
  }

  function endPause(): void {
    waking.abort();
  }

  async function waitForBurst(isDue: () => boolean): Promise<void> {
    for (;;) {
      const rest = Math.min(last + QUIET_MS, first + LONGEST_WAIT_MS) - clock.now();
      if (rest <= 0 || isDue() || stopController.signal.aborted) return;
      await pause(rest);
    }
  }

  async function yieldToDeliveries(commits: number, began: number): Promise<void> {
    const now = clock.now();
    if (commits < STREAM || last < began || now - last > QUIET_MS) return;
    await pause(Math.min(LONGEST_REST_MS, 3 * (now - began)));
  }

  async function pause(ms: number): Promise<void> {
    waking = new AbortController();
    // a shutdown ends the pause
    await clock.wait(ms, AbortSignal.any([stopController.signal, waking.signal]));
  }

  return {
    recordArrival,
    endPause,
    waitForBurst,
    yieldToDeliveries,
    pause,
    stop: () => stopController.abort(),
    stopping: stopController.signal,
  };
}

/** The pause after so many failed attempts in a row: `first`, then twice as long each time, up to `longest`. */
export function backoff(failures: number, { first, longest }: { first: number; longest: number }): number {
  return Math.min(first * 2 ** Math.min(failures - 1, 20), longest);
}
