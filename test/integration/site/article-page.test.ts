import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { put, siteIn, type TestSite, testSite } from './test-site.js';

/** A site of four articles of a tag, a day apart, of which the third one has been updated, and one without a date. */
const dir = makeTempDir();
const site = siteIn(dir);
test.before(async (t) => {
  for (const [index, slug] of ['a', 'b', 'c', 'd'].entries())
    site.write(slug, { date: `2026-01-0${index + 1}T08:00:00Z` });
  site.write('c', {
    date: '2026-01-03T08:00:00Z',
    updated: '2026-02-03T09:30:00Z',
    image: 'https://img.example/c.png',
    contentHtml: `<p>${'word '.repeat(700)}</p>`,
  });
  put(join(site.options.content.root, 'articles/undated.md'), '---\ntitle: Undated\n---\nText.\n');
  t.is((await site.builder.build('all')).failed, 0);
});
test.after.always(() => removeTempDir(dir));

/** A page's head and body, spaces between tags aside. */
function partsOf(site: TestSite, slug: string): { head: string; body: string } {
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
  const { head } = partsOf(site, 'c');
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

  const other = partsOf(site, 'b').head;
  t.true(other.includes('<meta name="twitter:card" content="summary">'));
  t.true(other.includes('article:published_time'));
  t.false(other.includes('article:modified_time'));
  t.true(site.page('404.html').includes('noindex'));
});

test('an article’s page has its reading time, its neighbours and related articles', (t) => {
  const { body } = partsOf(site, 'c');
  t.regex(body, /<p class="byline"[^>]*>.*<span>3 min read<\/span><\/p>/);
  t.true(body.includes('<span>Updated <time datetime="2026-02-03T09:30:00.000Z">'));
  t.regex(body, /<a rel="prev" href="\/articles\/b\/"><span>[^<]+<\/span> <bdi>Title of b<\/bdi><\/a>/);
  t.regex(body, /<a rel="next" href="\/articles\/d\/"><span>[^<]+<\/span> <bdi>Title of d<\/bdi><\/a>/);
  const related = /<section class="related">(.*)<\/section>/.exec(body)?.[1] ?? '';
  t.is(related.match(/<a href="\/articles\/(\w)\/" dir="auto">Title of \1<\/a>/g)?.length, 3);
});

test('robots.txt lets everybody in but to the admin, and names the sitemap', (t) => {
  const lines = site.page('robots.txt').trim().split('\n');
  for (const line of ['User-agent: *', 'Sitemap: https://x.example/sitemap.xml'])
    t.true(lines.includes(line), line);
  t.deepEqual(
    lines.filter((line) => line.startsWith('Disallow')),
    ['Disallow: /-/admin/'],
  );
});

/** What the page of an article says of others. */
function shownOn(site: TestSite, slug: string): { previous: string; next: string; related: string[] } {
  return JSON.parse(site.page(`articles/${slug}/index.html`));
}

function neighbourSite(t: ExecutionContext): TestSite {
  const site = testSite(t);
  put(
    join(site.options.templatesDir, 'article.eta'),
    `<%~ JSON.stringify({
      previous: it.article.previous?.title ?? '',
      next: it.article.next?.title ?? '',
      related: it.article.related.map(({ title }) => title),
    }) %>`,
  );
  return site;
}

test('a template gets the article before, the one after, and those near it that share tags, and a change of one changes them', async (t) => {
  const site = neighbourSite(t);
  const write = (slug: string, day: number, tags: string[]) =>
    site.write(slug, { title: slug, date: `2026-01-${10 + day}`, tags });
  write('a', 1, ['x']);
  write('b', 2, ['x', 'y']);
  write('c', 3, ['z']);
  write('d', 4, ['y', 'x']);
  write('e', 5, ['x']);
  write('f', 6, ['x']);
  await site.builder.build('all');
  t.deepEqual(shownOn(site, 'a'), { previous: '', next: 'b', related: ['b'] });
  // b shares two tags, e is as near as can be; f is too far ahead, c shares nothing.
  t.deepEqual(shownOn(site, 'd'), { previous: 'c', next: 'e', related: ['b', 'e', 'a'] });
  t.deepEqual(shownOn(site, 'c'), { previous: 'b', next: 'd', related: [] });
  t.deepEqual(shownOn(site, 'f'), { previous: 'e', next: '', related: ['e', 'd', 'b', 'a'] });

  await site.builder.build([write('d', 4, ['z'])]);
  t.deepEqual(shownOn(site, 'c'), { previous: 'b', next: 'd', related: ['d'] });
  t.deepEqual(shownOn(site, 'e'), { previous: 'd', next: 'f', related: ['f', 'b', 'a'] });

  fs.rmSync(join(site.options.content.root, 'articles/e.md'));
  await site.builder.build(['articles/e.md']);
  t.deepEqual(shownOn(site, 'f'), { previous: 'd', next: '', related: ['b', 'a'] });
});

test('an article of several headings has a table of contents that leads to them', async (t) => {
  const site = testSite(t, { settings: { toc: 3 } });
  const html = '<h2>Soil</h2><p>x</p><h3 id="own">Moss &amp; fern</h3><h2>Soil</h2>\n<!-- svc:item:a -->';
  site.write('a', { contentHtml: html });
  site.write('markdown', { contentHtml: '', body: '## One\n\n### *Two*\n\n## Three {#x}\n' });
  put(
    join(site.options.content.root, 'pages/about.md'),
    '---\ntitle: About\ntoc: true\n---\n## Who\n\nWe.\n',
  );
  t.is((await site.builder.build('all')).failed, 0);
  const { body } = partsOf(site, 'a');
  t.true(
    body.includes(
      '<ol><li><a href="#soil" dir="auto">Soil</a><ol><li><a href="#own" dir="auto">Moss &amp; fern</a></li></ol></li><li><a href="#soil-2" dir="auto">Soil</a></li></ol>',
    ),
  );
  const link = (id: string) => `<a class="heading-link" href="#${id}" aria-hidden="true" tabindex="-1"></a>`;
  t.true(
    body.includes(
      `<h2 id="soil">Soil${link('soil')}</h2><p>x</p><h3 id="own">Moss &amp; fern${link('own')}</h3><h2 id="soil-2">`,
    ),
  );
  t.true(body.includes('<!-- svc:item:a -->'));
  t.true(partsOf(site, 'markdown').body.includes(`<h3 id="two"><em>Two</em>${link('two')}</h3>`));
  t.true(site.page('about/index.html').includes('<a href="#who" dir="auto">Who</a>'));
  t.true(site.page('feed.json').includes('<h2>Soil</h2>'), 'feeds have the text as it came');
});
