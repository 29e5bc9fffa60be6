import { setTimeout } from 'node:timers/promises';

export interface RepeatedTaskOptions {
  /** @returns the reason where it did not succeed; undefined where it did. */
  attempt(): Promise<string | undefined>;
  /** Called after each attempt whose result is another than that of the one before. */
  onChange(reason: string | undefined): void;
  /** How long requests gather before an attempt, in milliseconds. */
  readonly gatherMs: number;
  /** How long the pause after a failure is, in milliseconds. @param failures how many there were in a row. */
  retryMs(failures: number): number;
}

/**
 * Work that is done on request: one attempt at a time for all requests that have come before it, repeated after a failure
 * until it succeeds.
 */
export function createRepeatedTask(options: RepeatedTaskOptions) {
  const { attempt, onChange, gatherMs, retryMs } = options;
  const closing = new AbortController();
  const { signal } = closing;
  let isRequested = false;
  let running: Promise<void> | undefined;
  let lastReason: string | undefined;
  let failures = 0;

  function request(): void {
    isRequested = true;
    if (!signal.aborted) start();
  }

  function start(): void {
    running ??= run().finally(() => {
      running = undefined;
      // a request may have come after the loop had ended
      if (isRequested && !signal.aborted) start();
    });
  }

  async function run(): Promise<void> {
    while (isRequested && !signal.aborted) {
      await pause(gatherMs);
      if (signal.aborted) return;
      isRequested = false;
      const reason = await attempt();
      if (reason !== lastReason) onChange(reason);
      lastReason = reason;
      failures = reason === undefined ? 0 : failures + 1;
      if (reason === undefined) continue;
      isRequested = true;
      await pause(retryMs(failures));
    }
  }

  async function pause(ms: number): Promise<void> {
    // the shutdown does not wait
    await setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined);
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
