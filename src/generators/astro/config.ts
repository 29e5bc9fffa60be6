import type { KeyNames } from '../../article/mapping.js';

export const CONFIG_FILES = ['mjs', 'js', 'ts', 'mts', 'cjs', 'cts'].map(
  (extension) => `astro.config.${extension}`,
);

/** Where Astro looks for the content configuration, in this order. */
export const CONTENT_CONFIGS = ['src/content.config', 'src/content/config'].flatMap((name) =>
  ['mjs', 'js', 'mts', 'ts'].map((extension) => `${name}.${extension}`),
);

export const DEFAULT_KEYS: KeyNames = {
  title: 'title',
  description: 'description',
  date: 'pubDate',
  updated: null,
  tags: 'tags',
  image: null,
};
