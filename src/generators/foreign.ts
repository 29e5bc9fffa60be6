import type { SiteFiles } from './generator.js';
import { npmScripts } from './inspect/manifests.js';

/**
 * Static site generators that Pressmark has no definition for: their configuration files, and what such a file says where
 * other programs have one of the same name. Whatever else builds a site by an npm script is found by that.
 */
const FOREIGN: readonly (readonly [name: string, file: RegExp, says?: RegExp])[] = [
  ['VuePress', /^(?:docs\/)?\.vuepress\/config\b/],
  ['Nuxt', /^nuxt\.config\.\w+$/],
  // With their packages these three are sites that Pressmark knows, as folders of Markdown.
  ['Next.js', /^next\.config\.\w+$/],
  ['Gatsby', /^gatsby-(?:config|node)\.\w+$/],
  ['SvelteKit', /^svelte\.config\.\w+$/, /\bkit\b/],
  ['Gridsome', /^gridsome\.config\.js$/],
  ['Lume', /^_config\.[jt]s$|^deno\.jsonc?$/, /\blume\b/],
  ['Middleman', /^config\.rb$/, /^\s*(?:activate|configure) :/m],
  ['Nanoc', /^nanoc\.yaml$/],
  ['Bridgetown', /^bridgetown\.config\.yml$/],
  ['Pelican', /^pelicanconf\.py$/],
  ['MkDocs', /^mkdocs\.ya?ml$/],
  ['Nikola', /^conf\.py$/, /\bnikola\b|^BLOG_TITLE\b/im],
  ['Sphinx', /^(?:(?:docs|doc|source|docs\/source)\/)?conf\.py$/, /^(?:extensions|project)\s*=/m],
  ['Zola', /^(?:config|zola)\.toml$/, /^\s*base_url\s*=/m],
  ['mdBook', /^book\.toml$/],
  ['Quarto', /^_quarto\.ya?ml$/],
];

/** A generator that builds a site by its files, and that Pressmark has no definition of. */
export interface RecognisedForeign {
  readonly name: string;
  /** The file that shows it, such as `mkdocs.yml`. */
  readonly evidence: string;
}

/** Folders in which generators keep their configuration. */
const CONFIG_FOLDERS = '. .vuepress docs doc source docs/source docs/.vuepress'.split(' ');

/** Recognises a generator that Pressmark has no definition for; undefined if no file shows one. */
export function recogniseForeign(files: SiteFiles): RecognisedForeign | undefined {
  const paths = CONFIG_FOLDERS.flatMap((folder) =>
    files.list(folder).map((name) => (folder === '.' ? name : `${folder}/${name}`)),
  );
  for (const [name, pattern, says = /^/] of FOREIGN) {
    const evidence = paths.find((path) => pattern.test(path) && says.test(files.read(path) ?? ''));
    if (evidence !== undefined) return { name, evidence };
  }
  return undefined;
}

/** The npm script that builds a site with a program that nobody knows; undefined if there is none, or it is Pressmark's. */
export function unknownBuildScript(files: SiteFiles): string | undefined {
  const { build } = npmScripts(files);
  return build === undefined || build.trim() === '' || /\bpressmark\b/.test(build) ? undefined : build;
}
