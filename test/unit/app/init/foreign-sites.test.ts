import test from 'ava';
import { recogniseSite } from '../../../../src/app/init/inspect-site.js';
import { siteOf } from '../../../support/site-files.js';

/** A file by which the program of a site is found, and what is in it. */
const SITES: readonly (readonly [name: string, path: string, text?: string])[] = [
  ['VuePress', 'docs/.vuepress/config.js'],
  ['Next.js', 'next.config.mjs'],
  ['SvelteKit', 'svelte.config.js', 'export default { kit: {} };'],
  ['Gridsome', 'package.json', '{"dependencies":{"gridsome":"^0.7.23"}}'],
  ['Bridgetown', 'Gemfile', 'gem "bridgetown", "~> 1.3"\n'],
  ['Pelican', 'requirements.txt', 'Pelican[markdown]>=4.9\n'],
  ['MkDocs', 'pyproject.toml', '[project]\ndependencies = [\n  "mkdocs>=1.6",\n]\n'],
  ['Nikola', 'conf.py', 'BLOG_TITLE = "Notes"\n'],
  ['Sphinx', 'docs/conf.py', "project = 'Docs'\n"],
  ['Zola', 'config.toml', 'base_url = "https://notes.example"\ntitle = "Notes"\n'],
];

const recognise = (files: Readonly<Record<string, string>>) => recogniseSite(siteOf(files), undefined, {});

test('a generator without a definition is named by its configuration file or by a dependency', (t) => {
  for (const [name, path, text = ''] of SITES) {
    const recognition = recognise({ [path]: text, 'content/a.md': '' });
    const said = recognition.kind === 'question' ? recognition.question.text : recognition.evidence;
    t.true(said.startsWith(`${name} builds this site (${path}`), `${name}: ${said}`);
  }
});

test('a build script of an unknown program is named; the script of Pressmark is none', (t) => {
  const withScript = (build: string) => recognise({ 'package.json': JSON.stringify({ scripts: { build } }) });
  const named = withScript('acme-pages --out www');
  t.regex(
    named.kind === 'question' ? named.question.text : '',
    /^A program that Pressmark does not know builds this site \("build": "acme-pages --out www" in package\.json\)/,
  );
  t.like(withScript('npx pressmark build'), { kind: 'known', generator: undefined });
});

test('a generator that Pressmark knows goes first where both show equally', (t) => {
  const files = { 'hugo.toml': '', 'docs/mkdocs.yml': '', 'book.toml': '' };
  t.like(recognise(files), { kind: 'known', generator: { name: 'hugo' } });
});
