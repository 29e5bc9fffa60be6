import { posix } from 'node:path';
import type { Generator, SiteFiles } from '../generator.js';
import { npmDependencies } from '../inspect/manifests.js';
import { addressQuery, inspect, rootOf } from './inspect.js';
import { mapping } from './mapping.js';

const CONFIG_FILES = ['js', 'ts', 'mjs', 'mts'].map((extension) => `config.${extension}`);

/** VitePress 1; see docs/vitepress.md. */
export const vitepress: Generator = {
  name: 'vitepress',
  packages: ['vitepress'],
  recognise,
  inspect,
  mapping,
  configFiles: [
    'package.json',
    ...['', 'docs/'].flatMap((root) =>
      [...CONFIG_FILES, 'config'].map((name) => `${root}.vitepress/${name}`),
    ),
  ],
  caches: ['', 'docs/'].flatMap((root) => ['cache', 'dist'].map((name) => `${root}.vitepress/${name}`)),
  addressQuery,
  staticFolder: (files) => posix.join(rootOf(files), 'public'),
  problems: () => [],
};

function recognise(files: SiteFiles): string | undefined {
  const folder = rootOf(files) === '.' ? '.vitepress' : `${rootOf(files)}/.vitepress`;
  const names = files.list(folder);
  const config = CONFIG_FILES.find((name) => names.includes(name));
  if (config !== undefined) return `${folder}/${config}`;
  if (names.includes('config/')) return `${folder}/config/`;
  return npmDependencies(files).has('vitepress') ? 'package.json' : undefined;
}
