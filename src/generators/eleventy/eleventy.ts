import type { Generator, Problem, SiteFiles, SiteSettings } from '../generator.js';
import { firstFile, npmDependencies } from '../inspect/manifests.js';
import { SWITCH } from './body.js';
import { addressQuery, inspect } from './inspect.js';
import { mapping } from './mapping.js';

/** In the order in which Eleventy looks for them; a `.ts` file is read with `--config` alone. */
const CONFIG_FILES = [
  '.eleventy.js',
  'eleventy.config.js',
  'eleventy.config.mjs',
  'eleventy.config.cjs',
  'eleventy.config.ts',
];

/** Eleventy, from version 2 on. Measured with version 3.1; see docs/eleventy.md. */
export const eleventy: Generator = {
  name: 'eleventy',
  packages: ['@11ty/eleventy'],
  recognise: (files) =>
    firstFile(files, CONFIG_FILES) ??
    (npmDependencies(files).has('@11ty/eleventy') ? 'package.json' : undefined),
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

/** A call that gives Markdown or HTML to another engine, or another name of the key that turns templates off. */
const NO_SWITCH = /addExtension\(\s*(?:\[[^\]]*)?['"`](?:md|html)['"`]|\bengineOverride\b/;

/** What runs articles as templates. */
function problems(files: SiteFiles, { options }: Pick<SiteSettings, 'options'>): Problem[] {
  const name = firstFile(files, CONFIG_FILES) ?? '';
  if (!NO_SWITCH.test(files.read(name) ?? '') || options.templateSwitch === false) return [];
  return [
    {
      level: 'fail',
      text: `${name} gives .md or .html files to an engine of its own, or renames ${SWITCH}, so that Eleventy runs templates in articles.`,
      fix: "Set generator: { name: 'eleventy', templateSwitch: false } in pressmark.config.mjs, or remove that line.",
    },
  ];
}
