import type { Generator } from '../generator.js';
import { firstFile, npmDependencies } from '../inspect/manifests.js';
import { inspect } from './inspect.js';
import { mapping } from './mapping.js';

const CONFIG_FILES = ['ts', 'js', 'mjs', 'mts'].map((end) => `nuxt.config.${end}`);

/** A site of Nuxt Content 3; see docs/nuxt-content.md. */
export const nuxtContent: Generator = {
  name: 'nuxt-content',
  packages: ['@nuxt/content'],
  recognise: (files) =>
    npmDependencies(files).has('@nuxt/content') ? firstFile(files, CONFIG_FILES) : undefined,
  inspect,
  mapping,
  configFiles: [...CONFIG_FILES, 'package.json', 'content.config.ts', 'app', 'pages'],
  caches: ['.nuxt', '.output', '.data', 'dist'],
  pinsAddresses: true,
  problems: () => [],
};
