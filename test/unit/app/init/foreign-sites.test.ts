import test from 'ava';
import { recogniseSite } from '../../../../src/app/init/inspect-site.js';
import { siteOf } from '../../../support/site-files.js';

/** A file by which the program of a site finds it, and what is in it. */
const SITES: readonly (readonly [name: string, path: string, text?: string])[] = [
  ['VuePress', 'docs/.vuepress/config.js'],
  ['Rspress', 'rspress.config.ts'],
  ['Gridsome', 'gridsome.config.js'],
  ['Nuxt', 'nuxt.config.ts'],
  ['Next.js', 'next.config.mjs'],
  ['Gatsby', 'gatsby-config.js'],
  ['SvelteKit', 'svelte.config.js', 'export default { kit: {} };'],
  ['Angular', 'angular.json'],
  ['React Router', 'react-router.config.ts'],
  ['Scully', 'scully.site.config.ts'],
  ['Elder.js', 'elder.config.js'],
  ['dumi', '.dumirc.ts'],
  ['Antora', 'antora-playbook.yml'],
  ['Metalsmith', 'metalsmith.json'],
  ['DocPad', 'docpad.coffee'],
  ['Harp', '_harp.json'],
  ['Lume', '_config.ts', 'import lume from "lume/mod.ts";'],
  ['Middleman', 'config.rb', 'activate :blog\n'],
  ['Nanoc', 'nanoc.yaml'],
  ['Bridgetown', 'Gemfile', 'gem "bridgetown", "~> 1.3"\n'],
  ['Pelican', 'pelicanconf.py'],
  ['Pelican', 'requirements.txt', 'Pelican[markdown]>=4.9\n'],
  ['MkDocs', 'mkdocs.yml'],
  ['MkDocs', 'pyproject.toml', '[project]\ndependencies = [\n  "mkdocs>=1.6",\n]\n'],
  ['Nikola', 'conf.py', 'BLOG_TITLE = "Notes"\n'],
  ['Sphinx', 'docs/conf.py', "project = 'Docs'\n"],
  ['Lektor', 'Notes.lektorproject'],
  ['Zola', 'config.toml', 'base_url = "https://notes.example"\ntitle = "Notes"\n'],
  ['Cobalt', '_cobalt.yml'],
  ['mdBook', 'book.toml'],
  ['Quarto', '_quarto.yml'],
  ['bookdown', '_bookdown.yml'],
  ['Soupault', 'soupault.toml'],
  ['Hakyll', 'site.hs', 'import Hakyll\n'],
  ['Haunt', 'haunt.scm'],
  ['JBake', 'jbake.properties'],
  ['Jigsaw', 'composer.json', '{"require":{"tightenco/jigsaw":"^1.3"}}'],
  ['Sculpin', 'composer.json', '{"require":{"sculpin/sculpin":"^3.0"}}'],
  ...['@remix-run/react', '@solidjs/start', '@builder.io/qwik-city', '@analogjs/platform'].map((name, n) => {
    const of = ['Remix', 'SolidStart', 'Qwik City', 'Analog'][n] ?? '';
    return [of, 'package.json', JSON.stringify({ dependencies: { [name]: '*' } })] as const;
  }),
  ['docsify', 'package.json', '{"devDependencies":{"docsify-cli":"^4.4.0"}}'],
  ['Honkit', 'package.json', '{"devDependencies":{"honkit":"^6.0.0"}}'],
];

test('a generator without a definition is named by its configuration file or by a dependency', (t) => {
  for (const [name, path, text = ''] of SITES) {
    const recognition = recogniseSite(siteOf({ [path]: text, 'content/a.md': '' }), undefined, {});
    const said = recognition.kind === 'question' ? recognition.question.text : recognition.evidence;
    t.true(said.startsWith(`${name} builds this site (${path}`), `${name}: ${said}`);
  }
});
