/** Lets one piece of work of this process in at a time, in the order in which they came; see `createMutex`. */
export interface Mutex {
  /** Waits for its turn; resolves with what ends it. */
  enter(): Promise<() => void>;
  /** @throws what `work` throws. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Returns a mutex that nobody is in. */
export function createMutex(): Mutex {
  let last: Promise<void> = Promise.resolve();

  function enter(): Promise<() => void> {
    return new Promise((entered) => {
      last = last.then(() => new Promise<void>((leave) => entered(leave)));
    });
  }

  async function run<T>(work: () => Promise<T>): Promise<T> {
    const leave = await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  }

  return { enter, run };
}
