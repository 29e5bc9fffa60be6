import type { Worker } from 'node:worker_threads';

/** A thread that was started before anybody asks it for anything; see `earlyThread`. */
export interface EarlyThread {
  /** Hands the thread over, once; undefined where it has ended already, or there is none. */
  take(): Worker | undefined;
  /** Ends the thread, where nobody has taken it. */
  close(): Promise<void>;
}

/**
 * Keeps a thread that was started early, while others have much to read or to load.
 *
 * @param started undefined where there is no use for one.
 */
export function earlyThread(started: Worker | undefined): EarlyThread {
  let worker = started;
  const forget = () => {
    worker = undefined;
  };
  // Why it has ended is reported by the next one, which fails in the same way.
  worker?.once('error', forget).once('exit', forget);

  function take(): Worker | undefined {
    const taken = worker;
    taken?.off('error', forget).off('exit', forget);
    forget();
    return taken;
  }

  return {
    take,
    close: async () => {
      await take()?.terminate();
    },
  };
}
