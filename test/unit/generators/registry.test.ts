import test from 'ava';
import type { Generator } from '../../../src/generators/generator.js';
import { GENERATORS, generatorNamed, recogniseGenerators } from '../../../src/generators/registry.js';
import { siteOf } from '../../support/site-files.js';
import { standIn } from '../../support/stand-in-generator.js';

const HUGO = standIn('hugo', 'hugo.toml');
const OLD_HUGO = standIn('hugo', 'config.toml');
const JEKYLL = standIn('jekyll', '_config.yml');
const ELEVENTY = standIn('eleventy', '.eleventy.js');
const ASTRO = standIn('astro', 'astro.config.mjs');
const ALL = [HUGO, JEKYLL, ELEVENTY, ASTRO];

/** The most probable generator; undefined where another one is as probable. */
function name(files: Record<string, string>, generators: readonly Generator[] = ALL): string | undefined {
  const [first, second] = recogniseGenerators(siteOf(files), generators);
  return first?.strength === second?.strength ? undefined : first?.generator.name;
}

test('a generator is recognised by a configuration file or by a dependency', (t) => {
  t.is(name({ 'hugo.toml': '' }), 'hugo');
  t.is(name({ 'package.json': '{"devDependencies":{"@11ty/eleventy":"^3.0.0"}}' }), 'eleventy');
  for (const packed of ['hugo-bin', 'hugo-extended', 'hugo-installer'])
    t.is(name({ 'package.json': `{"devDependencies":{"${packed}":"1.0.0"}}` }, GENERATORS), 'hugo');
  t.is(name({ Gemfile: '# gem "jekyll"\n' }), undefined);
  t.is(name({ 'index.html': '' }), undefined);
  const [found] = recogniseGenerators(siteOf({ Gemfile: 'gem "github-pages", group: :jekyll_plugins' }), ALL);
  t.is(found?.evidence, 'Gemfile: github-pages');
});

test('of several, the one with the strongest evidence builds the site', (t) => {
  const astro = { 'astro.config.mjs': '', 'package.json': '{"dependencies":{"astro":"^5.0.0"}}' };
  t.is(name({ ...astro, '_config.yml': '' }), 'astro', 'a file and a dependency');
  t.is(name({ 'config.toml': '', '_config.yml': '' }, [OLD_HUGO, JEKYLL]), 'jekyll', 'others have one too');
});

test('a Jekyll site without a configuration file, as GitHub Pages builds it, is recognised by its folders', (t) => {
  const folders = { '_posts/2016-11-10-soil.md': '', '_layouts/post.html': '' };
  t.is(name(folders, GENERATORS), 'jekyll');
  t.is(name({ '_posts/2016-11-10-soil.md': '' }, GENERATORS), undefined);
  t.is(
    name({ ...folders, 'eleventy.config.js': '' }, GENERATORS),
    'eleventy',
    'a file says more than folders',
  );
});

test('an unknown name of a generator is an error', (t) => {
  t.throws(() => generatorNamed('plain'), { code: 'CONFIG_INVALID' });
});
