import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { addingTo, noAdditions } from '../../../src/host/pages/page-additions.js';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { put, type TestSite, testSite } from './test-site.js';

function adding() {
  const additions = noAdditions();
  return { additions, ...addingTo(additions, 'extras', () => undefined) };
}

const append = (site: TestSite, path: string, text: string) =>
  fs.appendFileSync(join(site.options.content.root, path), text);

test('shortcodes and Markdown of plugins are for what people write, also in excerpts, feeds and pages of their own', async (t) => {
  const site = testSite(t);
  const { additions, shortcode, markdown } = adding();
  shortcode('note', ({ text = '' }) => `<aside>${text}</aside>`);
  shortcode('bad', () => {
    throw new Error('always');
  });
  markdown((md) => md.set({ breaks: true }));
  const builder = createBuilder({ ...site.options, additions });
  const sent = {
    description: '',
    contentHtml: '<p>From [[note text="afar"]]</p>',
    body: 'From [[note text="afar"]]',
  };
  const own = site.write('own', { ...sent, date: '2026-11-05T08:00:00Z' });
  site.write('sent', sent);
  append(
    site,
    own,
    '\n\n[[note text="whole line"]]\n\n`[[note text="code"]]` and [[bad]] and [[other]]\nnext\n',
  );
  put(
    join(site.options.content.root, 'pages/about.md'),
    '---\ntitle: About\n---\n[[note text="on a page"]]\n',
  );
  await builder.build('all');
  const page = site.page('articles/own/index.html');
  for (const part of [
    'From <aside>afar</aside>',
    '<aside>whole line</aside>',
    '<code>[[note text=&quot;code&quot;]]</code> and [[bad]] and [[other]]<br>',
  ])
    t.true(page.includes(part), part);
  t.notRegex(page, /<p>\s*<aside>whole/);
  t.true(
    site.page('articles/sent/index.html').includes('From [[note text="afar"]]'),
    'not that of the service',
  );
  t.true(site.page('about/index.html').includes('<aside>on a page</aside>'));
  t.true(site.page('feed.json').includes('<aside>whole line</aside>'));
  t.regex(site.page('index.html'), />From afar/, 'the excerpt');
  t.true(
    site.logged.some((line) => line.includes('"plugin":"extras"') && line.includes('"shortcode":"bad"')),
  );
  await builder.close();

  // What is kept of articles was made by other code.
  const changed = adding();
  changed.shortcode('note', ({ text = '' }) => `<i>${text.toUpperCase()}</i>`);
  const options = { ...site.options, additions: changed.additions, setupKey: () => 'another' };
  const later = createBuilder(options);
  await later.build('all');
  t.regex(site.page('index.html'), />From AFAR/);
  await later.close();
});

test('templates, assets, words and helpers of a plugin are over the theme and below the site’s own', async (t) => {
  const site = testSite(t);
  const { additions, templates, assets, words, helper, input, data } = adding();
  data('broken', { inputs: () => 1, compute: () => JSON.parse('{'), of: () => 1 });
  const at = (name: string) => join(site.dir, 'plugin', name);
  put(
    at('templates/article.eta'),
    'of the plugin: <%= it.helpers.twice(2) %> <%= it.t("greeting") %> <%= it.asset("x.css") %>',
  );
  put(at('templates/home.eta'), 'of the plugin');
  put(at('assets/x.css'), 'p { color: red }');
  put(at('words/en.json'), '{ "greeting": "Hello" }');
  put(at('list.json'), '1');
  put(join(site.options.templatesDir, 'home.eta'), 'of the site');
  templates(at('templates'));
  assets(at('assets/'));
  words(at('words'));
  t.is(input(at('list.json')), at('list.json'));
  helper('twice', (n: number) => `${n * 2}${fs.readFileSync(at('list.json'), 'utf8')}`);
  helper('fails', () => {
    throw new Error('never');
  });
  const themeDirs = [...additions.folders, ...site.options.themeDirs];
  const setupKey = () => additions.inputs.map((path) => fs.readFileSync(path, 'utf8')).join();
  const options = { ...site.options, themeDirs, additions, setupKey };
  const builder = createBuilder(options);
  site.write('a');
  await builder.build('all');
  t.regex(site.page('articles/a/index.html'), /^of the plugin: 41 Hello \/assets\/x\.[0-9a-f]{8}\.css$/);
  t.is(site.page('index.html'), 'of the site');
  t.is(site.page('assets/x.css'), 'p { color: red }');
  fs.writeFileSync(at('list.json'), '2');
  await builder.build('all');
  t.regex(site.page('articles/a/index.html'), /^of the plugin: 42 /);
  put(join(site.options.templatesDir, 'article.eta'), '<%= it.helpers.fails() %>');
  await builder.build('all');
  t.true(site.logged.some((line) => line.includes('helper fails of plugin extras failed: never')));
  t.deepEqual(site.page('articles/a/index.html').slice(0, 13), 'of the plugin');
  t.is(site.logged.filter((line) => line.includes('derived data failed')).length, 1, 'said once');
  await builder.close();
});

test('a page is made again where nothing of it has changed but what a plugin derives from all articles', async (t) => {
  const site = testSite(t);
  const { additions, templates, data } = adding();
  data('longest', {
    inputs: ({ html }) => html.length,
    compute: (articles) => Math.max(...Array.from(articles, ({ input }) => input)),
    of: (_article, longest) => longest,
  });
  put(join(site.dir, 'plugin/article.eta'), '<%= it.article.title %>: <%= it.extra.longest %>');
  templates(join(site.dir, 'plugin'));
  const themeDirs = [...additions.folders, ...site.options.themeDirs];
  const builder = createBuilder({ ...site.options, themeDirs, additions });
  const slugs = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const write = (slug: string, body: string) =>
    site.write(slug, {
      tags: [],
      date: `2026-01-0${slugs.indexOf(slug) + 1}T08:00:00Z`,
      body,
      contentHtml: body,
    });
  for (const slug of slugs) write(slug, '<p>Short.</p>');
  await builder.build('all');
  t.is(site.page('articles/a/index.html'), 'Title of a: 13');
  await builder.build([write('h', '<p>Longer now.</p>')]);
  t.is(site.page('articles/a/index.html'), 'Title of a: 18');
  await builder.close();
});
