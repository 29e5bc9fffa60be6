import { setTimeout } from 'node:timers/promises';

/** A clock that nobody sets, and waiting by it. */
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

/** When work begins and how long it pauses; see `createPacing`. */
export interface Pacing {
  /** A delivery has come. */
  arrived(isFirst: boolean): void;
  /** Ends the pause under way: somebody waits, or there is something new to be done. */
  wake(): void;
  /** Waits until a burst of deliveries has passed, or until `isDue`. */
  settle(isDue: () => boolean): Promise<void>;
  /** While deliveries stream in, they come first. */
  rest(commits: number, began: number): Promise<void>;
  /** Waits until `wake()` at the most. */
  pause(ms: number): Promise<void>;
  /** Begins the stop. */
  hurry(): void;
  /** Aborted from `hurry()` on. */
  readonly hurried: AbortSignal;
}

/**
 * The queue's sense of time: bursts are let pass so that batches grow, but never for so long that the branch
 * falls behind by a second; from `hurry()` on, nothing is waited for.
 */
export function createPacing(clock: Clock): Pacing {
  const hurrying = new AbortController();
  let waking = new AbortController();
  let first = 0;
  let last = 0;

  function arrived(isFirst: boolean): void {
    last = clock.now();
    if (isFirst) first = last;
  }

  function wake(): void {
    waking.abort();
  }

  async function settle(isDue: () => boolean): Promise<void> {
    for (;;) {
      const rest = Math.min(last + QUIET_MS, first + LONGEST_WAIT_MS) - clock.now();
      if (rest <= 0 || isDue() || hurrying.signal.aborted) return;
      await pause(rest);
    }
  }

  async function rest(commits: number, began: number): Promise<void> {
    const now = clock.now();
    if (commits < STREAM || last < began || now - last > QUIET_MS) return;
    await pause(Math.min(LONGEST_REST_MS, 3 * (now - began)));
  }

  async function pause(ms: number): Promise<void> {
    waking = new AbortController();
    // the shutdown does not wait
    await clock.wait(ms, AbortSignal.any([hurrying.signal, waking.signal]));
  }

  return {
    arrived,
    wake,
    settle,
    rest,
    pause,
    hurry: () => hurrying.abort(),
    hurried: hurrying.signal,
  };
}

/** How long a pause is after so many in vain: half a second at first, then longer each time, up to `longest`; in milliseconds. */
export function backoff(times: number, longest: number): number {
  return Math.min(500 * 1.5 ** (Math.min(times, 20) - 1), longest);
}
