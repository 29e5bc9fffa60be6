import { setTimeout } from 'node:timers/promises';

export interface RepeatedTaskOptions {
  /** @returns the reason of a failure; undefined after success. */
  attempt(): Promise<string | undefined>;
  /** Called after each attempt with a different result from the one before. */
  onChange(reason: string | undefined): void;
  /** The time for which requests are gathered before an attempt, in milliseconds. */
  gatherMs(): number;
  /** The pause after a failure, in milliseconds. @param failures how many there were in a row. */
  retryMs(failures: number): number;
}

/**
 * Creates a task that runs on request. One attempt serves all requests before it, and is repeated after failures until one
 * succeeds.
 */
export function createRepeatedTask({ attempt, onChange, gatherMs, retryMs }: RepeatedTaskOptions) {
  const closing = new AbortController();
  let isRequested = false;
  /** The attempts and pauses under way; undefined if nothing is requested. */
  let running: Promise<void> | undefined;
  /** Ends the pauses before the next attempt. */
  let hurry = new AbortController();
  let lastReason: string | undefined;

  /** @param atOnce whether to skip the pause before the attempt. */
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
    // the process may end during a pause
    if (ms > 0) await setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined);
  }

  /** Stops after the current attempt. @returns whether no request is left. */
  async function close(): Promise<boolean> {
    closing.abort();
    await running;
    return !isRequested;
  }

  return { request, close };
}

/** The pause after a number of failures in a row: `first`, doubled each time, up to `longest`. */
export function backoff(failures: number, { first, longest }: { first: number; longest: number }): number {
  return Math.min(first * 2 ** Math.min(failures - 1, 20), longest);
}
