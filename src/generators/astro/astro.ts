import type { Generator } from '../generator.js';
import { contentConfigs } from './collections.js';
import { CONFIG_FILES, readSite } from './config.js';
import { inspect } from './inspect.js';
import { mapping } from './mapping.js';
import { optionsOf } from './options.js';
import { problems } from './problems.js';

/** Astro 5 to 7: Markdown files of a content collection, an `.html` file only with the loader of `pressmark/astro`. */
export const astro: Generator = {
  name: 'astro',
  recognise: (files) =>
    CONFIG_FILES.find((name) => files.read(name) !== undefined) ??
    (/"astro"\s*:/.test(files.read('package.json') ?? '') ? 'package.json' : undefined),
  inspect: ({ files }) => inspect(files),
  options: (files) => optionsOf(files, readSite(files)),
  mapping,
  configFiles: [
    ...CONFIG_FILES,
    'package.json',
    ...contentConfigs('src'),
    'src/pages',
    'src/layouts',
    'src/components',
  ],
  // Two builds that share `node_modules/.astro` read each other's articles.
  caches: ['dist', '.astro', 'node_modules/.astro', 'node_modules/.vite'],
  problems,
};
