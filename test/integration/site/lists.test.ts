import { join } from 'node:path';
import test from 'ava';
import { put, type TestSite, testSite } from './test-site.js';

/** Templates that show nothing but what is looked at. */
function listTemplates(site: TestSite, text: string): void {
  for (const name of ['home', 'archive', 'tag', 'author'])
    put(join(site.options.templatesDir, `${name}.eta`), text);
}

const LISTED = `<% it.articles.forEach((one) => { %><%= one.id %>: <%= one.readingMinutes %> min, <%= one.excerpt %>;<% }) %>`;

const html = (words: number) => `<p>${'word '.repeat(words)}</p>`;

test('lists show how long an article takes to read, and how it begins where it has no description', async (t) => {
  const site = testSite(t);
  listTemplates(site, LISTED);
  site.write('long', { contentHtml: html(700), body: html(700) });
  site.write('bare', { description: '', contentHtml: '<p>Two &amp; <b>three</b></p>', body: 'x' });
  t.is((await site.builder.build('all')).failed, 0);
  for (const file of ['index.html', 'archive/index.html', 'tags/one/index.html', 'authors/ada/index.html'])
    t.is(site.page(file), 'long: 3 min, About long;bare: 1 min, Two &amp; three;', file);

  await site.builder.build([site.write('long', { contentHtml: html(1_400), body: html(1_400) })]);
  t.is(site.page('index.html'), 'long: 6 min, About long;bare: 1 min, Two &amp; three;');
});

const PAGER = `<%= it.number %>/<%= it.pageCount ?? '?' %>:<% it.pageLinks.forEach(({ number, path, isAfterGap }) => { %><% if (isAfterGap) { %> …<% } %> <%= number %>=<%= it.url(path) %><% }) %>`;

test('the pages of a list link the newest, their neighbours and the oldest; a publish changes three of them at most', async (t) => {
  const site = testSite(t, { pageSize: 1 });
  listTemplates(site, PAGER);
  for (let n = 1; n <= 7; n++) site.write(`a${n}`, { date: `2026-01-0${n}T08:00:00Z` });
  await site.builder.build('all');
  const pager = (page: string) => site.page(`tags/one/${page}index.html`);
  t.is(pager(''), '0/7: 0=/tags/one/ 6=/tags/one/page/6/ … 1=/tags/one/page/1/');
  t.is(
    pager('page/3/'),
    '3/?: 0=/tags/one/ … 4=/tags/one/page/4/ 3=/tags/one/page/3/ 2=/tags/one/page/2/ 1=/tags/one/page/1/',
  );
  t.is(pager('page/6/'), '6/?: 0=/tags/one/ 6=/tags/one/page/6/ 5=/tags/one/page/5/ … 1=/tags/one/page/1/');
  t.is(pager('page/1/'), '1/?: 0=/tags/one/ … 2=/tags/one/page/2/ 1=/tags/one/page/1/');

  const report = await site.builder.build([site.write('a8', { date: '2026-01-08T08:00:00Z' })]);
  t.deepEqual(report.files.filter((file) => file.startsWith('archive/')).sort(), [
    'archive/index.html',
    'archive/page/5/index.html',
    'archive/page/6/index.html',
    'archive/page/7/index.html',
  ]);
});

test('the built-in theme shows these links, and the number of each page', async (t) => {
  const site = testSite(t, { pageSize: 1, settings: { locale: 'ar-EG' } });
  for (let n = 1; n <= 5; n++) site.write(`a${n}`, { date: `2026-01-0${n}T08:00:00Z` });
  await site.builder.build('all');
  const page = site.page('tags/one/page/3/index.html').replaceAll(/\s*\n\s*/g, '');
  t.regex(page, /<p><a href="\/tags\/one\/">Newest<\/a><a href="\/tags\/one\/page\/4\/">٤<\/a>/);
  t.true(page.includes('<a href="/tags/one/page/3/" aria-current="page">٣</a>'));
});

test('home begins with the newest article, its author and its tag; an empty one says where to hear of the first', async (t) => {
  const site = testSite(t);
  await site.builder.build('all');
  const empty = site.page('index.html');
  t.true(empty.includes('Nothing has been published yet.'));
  t.regex(empty, /<a href="\/feed\.xml">The feed tells you of the first article\.<\/a>/);

  site.write('moss', { date: '2026-01-01T08:00:00Z' });
  await site.builder.build([
    site.write('soil', { date: '2026-01-02T08:00:00Z', author: 'Ada', tags: ['Beds'] }),
  ]);
  const home = site.page('index.html');
  t.false(home.includes('Nothing has been published yet.'));
  const [lead = ''] = /<article[\s\S]*?<\/article>/.exec(home) ?? [];
  t.true(lead.includes('Title of soil') && lead.includes('<bdi>Ada</bdi>'), lead);
  t.regex(lead, /<a href="\/tags\/beds\/"><bdi>Beds<\/bdi><\/a>/);
});

test('the archive names each year once, and below it days alone', async (t) => {
  const site = testSite(t);
  for (const date of ['2025-12-31', '2026-01-01', '2026-02-02'])
    site.write(`of-${date}`, { title: 'One', date });
  await site.builder.build('all');
  const archive = site.page('archive/index.html');
  t.deepEqual(
    [...archive.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, year]) => year),
    ['2026', '2025'],
  );
  const dates = [...archive.matchAll(/<time[^>]*>(.*?)<\/time>/g)].map(([, day = '']) => day);
  t.is(dates.length, 3);
  for (const day of dates) t.notRegex(day, /20\d\d/);
});
