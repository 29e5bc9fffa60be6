import { Worker } from 'node:worker_threads';
import type { Settings } from '../../config/load.js';
import type { GeneratorOptions } from '../../generators/generator.js';
import type { FormatThreadData } from './format-thread.js';

/** An article of 1,000,000 bytes needs a tenth of it; what would take more is refused as too complex. */
const MAX_HEAP_MB = 256;

/**
 * Starts threads that work on long articles; see `createFormatWork`.
 *
 * @param options those of the site's generator, which are not read anew: all threads must agree on them.
 * @returns undefined for a generator that the owner has defined, whose functions cannot be handed to a thread.
 */
export function formatThreadOf(
  { siteUrl, articles, generator }: Pick<Settings, 'siteUrl' | 'articles' | 'generator'>,
  options: GeneratorOptions | undefined,
): (() => Worker) | undefined {
  if (typeof generator === 'object' && 'mapping' in generator) return undefined;
  const name = typeof generator === 'string' ? generator : generator.name;
  const workerData: FormatThreadData = {
    siteUrl,
    articles,
    generator: options === undefined ? undefined : { name, options },
  };
  const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB };
  return () => new Worker(new URL('./format-thread.js', import.meta.url), { workerData, resourceLimits });
}
