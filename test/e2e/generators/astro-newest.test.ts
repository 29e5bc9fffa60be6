import test from 'ava';
import { ASTRO_SITE } from './astro-site.js';
import { dropIn } from './drop-in.js';

// With the integration of pressmark/astro.
dropIn(test, {
  ...ASTRO_SITE,
  tools: 'astro-newest',
  prepare: ({ edit }) =>
    edit(
      'astro.config.mjs',
      [/^import .*$/m, "$&\nimport pressmark from 'pressmark/astro';"],
      [/base: /, 'integrations: [pressmark()],\n  base: '],
    ),
});
