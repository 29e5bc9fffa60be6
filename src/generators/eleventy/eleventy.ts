import type { Generator } from '../generator.js';
import { CONFIG_FILES, configFile, dependencies, readSite, siteOptions } from './config.js';
import { inspect } from './inspect.js';
import { mapping } from './mapping.js';
import { problems } from './problems.js';

/** Eleventy, from version 2 on. Measured with version 3.1; see docs/eleventy.md. */
export const eleventy: Generator = {
  name: 'eleventy',
  recognise: (files) =>
    configFile(files) ?? (dependencies(files).has('@11ty/eleventy') ? 'package.json' : undefined),
  inspect,
  options: (files) => siteOptions(readSite(files)),
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
  outputFlags(command, output) {
    const flag = `--output=${/^[\w./:\\-]+$/.test(output) ? output : JSON.stringify(output)}`;
    // npm passes arguments on behind `--` only.
    return /^\s*npm\s/.test(command) && !/\s--\s/.test(command) ? `-- ${flag}` : flag;
  },
  problems,
};
