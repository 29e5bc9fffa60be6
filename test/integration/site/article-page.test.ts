import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { put, siteIn, testSite } from './test-site.js';

/** A site of four articles of a tag, a day apart, of which the third one has been updated, and one without a date. */
const dir = makeTempDir();
const site = siteIn(dir, { settings: { toc: 3 } });
test.before(async (t) => {
  for (const [index, slug] of ['a', 'b', 'c', 'd'].entries())
    site.write(slug, { date: `2026-01-0${index + 1}T08:00:00Z` });
  site.write('c', {
    date: '2026-01-03T08:00:00Z',
    updated: '2026-02-03T09:30:00Z',
    image: 'https://img.example/c.png',
    contentHtml: `<h2>Soil</h2><p>${'word '.repeat(700)}</p><h3 id="own">Moss &amp; fern</h3><h2>Soil</h2>`,
  });
  site.write('markdown', { contentHtml: '', body: '## One\n\n### *Two*\n\n## Three {#x}\n', tags: [] });
  put(join(site.options.content.root, 'articles/undated.md'), '---\ntitle: Undated\n---\nText.\n');
  t.is((await site.builder.build('all')).failed, 0);
});
test.after.always(() => removeTempDir(dir));

/** A page's head and body, spaces between tags aside. */
function partsOf(slug: string): { head: string; body: string } {
  const page = site.page(`articles/${slug}/index.html`).replaceAll(/\s*\n\s*/g, '');
  const end = page.indexOf('</head>');
  return { head: page.slice(0, end), body: page.slice(end) };
}

test('a file without a date has none on any page, and is in no feed', (t) => {
  const files = Object.entries(site.output()).filter(([, text]) => text.includes('Undated'));
  t.true(files.length > 2, 'its page, the home page and the archive');
  t.deepEqual(
    files.filter(([, text]) => /1970|<time>/.test(text)).map(([name]) => name),
    [],
  );
  t.false(site.page('feed.xml').includes('Undated'));
});

test('an article’s head says what it is, when it was published and updated, where the feeds are, and how to show a link', (t) => {
  const { head } = partsOf('c');
  for (const part of [
    '<html lang="en" dir="ltr">',
    '<link rel="canonical" href="https://x.example/articles/c/">',
    '<meta name="description" content="About c">',
    '<meta property="og:type" content="article">',
    '<meta property="og:image" content="https://img.example/c.png">',
    '<meta name="twitter:card" content="summary_large_image">',
    '<meta property="article:published_time" content="2026-01-03T08:00:00.000Z">',
    '<meta property="article:modified_time" content="2026-02-03T09:30:00.000Z">',
    '<link rel="alternate" href="/rss.xml" type="application/rss+xml"',
    '<link rel="alternate" href="/feed.xml" type="application/atom+xml"',
    '<link rel="alternate" href="/feed.json" type="application/feed+json"',
  ])
    t.is(head.split(part).length, 2, part);
  t.false(partsOf('b').head.includes('article:modified_time'));
  t.true(site.page('404.html').includes('noindex'));
});

test('an article’s page has its reading time, its neighbours, related articles and a table of contents', (t) => {
  const { body } = partsOf('c');
  t.regex(body, /<p class="byline"[^>]*>.*<span>3 min read<\/span><\/p>/);
  t.true(body.includes('<span>Updated <time datetime="2026-02-03T09:30:00.000Z">'));
  t.regex(body, /<a rel="prev" href="\/articles\/b\/"><span>[^<]+<\/span> <bdi>Title of b<\/bdi><\/a>/);
  t.regex(body, /<a rel="next" href="\/articles\/d\/"><span>[^<]+<\/span> <bdi>Title of d<\/bdi><\/a>/);
  const related = /<section class="related">(.*)<\/section>/.exec(body)?.[1] ?? '';
  t.is(related.match(/<a href="\/articles\/(\w)\/" dir="auto">Title of \1<\/a>/g)?.length, 3);
  const link = (id: string, title: string, below = '') =>
    `<li><a href="#${id}" dir="auto">${title}</a>${below}</li>`;
  const below = `<ol>${link('own', 'Moss &amp; fern')}</ol>`;
  t.true(body.includes(`<ol>${link('soil', 'Soil', below)}${link('soil-2', 'Soil')}</ol>`));
  t.true(body.includes('<h2 id="soil">Soil<a class="heading-link" href="#soil"'));
  t.true(site.page('feed.json').includes('<h2>Soil</h2>'), 'feeds have the text as it came');
  t.regex(partsOf('markdown').body, /<h3 id="two"><em>Two<\/em><a class="heading-link"/);
});

test('robots.txt lets everybody in but to the admin, and names the sitemap', (t) => {
  const lines = site.page('robots.txt').trim().split('\n').slice(1);
  t.deepEqual(lines, [
    ...['User-agent: *', 'Allow: /', 'Disallow: /-/admin/'],
    ...['', 'Sitemap: https://x.example/sitemap.xml'],
  ]);
});

test('a template gets the article before, the one after, and those near it that share tags, and a change of one changes them', async (t) => {
  const site = testSite(t);
  put(
    join(site.options.templatesDir, 'article.eta'),
    `<% const { previous, next, related } = it.article %><%~ JSON.stringify(
      [previous?.title ?? '', next?.title ?? '', related.map(({ title }) => title).join(' ')]) %>`,
  );
  const shownOn = (slug: string) => JSON.parse(site.page(`articles/${slug}/index.html`));
  const write = (slug: string, day: number, tags: string) =>
    site.write(slug, { title: slug, date: `2026-01-${10 + day}`, tags: [...tags] });
  for (const [at, tags] of ['x', 'xy', 'z', 'yx', 'x', 'x'].entries()) write('abcdef'.charAt(at), at, tags);
  await site.builder.build('all');
  t.deepEqual(shownOn('a'), ['', 'b', 'b']);
  // b shares two tags, e is as near as can be; f is too far ahead, c shares nothing.
  t.deepEqual(shownOn('d'), ['c', 'e', 'b e a']);
  t.deepEqual(shownOn('f'), ['e', '', 'e d b a']);

  await site.builder.build([write('d', 3, 'z')]);
  t.deepEqual(shownOn('c'), ['b', 'd', 'd']);
  t.deepEqual(shownOn('e'), ['d', 'f', 'f b a']);

  fs.rmSync(join(site.options.content.root, 'articles/e.md'));
  await site.builder.build(['articles/e.md']);
  t.deepEqual(shownOn('f'), ['d', '', 'b a']);
});
