import type { Generator, Problem, SiteFiles } from '../generator.js';
import { npmDependencies } from '../inspect/manifests.js';
import { inspect } from './inspect.js';
import { mapping } from './mapping.js';
import { configOf, PROGRAMS } from './programs.js';

/** A program whose code reads a folder of Markdown files, such as Next.js; see docs/markdown-folder.md. */
export const markdownFolder: Generator = {
  name: 'markdown-folder',
  packages: PROGRAMS.map(({ dependency }) => dependency),
  recognise(files) {
    const packages = npmDependencies(files);
    const program = PROGRAMS.find(({ dependency }) => packages.has(dependency));
    return program && configOf(files, program);
  },
  inspect,
  mapping,
  configFiles: [
    'package.json',
    ...PROGRAMS.flatMap(({ config }) => ['js', 'mjs', 'cjs', 'ts', 'mts'].map((end) => `${config}.${end}`)),
    'gatsby-node.js',
    'app',
    'pages',
    'src',
  ],
  caches: ['.next', '.svelte-kit', '.cache'],
  staticFolder: (files) => {
    const packages = npmDependencies(files);
    return packages.has('@sveltejs/kit') || packages.has('gatsby') ? 'static' : 'public';
  },
  problems,
};

/** Packages that compile Markdown as MDX or MDC, in which braces and components run. */
const COMPILERS = [
  'next-mdx-remote',
  'next-mdx-remote-client',
  'mdx-bundler',
  '@mdx-js/mdx',
  '@nuxt/content',
];

/** Programs whose configuration makes them compile `.md` files, and what the configuration says then. */
const COMPILED: readonly (readonly [dependency: string, config: string, says: RegExp])[] = [
  ['mdsvex', 'svelte.config', /['"`]\.?md['"`]/],
  ['@next/mdx', 'next.config', /\bmdx?\?|['"`]\.?md['"`]/],
  ['gatsby-plugin-mdx', 'gatsby-config', /['"`]\.md['"`]/],
];

/** An article must not run, and these programs run what a Markdown file contains. */
function problems(files: SiteFiles): Problem[] {
  const packages = npmDependencies(files);
  const compiler =
    COMPILERS.find((name) => packages.has(name)) ??
    COMPILED.find(([dependency, config, says]) => {
      const path = packages.has(dependency) ? configOf(files, { config }) : undefined;
      return path !== undefined && says.test(files.read(path) ?? '');
    })?.[0];
  if (compiler === undefined) return [];
  return [
    {
      level: 'fail',
      text: `This site has ${compiler}, which runs what stands in braces in a Markdown file: an article could run code.`,
      fix: 'Have the site render its .md files as plain Markdown, and remove the package, or limit it to other files.',
    },
  ];
}
