import type { Clock } from '../../src/sender/clock.js';

/** A clock whose time changes only when a test calls `pass`. */
export interface VirtualClock extends Clock {
  /** Advances the time and resolves the waits that are over. */
  pass(ms: number): void;
  /** The number of pending waits. */
  waiting(): number;
}

interface Waiter {
  readonly at: number;
  done(): void;
}

/** Makes a clock that starts at `start`, in milliseconds since the epoch. */
export function virtualClock(start: number): VirtualClock {
  let at = start;
  const waiters = new Set<Waiter>();
  return {
    now: () => at,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const waiter: Waiter = {
          at: at + ms,
          done: () => {
            waiters.delete(waiter);
            signal.removeEventListener('abort', waiter.done);
            resolve();
          },
        };
        waiters.add(waiter);
        signal.addEventListener('abort', waiter.done);
        if (signal.aborted) waiter.done();
      }),
    pass: (ms) => {
      at += ms;
      for (const waiter of [...waiters]) if (waiter.at <= at) waiter.done();
    },
    waiting: () => waiters.size,
  };
}
