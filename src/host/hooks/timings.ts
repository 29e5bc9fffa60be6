/** How often something was called since the start, and how long it took. */
export interface Timing {
  readonly calls: number;
  /** Those that threw, took too long or returned what they must not. */
  readonly failures: number;
  /** Of the last hundred calls, in milliseconds; null before the first. */
  readonly medianMs: number | null;
  /** Since the start. */
  readonly longestMs: number | null;
}

/** Measures the calls of one handler or job; see `createTimer`. */
export interface Timer {
  /** @param began when it was called, by `performance.now()`. */
  ended(began: number, isFailure: boolean): void;
  readonly timing: Timing;
}

const KEPT = 100;

/** A timer that remembers the last hundred calls. */
export function createTimer(): Timer {
  const last: number[] = [];
  let calls = 0;
  let failures = 0;
  let longest = 0;
  return {
    ended(began, isFailure) {
      const ms = performance.now() - began;
      last[calls % KEPT] = ms;
      calls++;
      if (isFailure) failures++;
      longest = Math.max(longest, ms);
    },
    get timing() {
      const median = last.toSorted((a, b) => a - b)[Math.floor(last.length / 2)];
      const rounded = (ms: number) => Math.round(ms * 10) / 10;
      const isNew = median === undefined;
      return {
        calls,
        failures,
        medianMs: isNew ? null : rounded(median),
        longestMs: isNew ? null : rounded(longest),
      };
    },
  };
}
