import type { Generator, Problem, SiteFiles } from '../generator.js';
import { CONFIG_FILES, configPath, recognise } from './config-file.js';
import { addressQuery, inspect } from './inspect.js';
import { mapping } from './mapping.js';

/** Jekyll 3 and 4, also on GitHub Pages. */
export const jekyll: Generator = {
  name: 'jekyll',
  packages: ['jekyll', 'github-pages'],
  recognise,
  inspect,
  mapping,
  configFiles: [...CONFIG_FILES, 'Gemfile', 'Gemfile.lock', '_layouts', '_includes', '_plugins', '_data'],
  caches: ['_site', '.jekyll-cache', '.jekyll-metadata', '.sass-cache', 'vendor/bundle'],
  addressQuery,
  pinsAddresses: true,
  staticFolder: () => '',
  problems,
};

/** What leaks a secret. */
function problems(files: SiteFiles): Problem[] {
  const path = configPath(files) ?? '_config.yml';
  const include =
    /^include\s*[:=]([^\n]*(?:\n[ \t]*-[^\n]*|\n[ \t]+[^\n]*)*)/m.exec(files.read(path) ?? '')?.[1] ?? '';
  if (!/(?:^|[\s[,"'-])(?:\.env|\.?\*)(?:$|[\s\],"'])/.test(include)) return [];
  return [
    {
      level: 'fail',
      text: `include in ${path} publishes .env, which holds the signing secret.`,
      fix: 'Remove that entry from include, or add .env to exclude and remove it from include.',
    },
  ];
}
