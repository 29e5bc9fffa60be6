import fs from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Settings } from '../../config/load.js';
import { WORTH_A_POOL } from '../../site/builder/render-pool.js';
import { foldersOf } from '../content/folders.js';
import { type EarlyThread, earlyThread } from './early-thread.js';
import type { RenderWorkerData } from './render-thread.js';

/**
 * Nearly all that is read and made for a page is of no use a moment later. Twice the default room for it halves the work
 * of the garbage collector.
 */
const LIMITS = { maxYoungGenerationSizeMb: 96 };

/** What such a thread is given. */
type Needed = Pick<
  Settings,
  'dir' | 'content' | 'output' | 'templates' | 'generator' | 'siteUrl' | 'articles' | 'logLevel'
>;

/** Starts a thread that renders pages in a large build. */
export function startRenderThread(settings: Needed): Worker {
  const { siteUrl, articles, logLevel } = settings;
  const { contentDir } = foldersOf(settings);
  const workerData: RenderWorkerData = { contentDir, siteUrl, articles, logLevel };
  return new Worker(new URL('./render-thread.js', import.meta.url), { workerData, resourceLimits: LIMITS });
}

/**
 * Starts such a thread before the builder itself has been loaded, where there is enough to do: both take their time.
 */
export function startRenderThreadEarly(settings: Needed): EarlyThread {
  const { contentDir } = foldersOf(settings);
  const isWorthIt = availableParallelism() > 1 && fs.existsSync(contentDir) && hasMany(contentDir);
  return earlyThread(isWorthIt ? startRenderThread(settings) : undefined);
}

/** Whether a folder holds as many articles as are worth a render pool; a guess that reads no more than it takes. */
function hasMany(root: string): boolean {
  let articles = 0;
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const item of fs.readdirSync(folder, { withFileTypes: true })) {
      if (item.isDirectory()) folders.push(join(folder, item.name));
      else if (item.name.endsWith('.md')) articles++;
    }
    if (articles >= WORTH_A_POOL) return true;
  }
  return false;
}
