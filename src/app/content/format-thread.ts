import { parentPort, workerData } from 'node:worker_threads';
import { plainFormat } from '../../article/format.js';
import { serveFormatJobs } from '../../article/format-jobs.js';
import { mappedFormat } from '../../article/mapped-format.js';
import type { Settings } from '../../config/load.js';
import type { GeneratorOptions } from '../../generators/generator.js';
import { generatorNamed } from '../../generators/registry.js';
import { layoutOf, mappingOf } from './layout.js';

/** The settings that the thread for long articles gets. */
export interface FormatThreadData extends Pick<Settings, 'siteUrl' | 'articles'> {
  /** Undefined for a site that Pressmark builds itself. */
  readonly generator: { readonly name: string; readonly options: GeneratorOptions } | undefined;
}

// The entry of the thread for long articles; `content.ts` starts it.
const { generator, ...settings } = workerData as FormatThreadData;
if (parentPort === null) throw new Error('this file is the entry of a worker thread');
const { url } = layoutOf(settings, generator?.options.timeZone);
serveFormatJobs(parentPort, (proof) => {
  if (generator === undefined) return plainFormat(url);
  const mapping = mappingOf(settings, generatorNamed(generator.name), generator.options);
  return mappedFormat({ mapping, siteUrl: settings.siteUrl, url, proven: { get: proof, version: '' } });
});
