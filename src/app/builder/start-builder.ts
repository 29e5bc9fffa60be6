import { Worker } from 'node:worker_threads';
import type { Settings } from '../../config/load.js';
import type { Answer } from '../../site/builder/thread-client.js';
import { within } from '../../time-limit.js';
import { type EarlyThread, earlyThread } from './early-thread.js';
import type { BuilderSettings } from './site-builder.js';

/** How long a start waits for the builder at most, in milliseconds: deliveries do not need it. */
const LONGEST_WAIT_MS = 1_000;

/** The builder's thread, started early. */
export interface EarlyBuilder extends EarlyThread {
  /** Resolves when the thread knows what was built last, so that it can build the first page at once; or is late. */
  loaded(): Promise<void>;
  /** Whether the site stands whole as it was built last, as far as is known. */
  isWhole(): boolean;
  /** Whether the output has been checked and nothing in it is damaged. */
  isUndamaged(): boolean;
}

/** Starts the thread that builds pages. */
export function startBuilder(settings: Settings, terminal: boolean): Worker {
  const { plugins, secrets, environment, deployHook, statusToken, ...serializable } = settings;
  const workerData = { settings: serializable satisfies BuilderSettings, terminal };
  return new Worker(new URL('./builder-thread.js', import.meta.url), { workerData });
}

/**
 * Starts the builder's thread at the same time as the store is opened: each has much to read where a site is large.
 * A site that another generator builds has none.
 *
 * @param longestWaitMs how long `loaded` waits at most. @default 1000
 */
export function startBuilderEarly(
  settings: Settings,
  terminal: boolean,
  longestWaitMs = LONGEST_WAIT_MS,
): EarlyBuilder {
  const worker = settings.site === false ? undefined : startBuilder(settings, terminal);
  let isWhole = false;
  let isUndamaged = false;
  const started = firstWordOf(worker).then((word) => {
    isWhole = word?.kind === 'loaded' && word.isWhole;
    isUndamaged = word?.kind === 'loaded' && word.isUndamaged;
  });
  return {
    ...earlyThread(worker),
    isWhole: () => isWhole,
    isUndamaged: () => isUndamaged,
    loaded: () => within(longestWaitMs, started, () => undefined),
  };
}

/** Its first message, which is that it has loaded the site; undefined where it has ended before, or there is none. */
function firstWordOf(worker: Worker | undefined): Promise<Answer | undefined> {
  if (worker === undefined) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    worker.once('message', resolve);
    worker.once('error', () => resolve(undefined));
    worker.once('exit', () => resolve(undefined));
  });
}
