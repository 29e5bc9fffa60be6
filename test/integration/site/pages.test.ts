import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { BUILT_IN } from '../../../src/site/render/theme.js';
import { testSite } from './test-site.js';

const HOSTILE = '</title><script>alert("1")</script>';

test('an article’s page holds json_ld, the body and the item comment to the byte', async (t) => {
  const site = testSite(t);
  const jsonLd =
    '<script type="application/ld+json">{"a":"<b> & \' \\u003c"}</script>\n<script type="application/ld+json">[]</script>';
  const contentHtml =
    "<p data-x='1'>T &amp; T</p>\r\n<p>{{ x }} <%= y %> $& $1</p>\n\n<!-- svc:item:a & b -->";
  site.write('a', { jsonLd, contentHtml, body: contentHtml });
  const report = await site.builder.build('all');
  t.is(report.failed, 0);
  const page = site.page('articles/a/index.html');
  t.true(page.includes(contentHtml));
  t.true(page.slice(0, page.indexOf('</head>')).includes(jsonLd));
});

/** A page without the script of the theme for light and dark. */
function withoutOwnScript(html: string): string {
  return html.replace(fs.readFileSync(join(BUILT_IN, 'partials/scheme.eta'), 'utf8').trim(), '');
}

test('every text but json_ld and the body is escaped, on every page', async (t) => {
  const site = testSite(t);
  site.write('a', {
    title: HOSTILE,
    description: HOSTILE,
    author: HOSTILE,
    tags: [HOSTILE, `"'><img src=x onerror=alert(1)>`],
    image: 'https://img.example/"><script>alert("1")</script>.png',
    jsonLd: '',
    date: HOSTILE,
    updated: HOSTILE,
  });
  t.is((await site.builder.build('all')).failed, 0);
  for (const [name, text] of Object.entries(site.output())) {
    if (!name.endsWith('.html')) continue;
    t.false(withoutOwnScript(text).includes('<script'), name);
    t.false(text.includes('<img src=x'), name);
    t.is(text.match(/<\/title>/g)?.length, 1, name);
  }
});

test('an image whose address is not HTTP is not shown', async (t) => {
  const site = testSite(t);
  for (const [slug, image] of Object.entries({
    a: 'javascript:alert(1)',
    b: 'data:text/html,x',
    c: ' ',
    d: 'http://',
    e: '/img/x.png',
  }))
    site.write(slug, { image });
  t.is((await site.builder.build('all')).failed, 0);
  for (const slug of ['a', 'b', 'c', 'd'])
    t.false(site.page(`articles/${slug}/index.html`).includes('<img'), slug);
  t.true(site.page('articles/e/index.html').includes('<img class="lead" src="https://x.example/img/x.png"'));
});

test('below a base path links begin with it and the paths of files do not', async (t) => {
  const site = testSite(t, { url: 'https://x.example/blog' });
  site.write('a');
  await site.builder.build('all');
  t.true(site.page('articles/a/index.html').includes('href="/blog/tags/one/"'));
  const home = site.page('index.html');
  t.true(home.includes('href="/blog/articles/a/"'));
  t.true(home.includes('<link rel="canonical" href="https://x.example/blog/">'));
  for (const file of ['assets/style.', 'favicon.svg', 'feed.xml', 'rss.xml', 'feed.json'])
    t.true(home.includes(`href="/blog/${file}`), file);
  t.true(site.page('sitemap.xml').includes('<loc>https://x.example/blog/articles/a/</loc>'));
  t.false(site.has('robots.txt'));
});

test('an article whose URL is not the site’s has no page, and one warning says so', async (t) => {
  const site = testSite(t);
  site.write('a');
  site.write('b', { url: 'https://other.example/articles/b/' });
  site.write('c', { url: 'https://x.example/%2e%2e/%2e%2e/c%2f..%2f..%2fetc/' });
  site.write('d', { url: 'https://x.example/tags/' });
  site.write('e', { url: 'https://x.example/?p=1' });
  await site.builder.build('all');
  const pages = Object.keys(site.output()).filter((name) => name.startsWith('articles/'));
  t.deepEqual(pages, ['articles/a/index.html']);
  await site.builder.build('all');
  t.is(site.logged.length, 1, 'once for all builds');
  t.true(site.logged[0]?.includes('"articles":4'));
  t.false(site.page('index.html').includes('other.example'));
});

test('tags that make the same slug have pages of their own; the older one keeps the plain address', async (t) => {
  const site = testSite(t);
  site.write('a', { tags: ['C'], date: '2026-01-02' });
  site.write('b', { tags: ['C++', '?', ' C ', ''], date: '2026-01-03' });
  await site.builder.build('all');
  const tags = Object.keys(site.output()).filter((name) => name.startsWith('tags/'));
  t.is(tags.length, 4);
  t.true(site.page('tags/c/index.html').includes('<h1 dir="auto">C</h1>'));
  t.true(site.page('tags/c/index.html').includes('Title of b'));
  const other = /href="(\/tags\/c-\w+\/)" rel="tag" dir="auto">C\+\+</.exec(
    site.page('articles/b/index.html'),
  )?.[1];
  t.true(site.page(`${other?.slice(1)}index.html`).includes('<h1 dir="auto">C++</h1>'));
});
