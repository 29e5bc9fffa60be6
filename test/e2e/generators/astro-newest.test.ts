import test from 'ava';
import { ASTRO_SITE } from './astro-site.js';
import { dropIn } from './drop-in.js';

// With the loader and the integration of pressmark/astro.
dropIn(test, {
  ...ASTRO_SITE,
  tools: 'astro-newest',
  isForNode24: true,
  printsHtml: true,
  isBuilt: true,
  every: 4,
  prepare({ edit }) {
    edit(
      'src/content.config.mjs',
      [/^import \{ glob \} from 'astro\/loaders';$/m, "$&\nimport { articles } from 'pressmark/astro';"],
      [/loader: glob\(/, 'loader: articles(glob, '],
    );
    edit(
      'astro.config.mjs',
      [/^import .*$/m, "$&\nimport pressmark from 'pressmark/astro';"],
      [/base: /, 'integrations: [pressmark()],\n  base: '],
    );
  },
});
