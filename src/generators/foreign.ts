import type { SiteFiles } from './generator.js';
import { dependencies, npmScripts } from './inspect/manifests.js';

/** A static site generator that Pressmark has no definition for, and how its sites are recognised. */
interface ForeignGenerator {
  readonly name: string;
  /** Configuration files, by their paths below the site's folder. */
  readonly files?: RegExp;
  /** What such a file must contain, where other programs have a file of the same name. */
  readonly says?: RegExp;
  readonly packages?: readonly string[];
}

/** The generators by name; of two that fit equally well, the first is meant. */
const FOREIGN: readonly ForeignGenerator[] = [
  { name: 'VuePress', files: /^(?:docs\/)?\.vuepress\/config\b/, packages: ['vuepress'] },
  { name: 'Rspress', files: /^rspress\.config\.\w+$/, packages: ['rspress', '@rspress/core'] },
  { name: 'Gridsome', files: /^gridsome\.config\.js$/, packages: ['gridsome'] },
  { name: 'Nuxt', files: /^nuxt\.config\.\w+$/, packages: ['nuxt', 'nuxt3'] },
  // With their packages these three are sites that Pressmark knows, as folders of Markdown.
  { name: 'Next.js', files: /^next\.config\.\w+$/ },
  { name: 'Gatsby', files: /^gatsby-(?:config|node)\.\w+$/ },
  { name: 'SvelteKit', files: /^svelte\.config\.\w+$/, says: /\bkit\b/ },
  { name: 'Angular', files: /^angular\.json$/ },
  { name: 'Remix', files: /^remix\.config\.\w+$/, packages: ['@remix-run/dev', '@remix-run/react'] },
  { name: 'React Router', files: /^react-router\.config\.\w+$/, packages: ['@react-router/dev'] },
  { name: 'SolidStart', packages: ['@solidjs/start'] },
  { name: 'Qwik City', packages: ['@builder.io/qwik-city', '@qwik.dev/router'] },
  { name: 'Analog', packages: ['@analogjs/platform'] },
  { name: 'Scully', files: /^scully\.[\w-]+\.config\.ts$/, packages: ['@scullyio/scully'] },
  { name: 'Elder.js', files: /^elder\.config\.js$/, packages: ['@elderjs/elderjs'] },
  { name: 'dumi', files: /^\.dumirc\.\w+$/, packages: ['dumi'] },
  { name: 'Antora', files: /^antora-playbook\.yml$/, packages: ['antora', '@antora/cli'] },
  { name: 'Metalsmith', files: /^metalsmith\.\w+$/, packages: ['metalsmith'] },
  { name: 'DocPad', files: /^docpad\.\w+$/, packages: ['docpad'] },
  { name: 'Harp', files: /^(?:_?harp)\.json$/, packages: ['harp'] },
  { name: 'docsify', packages: ['docsify', 'docsify-cli'] },
  { name: 'Honkit', packages: ['honkit', 'gitbook-cli'] },
  { name: 'Lume', files: /^_config\.[jt]s$|^deno\.jsonc?$/, says: /\blume\b/ },
  {
    name: 'Middleman',
    files: /^config\.rb$/,
    says: /^\s*(?:activate|configure) :/m,
    packages: ['middleman'],
  },
  { name: 'Nanoc', files: /^nanoc\.yaml$/, packages: ['nanoc'] },
  { name: 'Bridgetown', files: /^bridgetown\.config\.yml$/, packages: ['bridgetown'] },
  { name: 'Pelican', files: /^pelicanconf\.py$/, packages: ['pelican'] },
  { name: 'MkDocs', files: /^mkdocs\.ya?ml$/, packages: ['mkdocs'] },
  { name: 'Nikola', files: /^conf\.py$/, says: /\bnikola\b|^BLOG_TITLE\b/im, packages: ['nikola'] },
  {
    name: 'Sphinx',
    files: /^(?:(?:docs|doc|source|docs\/source)\/)?conf\.py$/,
    says: /^(?:extensions|project)\s*=/m,
    packages: ['sphinx'],
  },
  { name: 'Lektor', files: /\.lektorproject$/, packages: ['lektor'] },
  { name: 'Zola', files: /^(?:config|zola)\.toml$/, says: /^\s*base_url\s*=/m },
  { name: 'Cobalt', files: /^_cobalt\.yml$/ },
  { name: 'mdBook', files: /^book\.toml$/ },
  { name: 'Quarto', files: /^_quarto\.ya?ml$/ },
  { name: 'bookdown', files: /^_bookdown\.yml$/ },
  { name: 'Soupault', files: /^soupault\.(?:toml|conf)$/ },
  { name: 'Hakyll', files: /^site\.hs$|\.cabal$/, says: /\bhakyll\b/i },
  { name: 'Haunt', files: /^haunt\.scm$/ },
  { name: 'JBake', files: /^jbake\.properties$/ },
  { name: 'Jigsaw', packages: ['tightenco/jigsaw'] },
  { name: 'Sculpin', packages: ['sculpin/sculpin'] },
];

/** A generator that Pressmark does not know and that builds a site, as far as its files show. */
export interface RecognisedForeign {
  readonly name: string;
  /** What shows it, such as `mkdocs.yml` or `package.json: next`. */
  readonly evidence: string;
  /** As that of a known generator: a configuration file weighs 2, a dependency 1. */
  readonly strength: number;
}

/** Folders in which generators keep their configuration. */
const CONFIG_FOLDERS = '. .vuepress docs doc source docs/source docs/.vuepress'.split(' ');

/** Recognises a generator that Pressmark has no definition for; undefined where no file shows one. */
export function recogniseForeign(files: SiteFiles): RecognisedForeign | undefined {
  const used = dependencies(files);
  const paths = CONFIG_FOLDERS.flatMap((folder) =>
    files.list(folder).map((name) => (folder === '.' ? name : `${folder}/${name}`)),
  );
  const found = FOREIGN.flatMap(
    ({ name, files: pattern, says = /^/, packages = [] }): RecognisedForeign[] => {
      const file = paths.find((path) => pattern?.test(path) && says.test(files.read(path) ?? ''));
      const dependency = packages.find((one) => used.has(one));
      if (file === undefined && dependency === undefined) return [];
      const evidence = file ?? `${used.get(dependency ?? '')}: ${dependency}`;
      return [
        { name, evidence, strength: (file === undefined ? 0 : 2) + (dependency === undefined ? 0 : 1) },
      ];
    },
  );
  return found.toSorted((one, other) => other.strength - one.strength)[0];
}

/** The npm script that builds a site with a program that nobody knows; undefined where there is none, or it is Pressmark's. */
export function unknownBuildScript(files: SiteFiles): string | undefined {
  const { build } = npmScripts(files);
  return build === undefined || build.trim() === '' || /\bpressmark\b/.test(build) ? undefined : build;
}
