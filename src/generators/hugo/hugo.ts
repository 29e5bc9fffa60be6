import type { Generator } from '../generator.js';
import { addressQuery } from './addresses.js';
import { CONFIG_FILES, findConfig } from './config.js';
import { inspect } from './inspect.js';
import { mapping } from './mapping.js';
import { problems } from './problems.js';

/** Hugo: docs/hugo.md. All of it was tried with Hugo 0.111. */
export const hugo: Generator = {
  name: 'hugo',
  recognise: findConfig,
  inspect,
  mapping,
  configFiles: [...CONFIG_FILES, 'config', 'layouts', 'themes', 'go.mod', 'go.sum', 'package.json'],
  // Not resources/_gen: some sites commit it, so that they build without Sass.
  caches: ['public', '.hugo_build.lock'],
  addressQuery,
  pinsAddresses: true,
  problems,
};
