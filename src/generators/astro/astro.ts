import type { Generator } from '../generator.js';
import { contentConfigs } from './collections.js';
import { CONFIG_FILES, optionsOf, readSite } from './config.js';
import { inspect } from './inspect.js';
import { astroMapping } from './mapping.js';
import { problems } from './problems.js';

/** Astro 5 to 7: Markdown files of a content collection, an `.html` file only with the loader of `pressmark/astro`. */
export const astro: Generator = {
  name: 'astro',
  recognise: (files) =>
    CONFIG_FILES.find((name) => files.read(name) !== undefined) ??
    (/"astro"\s*:/.test(files.read('package.json') ?? '') ? 'package.json' : undefined),
  inspect,
  options: (files) => optionsOf(files, readSite(files)),
  mapping: astroMapping,
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
  outputFlags: (command, output) =>
    /^(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?\S+/.test(command) &&
    !/\s--\s/.test(command) &&
    /^(?:npm|pnpm)\b/.test(command)
      ? `-- --outDir ${quoted(output)}`
      : `--outDir ${quoted(output)}`,
  problems,
};

/** An argument of a command line. */
const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
