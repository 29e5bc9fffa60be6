import fs from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Settings } from '../config/load.js';
import { WORTH_A_HELPER } from '../site/hired.js';
import { foldersOf } from './folders.js';
import type { HelperData } from './helper-thread.js';

/** What such a thread is told. */
type Needed = Pick<
  Settings,
  'dir' | 'content' | 'output' | 'templates' | 'siteUrl' | 'articles' | 'logLevel'
>;

/** Starts a thread that helps with a large build. */
export function startHelperThread(settings: Needed): Worker {
  const { siteUrl, articles, logLevel } = settings;
  const { contentDir } = foldersOf(settings);
  const workerData: HelperData = { contentDir, siteUrl, ...articles, logLevel };
  return new Worker(new URL('./helper-thread.js', import.meta.url), { workerData });
}

/**
 * Starts such a thread before the builder itself has been loaded, where there is enough to do: both take their time.
 *
 * @returns undefined where it would not be worth it.
 */
export function startHelperEarly(settings: Needed): Worker | undefined {
  const { contentDir } = foldersOf(settings);
  if (availableParallelism() === 1 || !fs.existsSync(contentDir)) return undefined;
  const names = fs.readdirSync(contentDir, { recursive: true, encoding: 'utf8' });
  const articles = names.filter((name) => name.endsWith('.md')).length;
  return articles < WORTH_A_HELPER ? undefined : startHelperThread(settings);
}
