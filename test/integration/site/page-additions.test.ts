import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { addingTo, noAdditions } from '../../../src/host/pages/page-additions.js';
import { createBuilder } from '../../../src/site/builder/builder.js';
import type { SiteOptions } from '../../../src/site/options.js';
import { put, type TestSite, testSite } from './test-site.js';

function adding() {
  const additions = noAdditions();
  return { additions, ...addingTo(additions, 'extras', () => undefined) };
}

/** A builder with what a plugin adds. */
function builderWith(t: ExecutionContext, site: TestSite, options: Partial<SiteOptions>) {
  const themeDirs = [...(options.additions?.folders ?? []), ...site.options.themeDirs];
  const builder = createBuilder({ ...site.options, themeDirs, ...options });
  t.teardown(() => builder.close());
  return builder;
}

test('shortcodes and Markdown of plugins are for what people write, also in excerpts, feeds and pages of their own', async (t) => {
  const site = testSite(t);
  const { additions, shortcode, markdown } = adding();
  shortcode('note', ({ text = '' }) => `<aside>${text}</aside>`);
  shortcode('bad', () => {
    throw new Error('always');
  });
  markdown((md) => md.set({ breaks: true }));
  const builder = builderWith(t, site, { additions });
  const body = 'From [[note text="afar"]]';
  const sent = { description: '', contentHtml: `<p>${body}</p>`, body };
  const own = site.write('own', { ...sent, date: '2026-11-05T08:00:00Z' });
  site.write('sent', sent);
  fs.appendFileSync(
    join(site.options.content.root, own),
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
    '\n<aside>whole line</aside>',
    '<code>[[note text=&quot;code&quot;]]</code> and [[bad]] and [[other]]<br>',
  ])
    t.true(page.includes(part), part);
  t.true(site.page('articles/sent/index.html').includes(body), 'not that of the service');
  t.true(site.page('about/index.html').includes('<aside>on a page</aside>'));
  t.true(site.page('feed.json').includes('<aside>whole line</aside>'));
  t.regex(site.page('index.html'), />From afar/, 'the excerpt');
  t.regex(site.logged.join(''), /"plugin":"extras","shortcode":"bad"/);
  await builder.close();

  // What is kept of articles was made by other code.
  const changed = adding();
  changed.shortcode('note', ({ text = '' }) => `<i>${text.toUpperCase()}</i>`);
  await builderWith(t, site, { additions: changed.additions, setupKey: () => 'another' }).build('all');
  t.regex(site.page('index.html'), />From AFAR/);
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
  const setupKey = () => additions.inputs.map((path) => fs.readFileSync(path, 'utf8')).join();
  const builder = builderWith(t, site, { additions, setupKey });
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
  t.regex(site.logged.join(''), /helper fails of plugin extras failed: never/);
  t.is(site.logged.filter((line) => line.includes('derived data failed')).length, 1, 'said once');
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
  const builder = builderWith(t, site, { additions });
  const write = (day: number, contentHtml: string) =>
    site.write(`a${day}`, { tags: [], date: `2026-01-0${day}T08:00:00Z`, body: contentHtml, contentHtml });
  for (let day = 1; day <= 4; day++) write(day, '<p>Short.</p>');
  await builder.build('all');
  t.is(site.page('articles/a1/index.html'), 'Title of a1: 13');
  await builder.build([write(4, '<p>Longer now.</p>')]);
  t.is(site.page('articles/a1/index.html'), 'Title of a1: 18');
});
