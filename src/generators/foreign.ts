import type { SiteFiles } from './generator.js';
import { npmScripts } from './inspect/manifests.js';
import type { Recognisable } from './registry.js';

/**
 * Static site generators without a definition in Pressmark: the name, the configuration file, a pattern of the file's text if
 * other programs have a file of the same name, and the package. Any other generator is found by its npm script.
 */
const SIGNS: readonly (readonly [
  name: string,
  file: RegExp,
  says?: RegExp | undefined,
  ...packages: string[],
])[] = [
  ['VuePress', /^(?:docs\/)?\.vuepress\/config\b/, undefined, 'vuepress'],
  ['Nuxt', /^nuxt\.config\.\w+$/, undefined, 'nuxt'],
  // With their packages, these three are sites that Pressmark supports as folders of Markdown.
  ['Next.js', /^next\.config\.\w+$/],
  ['Gatsby', /^gatsby-(?:config|node)\.\w+$/],
  ['SvelteKit', /^svelte\.config\.\w+$/, /\bkit\b/],
  ['Gridsome', /^gridsome\.config\.js$/, undefined, 'gridsome'],
  ['Lume', /^_config\.[jt]s$|^deno\.jsonc?$/, /\blume\b/],
  ['Middleman', /^config\.rb$/, /^\s*(?:activate|configure) :/m, 'middleman'],
  ['Nanoc', /^nanoc\.yaml$/, undefined, 'nanoc'],
  ['Bridgetown', /^bridgetown\.config\.yml$/, undefined, 'bridgetown'],
  ['Pelican', /^pelicanconf\.py$/, undefined, 'pelican'],
  ['MkDocs', /^mkdocs\.ya?ml$/, undefined, 'mkdocs'],
  ['Nikola', /^conf\.py$/, /\bnikola\b|^BLOG_TITLE\b/im, 'nikola'],
  ['Sphinx', /^(?:(?:docs|doc|source|docs\/source)\/)?conf\.py$/, /^(?:extensions|project)\s*=/m, 'sphinx'],
  ['Zola', /^(?:config|zola)\.toml$/, /^\s*base_url\s*=/m],
  ['mdBook', /^book\.toml$/],
  ['Quarto', /^_quarto\.ya?ml$/],
];

/** Folders in which generators keep their configuration. */
const CONFIG_FOLDERS = '. .vuepress docs doc source docs/source docs/.vuepress'.split(' ');

/** Generators that a site may be built with, without a definition in Pressmark. */
export const FOREIGN: readonly Recognisable[] = SIGNS.map(([name, file, says = /^/, ...packages]) => ({
  name,
  packages,
  recognise: (files) =>
    CONFIG_FOLDERS.flatMap((folder) =>
      files.list(folder).map((entry) => (folder === '.' ? entry : `${folder}/${entry}`)),
    ).find((path) => file.test(path) && says.test(files.read(path) ?? '')),
}));

/** The npm script that builds a site with an unknown program; undefined if there is none, or if it is Pressmark's. */
export function unknownBuildScript(files: SiteFiles): string | undefined {
  const { build } = npmScripts(files);
  return build === undefined || build.trim() === '' || /\bpressmark\b/.test(build) ? undefined : build;
}
