import { Worker } from 'node:worker_threads';
import type { Settings } from '../../config/load.js';
import type { BuilderSettings } from './site-builder.js';

/** Starts the thread that builds pages. @param terminal whether a person reads its log on a terminal. */
export function startBuilder(settings: Settings, terminal: boolean): Worker {
  const { plugins, secrets, environment, deployHook, gitToken, statusToken, ...serializable } = settings;
  const workerData = { settings: serializable satisfies BuilderSettings, terminal };
  return new Worker(new URL('./builder-thread.js', import.meta.url), { workerData });
}
