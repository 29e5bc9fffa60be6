import { Worker } from 'node:worker_threads';
import type { Settings } from '../config/load.js';
import type { BuilderSettings } from './site-builder.js';

/** Starts the thread that builds pages. */
export function startBuilder(settings: Settings, terminal: boolean): Worker {
  const { plugins: _, secrets: __, environment: ___, ...serializable } = settings;
  const workerData = { settings: serializable satisfies BuilderSettings, terminal };
  return new Worker(new URL('./builder-thread.js', import.meta.url), { workerData });
}

/** The builder's thread, started before anybody asks it for anything. */
export interface EarlyBuilder {
  /** Hands the thread over, once; undefined where it has ended already. */
  take(): Worker | undefined;
  /** Ends the thread, where nobody has taken it. */
  close(): Promise<void>;
}

/**
 * Starts the builder's thread at the same time as the store is opened: each has much to read where a site is large.
 * A site that another generator builds has none.
 */
export function earlyBuilder(settings: Settings, terminal: boolean): EarlyBuilder {
  let worker = settings.site === false ? undefined : startBuilder(settings, terminal);
  const forget = () => {
    worker = undefined;
  };
  // Why it has ended is told by the next one, which meets the same.
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
