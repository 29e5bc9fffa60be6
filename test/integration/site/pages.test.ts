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
  t.is((await site.builder.build('all')).failed, 0);
  const page = site.page('articles/a/index.html');
  t.true(page.includes(contentHtml));
  t.true(page.slice(0, page.indexOf('</head>')).includes(jsonLd));
});

test('every text but json_ld and the body is escaped, on every page, and an image is HTTP or none', async (t) => {
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
  for (const [slug, image] of [
    ['b', 'javascript:alert(1)'],
    ['c', 'data:text/html,x'],
    ['d', ' '],
    ['e', '/img/x.png'],
  ] as const)
    site.write(slug, { image, jsonLd: '' });
  t.is((await site.builder.build('all')).failed, 0);
  const ownScript = fs.readFileSync(join(BUILT_IN, 'partials/scheme.eta'), 'utf8').trim();
  for (const [name, text] of Object.entries(site.output())) {
    if (!name.endsWith('.html')) continue;
    t.false(text.replace(ownScript, '').includes('<script'), name);
    t.false(text.includes('<img src=x'), name);
    t.is(text.match(/<\/title>/g)?.length, 1, name);
    if (/^articles\/[bcd]/.test(name)) t.false(text.includes('<img class="lead"'), name);
  }
  t.true(site.page('articles/e/index.html').includes('<img class="lead" src="https://x.example/img/x.png"'));
});

test('an article whose URL is not the site’s has no page, and one warning says so', async (t) => {
  const site = testSite(t);
  site.write('a');
  site.write('b', { url: 'https://other.example/articles/b/' });
  site.write('c', { url: 'https://x.example/%2e%2e/%2e%2e/c%2f..%2f..%2fetc/' });
  site.write('d', { url: 'https://x.example/tags/' });
  for (let builds = 0; builds < 2; builds++) await site.builder.build('all');
  const pages = Object.keys(site.output()).filter((name) => name.startsWith('articles/'));
  t.deepEqual(pages, ['articles/a/index.html']);
  t.is(site.logged.length, 1, 'once for all builds');
  t.regex(site.logged[0] ?? '', /"articles":3/);
  t.false(site.page('index.html').includes('other.example'));
});
