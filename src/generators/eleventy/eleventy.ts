import type { Generator } from '../generator.js';
import { npmDependencies } from '../package-json.js';
import { addressQuery } from './addresses.js';
import { CONFIG_FILES, configFile } from './config.js';
import { inspect } from './inspect.js';
import { mapping } from './mapping.js';
import { problems } from './problems.js';

/** Eleventy, from version 2 on. Measured with version 3.1; see docs/eleventy.md. */
export const eleventy: Generator = {
  name: 'eleventy',
  recognise: (files) =>
    configFile(files) ?? (npmDependencies(files).has('@11ty/eleventy') ? 'package.json' : undefined),
  inspect,
  mapping,
  configFiles: [
    ...CONFIG_FILES,
    '.eleventyignore',
    '.gitignore',
    'package.json',
    ...['', 'src/', 'content/', 'site/'].flatMap((input) =>
      ['_data', '_includes', '_layouts'].map((name) => input + name),
    ),
  ],
  caches: ['_site', '.cache'],
  addressQuery,
  problems,
};
