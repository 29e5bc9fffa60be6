import test from 'ava';
import { xml2js } from 'xml-js';
import { testSite } from './test-site.js';

const HOSTILE = `]]> <b>&amp; "quoted" 'x' & \u0000\u0008\ud800 ]]> ]]>`;

test('the feed is well-formed Atom with the newest twenty, whatever stands in the articles', async (t) => {
  const site = testSite(t);
  for (let n = 10; n < 35; n++) site.write(`a${n}`, { date: `2026-01-${n - 9}`, updated: 'no date' });
  site.write('hostile', {
    date: '2026-12-01',
    title: HOSTILE,
    description: HOSTILE,
    author: HOSTILE,
    tags: [HOSTILE],
    contentHtml: `<p>${HOSTILE}</p>`,
    body: `<p>${HOSTILE}</p>`,
    image: 'https://img.example/x"<.png',
  });
  await site.builder.buildAll();
  const xml = site.page('feed.xml');
  const { feed } = xml2js(xml, { compact: true }) as unknown as {
    feed: { entry: { link: { _attributes: { href: string } }[] }[] };
  };
  t.is(feed.entry.length, 20);
  t.regex(xml, /<generator>Pressmark<\/generator>/);
  t.false(/[\u0000\u0008]/.test(xml));
  t.true(xml.includes('https://x.example/articles/a34/'));
  t.false(xml.includes('https://x.example/articles/a15/'));
});

test('the sitemap is well-formed and has home and every article', async (t) => {
  const site = testSite(t);
  site.write('a', { url: "https://x.example/articles/a&b'c/", date: 'no date' });
  site.write('b', { updated: '2026-11-05T08:00:00Z' });
  await site.builder.buildAll();
  const { urlset } = xml2js(site.page('sitemap.xml'), { compact: true }) as unknown as {
    urlset: { url: { loc: { _text: string }; lastmod?: { _text: string } }[] };
  };
  t.deepEqual(
    urlset.url.map(({ loc, lastmod }) => [loc._text, lastmod?._text]),
    [
      ['https://x.example/', undefined],
      ["https://x.example/articles/a&b'c/", undefined],
      ['https://x.example/articles/b/', '2026-11-05T08:00:00.000Z'],
    ],
  );
});
