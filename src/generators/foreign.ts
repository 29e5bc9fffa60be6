import type { SiteFiles } from './generator.js';
import { npmDependencies, npmScripts } from './package-json.js';

/** A static site generator that Pressmark has no definition for, and how its sites are recognised. */
interface ForeignGenerator {
  readonly name: string;
  /** Configuration files, by their paths below the site's folder. */
  readonly files?: RegExp;
  /** What such a file must contain, where other programs have a file of the same name. */
  readonly says?: RegExp;
  readonly npm?: readonly string[];
  readonly gem?: string;
  readonly python?: string;
  readonly composer?: string;
}

/** The generators by name; of two that fit equally well, the first is meant. */
const FOREIGN: readonly ForeignGenerator[] = [
  { name: 'Docusaurus', files: /^docusaurus\.config\.\w+$/, npm: ['@docusaurus/core'] },
  { name: 'VitePress', files: /^(?:docs\/)?\.vitepress\/config\b/, npm: ['vitepress'] },
  { name: 'VuePress', files: /^(?:docs\/)?\.vuepress\/config\b/, npm: ['vuepress'] },
  { name: 'Rspress', files: /^rspress\.config\.\w+$/, npm: ['rspress', '@rspress/core'] },
  { name: 'Hexo', files: /^_config\.hexo\.yml$|^_config\.yml$/, npm: ['hexo'] },
  { name: 'Gatsby', files: /^gatsby-config\.\w+$/, npm: ['gatsby'] },
  { name: 'Gridsome', files: /^gridsome\.config\.js$/, npm: ['gridsome'] },
  { name: 'Next.js', files: /^next\.config\.\w+$/, npm: ['next'] },
  { name: 'Nuxt', files: /^nuxt\.config\.\w+$/, npm: ['nuxt', 'nuxt3'] },
  { name: 'SvelteKit', files: /^svelte\.config\.\w+$/, npm: ['@sveltejs/kit'] },
  { name: 'Remix', files: /^remix\.config\.\w+$/, npm: ['@remix-run/dev', '@remix-run/react'] },
  { name: 'React Router', files: /^react-router\.config\.\w+$/, npm: ['@react-router/dev'] },
  { name: 'SolidStart', npm: ['@solidjs/start'] },
  { name: 'Qwik City', npm: ['@builder.io/qwik-city', '@qwik.dev/router'] },
  { name: 'Analog', npm: ['@analogjs/platform'] },
  { name: 'Scully', files: /^scully\.[\w-]+\.config\.ts$/, npm: ['@scullyio/scully'] },
  { name: 'Elder.js', files: /^elder\.config\.js$/, npm: ['@elderjs/elderjs'] },
  { name: 'dumi', files: /^\.dumirc\.\w+$/, npm: ['dumi'] },
  { name: 'Antora', files: /^antora-playbook\.yml$/, npm: ['antora', '@antora/cli'] },
  { name: 'Metalsmith', files: /^metalsmith\.\w+$/, npm: ['metalsmith'] },
  { name: 'DocPad', files: /^docpad\.\w+$/, npm: ['docpad'] },
  { name: 'Harp', files: /^(?:_?harp)\.json$/, npm: ['harp'] },
  { name: 'docsify', npm: ['docsify', 'docsify-cli'] },
  { name: 'Honkit', npm: ['honkit', 'gitbook-cli'] },
  { name: 'Lume', files: /^_config\.[jt]s$|^deno\.jsonc?$/, says: /\blume\b/ },
  { name: 'Middleman', files: /^config\.rb$/, says: /^\s*(?:activate|configure) :/m, gem: 'middleman' },
  { name: 'Nanoc', files: /^nanoc\.yaml$/, gem: 'nanoc' },
  { name: 'Bridgetown', files: /^bridgetown\.config\.yml$/, gem: 'bridgetown' },
  { name: 'Pelican', files: /^pelicanconf\.py$/, python: 'pelican' },
  { name: 'MkDocs', files: /^mkdocs\.ya?ml$/, python: 'mkdocs' },
  { name: 'Nikola', files: /^conf\.py$/, says: /\bnikola\b|^BLOG_TITLE\b/im, python: 'nikola' },
  {
    name: 'Sphinx',
    files: /^(?:(?:docs|doc|source|docs\/source)\/)?conf\.py$/,
    says: /^(?:extensions|project)\s*=/m,
    python: 'sphinx',
  },
  { name: 'Lektor', files: /\.lektorproject$/, python: 'lektor' },
  { name: 'Zola', files: /^(?:config|zola)\.toml$/, says: /^\s*base_url\s*=/m },
  { name: 'Cobalt', files: /^_cobalt\.yml$/ },
  { name: 'mdBook', files: /^book\.toml$/ },
  { name: 'Quarto', files: /^_quarto\.ya?ml$/ },
  { name: 'bookdown', files: /^_bookdown\.yml$/ },
  { name: 'Soupault', files: /^soupault\.(?:toml|conf)$/ },
  { name: 'Hakyll', files: /^site\.hs$|\.cabal$/, says: /\bhakyll\b/i },
  { name: 'Haunt', files: /^haunt\.scm$/ },
  { name: 'JBake', files: /^jbake\.properties$/ },
  { name: 'Jigsaw', composer: 'tightenco/jigsaw' },
  { name: 'Sculpin', composer: 'sculpin/sculpin' },
];

/** A generator that Pressmark does not know and that builds a site, as far as its files show. */
export interface RecognisedForeign {
  readonly name: string;
  /** What shows it, such as `mkdocs.yml` or `package.json: next`. */
  readonly evidence: string;
  /** As that of a known generator: a configuration file weighs 2, a dependency 1. */
  readonly strength: number;
}

/** Recognises a generator that Pressmark has no definition for; undefined where no file shows one. */
export function recogniseForeign(files: SiteFiles): RecognisedForeign | undefined {
  const names = configFiles(files);
  const dependency = dependencyOf(files);
  return FOREIGN.flatMap((generator): RecognisedForeign[] => {
    const { name, files: pattern, says } = generator;
    const isConfig = (path: string) =>
      pattern?.test(path) && (says === undefined || says.test(files.read(path) ?? ''));
    const file = names.find(isConfig);
    const used = dependency(generator);
    const evidence = file ?? used;
    if (evidence === undefined) return [];
    return [{ name, evidence, strength: (file === undefined ? 0 : 2) + (used === undefined ? 0 : 1) }];
  }).toSorted((one, other) => other.strength - one.strength)[0];
}

/** Folders besides the site's own in which generators keep their configuration. */
const CONFIG_FOLDERS = [
  '.vitepress',
  '.vuepress',
  'docs',
  'doc',
  'source',
  'docs/source',
  'docs/.vitepress',
  'docs/.vuepress',
];

function configFiles(files: SiteFiles): string[] {
  const below = CONFIG_FOLDERS.flatMap((folder) => files.list(folder).map((name) => `${folder}/${name}`));
  return [...files.list('.'), ...below].filter((name) => !name.endsWith('/'));
}

/** Finds the dependency that shows a generator, with the file that names it. */
function dependencyOf(files: SiteFiles): (generator: ForeignGenerator) => string | undefined {
  const npm = npmDependencies(files);
  const lines = (names: readonly string[]) => names.map((name) => [name, files.read(name) ?? ''] as const);
  const gems = lines(['Gemfile']);
  const python = lines(['requirements.txt', 'pyproject.toml', 'Pipfile', 'setup.py']);
  const composer = lines(['composer.json']);
  return ({ npm: packages = [], ...others }) => {
    const found = packages.find((name) => npm.has(name));
    if (found !== undefined) return `package.json: ${found}`;
    return (
      named(gems, others.gem, (name) => `^[ \\t]*gem[ \\t(]+['"]${name}['"]`) ??
      named(
        python,
        others.python,
        (name) => `^[ \\t]*["']?${name}(?:\\[[^\\]]*\\])?[ \\t]*(?:[=<>~!;"',]|$)`,
      ) ??
      named(composer, others.composer, (name) => `"${name}"[ \\t]*:`)
    );
  };
}

function named(
  texts: readonly (readonly [file: string, text: string])[],
  name: string | undefined,
  pattern: (name: string) => string,
): string | undefined {
  if (name === undefined) return undefined;
  const [file] = texts.find(([, text]) => new RegExp(pattern(name), 'im').test(text)) ?? [];
  return file === undefined ? undefined : `${file}: ${name}`;
}

/** The npm script that builds a site with a program that nobody knows; undefined where there is none, or it is Pressmark's. */
export function unknownBuildScript(files: SiteFiles): string | undefined {
  const { build } = npmScripts(files);
  return build === undefined || build.trim() === '' || /\bpressmark\b/.test(build) ? undefined : build;
}
