import type { Generator } from '../generator.js';
import { CONFIG_FILES, CONTENT_CONFIGS } from './config.js';
import { inspect } from './inspect.js';
import { mapping } from './mapping.js';
import { problems } from './problems.js';

/** Astro 5 to 7: Markdown files of a content collection, an `.html` file only with the loader of `pressmark/astro`. */
export const astro: Generator = {
  name: 'astro',
  recognise: (files) =>
    CONFIG_FILES.find((name) => files.read(name) !== undefined) ??
    (/"astro"\s*:/.test(files.read('package.json') ?? '') ? 'package.json' : undefined),
  inspect,
  mapping,
  configFiles: [
    ...CONFIG_FILES,
    'package.json',
    ...CONTENT_CONFIGS,
    'src/pages',
    'src/layouts',
    'src/components',
  ],
  // Two builds that share `node_modules/.astro` read each other's articles.
  caches: ['dist', '.astro', 'node_modules/.astro', 'node_modules/.vite'],
  problems,
};
