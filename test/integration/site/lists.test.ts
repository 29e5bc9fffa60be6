import { join } from 'node:path';
import test from 'ava';
import { put, type TestSite, testSite } from './test-site.js';

/** Templates that show nothing but what is looked at. */
function listTemplates(site: TestSite, text: string): void {
  for (const name of ['home', 'archive', 'tag', 'author'])
    put(join(site.options.templatesDir, `${name}.eta`), text);
}

const dated = (site: TestSite, n: number) => site.write(`a${n}`, { date: `2026-01-0${n}T08:00:00Z` });

const LISTED = `<% it.articles.forEach((one) => { %><%= one.id %>: <%= one.readingMinutes %> min, <%= one.excerpt %>;<% }) %>`;

test('lists show how long an article takes to read, and how it begins where it has no description', async (t) => {
  const site = testSite(t);
  listTemplates(site, LISTED);
  const html = (words: number) => `<p>${'word '.repeat(words)}</p>`;
  site.write('long', { contentHtml: html(700), body: html(700) });
  site.write('bare', { description: '', contentHtml: '<p>Two &amp; <b>three</b></p>', body: 'x' });
  t.is((await site.builder.build('all')).failed, 0);
  for (const file of ['index.html', 'archive/index.html', 'tags/one/index.html', 'authors/ada/index.html'])
    t.is(site.page(file), 'long: 3 min, About long;bare: 1 min, Two &amp; three;', file);
});

const PAGER = `<%= it.number %>/<%= it.pageCount ?? '?' %>:<% it.pageLinks.forEach(({ number, path, isAfterGap }) => { %><% if (isAfterGap) { %> …<% } %> <%= number %>=<%= it.url(path) %><% }) %>`;

test('the pages of a list link the newest, their neighbours and the oldest; a publish changes three of them at most', async (t) => {
  const site = testSite(t, { pageSize: 1 });
  listTemplates(site, PAGER);
  for (let n = 1; n <= 7; n++) dated(site, n);
  await site.builder.build('all');
  const pager = (page: string) => site.page(`tags/one/${page}index.html`).replaceAll('/tags/one', '');
  t.is(pager(''), '0/7: 0=/ 6=/page/6/ … 1=/page/1/');
  t.is(pager('page/3/'), '3/?: 0=/ … 4=/page/4/ 3=/page/3/ 2=/page/2/ 1=/page/1/');
  t.is(pager('page/6/'), '6/?: 0=/ 6=/page/6/ 5=/page/5/ … 1=/page/1/');
  t.is(pager('page/1/'), '1/?: 0=/ … 2=/page/2/ 1=/page/1/');

  const report = await site.builder.build([dated(site, 8)]);
  t.deepEqual(report.files.filter((file) => file.startsWith('archive/')).sort(), [
    'archive/index.html',
    ...[5, 6, 7].map((number) => `archive/page/${number}/index.html`),
  ]);
});

test('a publish writes its page, its neighbour’s, the lists that name it, feeds and sitemap, and nothing else', async (t) => {
  const site = testSite(t);
  const write = (n: number) =>
    site.write(`a${n}`, {
      date: new Date(Date.UTC(2026, 0, 1, n)).toISOString(),
      tags: [`tag ${n % 7}`, `tag ${(n + 1) % 7}`],
      author: `author ${n % 2}`,
    });
  for (let n = 0; n < 66; n++) write(n);
  await site.builder.build('all');
  const { files, pages } = await site.builder.build([write(66)]);
  t.is(files[0], 'articles/a66/index.html', 'its page first');
  t.deepEqual([...files].sort(), [
    'archive/index.html',
    'articles/a65/index.html', // the one before, which is related too
    'articles/a66/index.html',
    'authors/author-0/index.html',
    ...['feed.json', 'feed.xml', 'index.html', 'rss.xml', 'sitemap.xml', 'tags/index.html'],
    ...['tags/tag-3/index.html', 'tags/tag-4/index.html'],
  ]);
  t.true(pages <= files.length + 8, 'hardly more is made than is written');
  site.builder.first([write(67)]);
  const { files: ofAll, paths } = await site.builder.build('all');
  t.is(ofAll[0], 'articles/a67/index.html', 'first in a build of everything, too');
  t.deepEqual(paths, []);
});

test('home begins with the newest article; the archive names each year once, and below it days alone; numbers are the locale’s', async (t) => {
  const site = testSite(t, { pageSize: 1, settings: { locale: 'ar-EG' } });
  await site.builder.build('all');
  const empty = site.page('index.html');
  t.regex(
    empty,
    /Nothing has been published yet\.[\s\S]*<a href="\/feed\.xml">The feed tells you of the first article\.<\/a>/,
  );

  site.write('moss', { date: '2025-12-31T08:00:00Z' });
  for (let n = 1; n <= 4; n++) dated(site, n);
  site.write('soil', { date: '2026-02-02T08:00:00Z', author: 'Bo', tags: ['Beds'] });
  await site.builder.build('all');
  const [lead = ''] = /<article[\s\S]*?<\/article>/.exec(site.page('index.html')) ?? [];
  t.true(lead.includes('Title of soil') && lead.includes('<bdi>Bo</bdi>'), lead);
  t.regex(lead, /<a href="\/tags\/beds\/"><bdi>Beds<\/bdi><\/a>/);
  const page = site.page('tags/one/page/3/index.html').replaceAll(/\s*\n\s*/g, '');
  t.regex(page, /<p><a href="\/tags\/one\/">Newest<\/a><a href="\/tags\/one\/page\/4\/">٤<\/a>/);
  t.true(page.includes('<a href="/tags/one/page/3/" aria-current="page">٣</a>'));

  const years = testSite(t);
  for (const date of ['2025-12-31', '2026-01-01', '2026-02-02'])
    years.write(`of-${date}`, { title: 'One', date });
  await years.builder.build('all');
  const archive = years.page('archive/index.html');
  t.deepEqual(
    [...archive.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, year]) => year),
    ['2026', '2025'],
  );
  const days = [...archive.matchAll(/<time[^>]*>(.*?)<\/time>/g)].map(([, day]) => day);
  t.deepEqual(days, ['February 2', 'January 1', 'December 31']);
});
