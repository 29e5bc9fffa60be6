import type { Generator, Problem, SiteFiles } from '../generator.js';
import { firstFile, npmDependencies } from '../inspect/manifests.js';
import { CONTENT_CONFIGS, inspect } from './inspect.js';
import { mapping } from './mapping.js';

const CONFIG_FILES = ['mjs', 'js', 'ts', 'mts', 'cjs', 'cts'].map((extension) => `astro.config.${extension}`);

/** Astro 5 to 7: Markdown files of a content collection, an `.html` file only with the loader of `pressmark/astro`. */
export const astro: Generator = {
  name: 'astro',
  packages: ['astro'],
  recognise: (files) =>
    firstFile(files, CONFIG_FILES) ?? (npmDependencies(files).has('astro') ? 'package.json' : undefined),
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

/** What stops all builds. */
function problems(files: SiteFiles): Problem[] {
  const path = firstFile(files, CONTENT_CONFIGS);
  const text = path === undefined ? '' : (files.read(path) ?? '');
  if (!/\.strict\s*\(|\bstrictObject\s*\(/.test(text) || /\bpressmark\b/.test(text)) return [];
  return [
    {
      level: 'fail',
      text: `A schema in ${path} refuses keys that it does not name, and each article has a key pressmark, so that the build stops.`,
      fix: 'Add pressmark: z.unknown().optional() to the schema of the articles, unless another one is strict.',
    },
  ];
}
