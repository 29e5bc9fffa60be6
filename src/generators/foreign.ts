import type { SiteFiles } from './generator.js';
import { dependencies, npmScripts } from './inspect/manifests.js';

/**
 * Static site generators that Pressmark has no definition for: their configuration files, what such a file says where other
 * programs have one of the same name, and their package. Whatever else builds a site by an npm script is found by that.
 */
const FOREIGN: readonly (readonly [
  name: string,
  file: RegExp,
  says?: RegExp | undefined,
  dependency?: string,
])[] = [
  ['VuePress', /^(?:docs\/)?\.vuepress\/config\b/, undefined, 'vuepress'],
  ['Nuxt', /^nuxt\.config\.\w+$/, undefined, 'nuxt'],
  // With their packages these three are sites that Pressmark knows, as folders of Markdown.
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

/** A generator that builds a site by its files, and that Pressmark has no definition of. */
export interface RecognisedForeign {
  readonly name: string;
  /** What shows it, such as `mkdocs.yml` or `package.json: nuxt`. */
  readonly evidence: string;
  /** As that of a known generator: a configuration file weighs 2, a dependency 1. */
  readonly strength: number;
}

/** Folders in which generators keep their configuration. */
const CONFIG_FOLDERS = '. .vuepress docs doc source docs/source docs/.vuepress'.split(' ');

/** Recognises a generator that Pressmark has no definition for; undefined if no file shows one. */
export function recogniseForeign(files: SiteFiles): RecognisedForeign | undefined {
  const used = dependencies(files);
  const paths = CONFIG_FOLDERS.flatMap((folder) =>
    files.list(folder).map((name) => (folder === '.' ? name : `${folder}/${name}`)),
  );
  const found = FOREIGN.flatMap(([name, pattern, says = /^/, dependency = '']): RecognisedForeign[] => {
    const file = paths.find((path) => pattern.test(path) && says.test(files.read(path) ?? ''));
    const manifest = used.get(dependency);
    if (file === undefined && manifest === undefined) return [];
    const strength = (file === undefined ? 0 : 2) + (manifest === undefined ? 0 : 1);
    return [{ name, evidence: file ?? `${manifest}: ${dependency}`, strength }];
  });
  return found.toSorted((one, other) => other.strength - one.strength)[0];
}

/** The npm script that builds a site with a program that nobody knows; undefined if there is none, or it is Pressmark's. */
export function unknownBuildScript(files: SiteFiles): string | undefined {
  const { build } = npmScripts(files);
  return build === undefined || build.trim() === '' || /\bpressmark\b/.test(build) ? undefined : build;
}
