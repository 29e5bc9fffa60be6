import { setTimeout } from 'node:timers/promises';

export interface RepeatedTaskOptions {
  /** @returns the reason where it did not succeed; undefined if it did. */
  attempt(): Promise<string | undefined>;
  /** Called after each attempt whose result is another than that of the one before. */
  onChange(reason: string | undefined): void;
  /** How long requests gather before an attempt, in milliseconds. */
  gatherMs(): number;
  /** How long the pause after a failure is, in milliseconds. @param failures how many there were in a row. */
  retryMs(failures: number): number;
}

/**
 * Work that is done on request: one attempt at a time for all requests that have come before it, repeated after a failure
 * until it succeeds.
 */
export function createRepeatedTask({ attempt, onChange, gatherMs, retryMs }: RepeatedTaskOptions) {
  const closing = new AbortController();
  let isRequested = false;
  /** The attempts and pauses under way; undefined while nothing is requested. */
  let running: Promise<void> | undefined;
  /** Ends the pauses before the next attempt. */
  let hurry = new AbortController();
  let lastReason: string | undefined;

  /** @param atOnce whether the attempt comes without a further pause. */
  function request({ atOnce = false } = {}): void {
    isRequested = true;
    if (atOnce) hurry.abort();
    running ??= run();
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (isRequested && !closing.signal.aborted) {
      await pause(gatherMs());
      if (closing.signal.aborted) break;
      isRequested = false;
      hurry = new AbortController();
      const reason = await attempt();
      if (reason !== lastReason) onChange(reason);
      lastReason = reason;
      failures = reason === undefined ? 0 : failures + 1;
      if (reason === undefined) continue;
      isRequested = true;
      await pause(retryMs(failures));
    }
    running = undefined;
  }

  async function pause(ms: number): Promise<void> {
    const signal = AbortSignal.any([closing.signal, hurry.signal]);
    // the shutdown does not wait
    if (ms > 0) await setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined);
  }

  /** Ends after the attempt under way. @returns whether nothing is requested any more. */
  async function close(): Promise<boolean> {
    closing.abort();
    await running;
    return !isRequested;
  }

  return { request, close };
}

/** The pause after so many failed attempts in a row: `first`, then twice as long each time, up to `longest`. */
export function backoff(failures: number, { first, longest }: { first: number; longest: number }): number {
  return Math.min(first * 2 ** Math.min(failures - 1, 20), longest);
}
