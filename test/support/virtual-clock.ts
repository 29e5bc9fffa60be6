import type { Clock } from '../../src/sender/clock.js';

/** A clock that stands still until a test moves it. */
export interface VirtualClock extends Clock {
  /** Lets time pass; whoever waited that long goes on. */
  pass(ms: number): void;
  /** How many wait. */
  waiting(): number;
}

interface Waiter {
  readonly at: number;
  done(): void;
}

/** A clock that begins at `start`, in milliseconds since the epoch. */
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
