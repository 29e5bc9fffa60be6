import type { Generator } from '../generator.js';
import { addressQuery } from './addresses.js';
import { CONFIG_FILES, recognise } from './config.js';
import { inspect } from './inspect.js';
import { mapping } from './mapping.js';
import { problems } from './problems.js';

/** Jekyll 3 and 4, also on GitHub Pages. */
export const jekyll: Generator = {
  name: 'jekyll',
  recognise,
  inspect,
  mapping,
  configFiles: [...CONFIG_FILES, 'Gemfile', 'Gemfile.lock', '_layouts', '_includes', '_plugins', '_data'],
  caches: ['_site', '.jekyll-cache', '.jekyll-metadata', '.sass-cache', 'vendor/bundle'],
  addressQuery,
  pinsAddresses: true,
  problems,
};
