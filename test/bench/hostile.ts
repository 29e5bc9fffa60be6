import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Row } from './figures.js';
import type { ReaderFigures } from './hostile-readers.js';

/**
 * How the time of each reader of an article or a page grows with the length of its text. They are measured in a thread with
 * much room for new objects: else a long text's outlive their generation, and the time of the collector, which copies them,
 * seems to be the reader's.
 */
export async function hostile(): Promise<{ text: string; rows: Row[] }> {
  const worker = new Worker(new URL('./hostile-readers.js', import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: 1_024, maxOldGenerationSizeMb: 4_096 },
  });
  const [figures] = (await once(worker, 'message')) as [ReaderFigures];
  return figures;
}
