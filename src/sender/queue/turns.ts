import type { Lock } from '../../fs/lock.js';

/** Pieces of work under one lock, side by side; see `createTurns`. */
export interface Turns {
  /**
   * Runs a piece of work while the lock is held.
   *
   * @param work gets the number of the hold: within one and the same, no other process has changed anything.
   */
  hold<T>(work: (hold: number) => Promise<T>): Promise<T>;
}

/**
 * Shares a lock between the pieces of work of this process. As soon as another process waits, nothing new is begun
 * before the lock has been let go.
 */
export function createTurns(lock: Lock): Turns {
  let inside = 0;
  let holds = 0;
  let held = false;
  let whenEmpty: (() => void)[] = [];

  async function hold<T>(work: (hold: number) => Promise<T>): Promise<T> {
    // While the lock is being taken, whoever comes along may use it too.
    while (held && inside > 0 && lock.contended())
      await new Promise<void>((resolve) => whenEmpty.push(resolve));
    inside++;
    try {
      if (await lock.enter()) holds++;
      held = true;
      try {
        return await work(holds);
      } finally {
        lock.leave();
      }
    } finally {
      inside--;
      if (inside === 0) letGo();
    }
  }

  function letGo(): void {
    held = false;
    const waiting = whenEmpty;
    whenEmpty = [];
    for (const resolve of waiting) resolve();
  }

  return { hold };
}
