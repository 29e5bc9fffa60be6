import type { Generator, SiteFiles } from '../generator.js';
import { firstFile, npmDependencies } from '../inspect/manifests.js';
import { addressQuery, inspect } from './inspect.js';
import { mapping } from './mapping.js';

const CONFIG_FILES = ['_config.yml', '_config.yaml', '_config.json'];

/** A line by which a `_config.yml` is Hexo's: Jekyll's has the same name. */
const HEXO_KEY = /^["']?(?:source_dir|public_dir|new_post_name|skip_render)["']?\s*:/m;

/** Hexo 7; see docs/hexo.md. */
export const hexo: Generator = {
  name: 'hexo',
  packages: ['hexo'],
  recognise,
  inspect,
  mapping,
  configFiles: [...CONFIG_FILES, 'package.json', 'scripts'],
  caches: ['public', 'db.json', '.deploy_git'],
  addressQuery,
  pinsAddresses: true,
  staticFolder: () => 'source',
  problems: () => [],
};

function recognise(files: SiteFiles): string | undefined {
  const isHexo = npmDependencies(files).has('hexo');
  const path = firstFile(files, CONFIG_FILES);
  if (path === undefined) return isHexo ? 'package.json' : undefined;
  return isHexo || HEXO_KEY.test(files.read(path) ?? '') ? path : undefined;
}
