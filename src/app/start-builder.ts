import { Worker } from 'node:worker_threads';
import type { Settings } from '../config/load.js';
import { type EarlyThread, earlyThread } from './early-thread.js';
import type { BuilderSettings } from './site-builder.js';

/** Starts the thread that builds pages. */
export function startBuilder(settings: Settings, terminal: boolean): Worker {
  const { plugins: _, secrets: __, environment: ___, ...serializable } = settings;
  const workerData = { settings: serializable satisfies BuilderSettings, terminal };
  return new Worker(new URL('./builder-thread.js', import.meta.url), { workerData });
}

/**
 * Starts the builder's thread at the same time as the store is opened: each has much to read where a site is large.
 * A site that another generator builds has none.
 */
export function startBuilderEarly(settings: Settings, terminal: boolean): EarlyThread {
  return earlyThread(settings.site === false ? undefined : startBuilder(settings, terminal));
}
