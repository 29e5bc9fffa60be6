import type { Generator, Problem, SiteFiles, SiteSettings } from '../generator.js';
import { firstFile } from '../inspect/manifests.js';
import { addressQuery, inspect } from './inspect.js';
import { mapping } from './mapping.js';

const CONFIG_FILES = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map(
  (extension) => `docusaurus.config.${extension}`,
);

/** The blog of a Docusaurus 3 site. Measured with version 3.10; see docs/docusaurus.md. */
export const docusaurus: Generator = {
  name: 'docusaurus',
  packages: ['@docusaurus/core'],
  recognise: (files) => firstFile(files, CONFIG_FILES),
  inspect,
  mapping,
  configFiles: [...CONFIG_FILES, 'package.json', 'i18n', 'src/theme', 'src/pages'],
  caches: ['build', '.docusaurus', 'node_modules/.cache'],
  addressQuery,
  pinsAddresses: true,
  staticFolder: () => 'static',
  problems,
};

/** Settings that stop the build at articles as services send them. */
function problems(files: SiteFiles, { options }: Pick<SiteSettings, 'options'>): Problem[] {
  const name = firstFile(files, CONFIG_FILES) ?? '';
  const text = files.read(name) ?? '';
  const stopsAt = (setting: string) => new RegExp(`\\b${setting}\\s*:\\s*['"\`]throw['"\`]`).test(text);
  const { keys, knownAuthorsOnly } = options;
  const found: Problem[] = [];
  const add = (setting: string, what: string, otherFix = '') =>
    found.push({
      level: 'fail',
      text: `${name} has ${setting}: 'throw', so that ${what} stops the build.`,
      fix: `Set ${setting}: 'warn'${otherFix}.`,
    });
  if (stopsAt('onUntruncatedBlogPosts'))
    add('onUntruncatedBlogPosts', 'each article, which has no mark of truncation,');
  if (stopsAt('onInlineTags') && keys?.tags !== null)
    add('onInlineTags', 'an article with a tag that is not in tags.yml', ', or generator.keys.tags to null');
  if (stopsAt('onInlineAuthors') && knownAuthorsOnly !== true)
    add('onInlineAuthors', 'an author who is not in authors.yml', ', or generator.knownAuthorsOnly to true');
  return found;
}
