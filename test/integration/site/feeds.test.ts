import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { builtAnew, fileOf, pathOf, put, SITE_URL, siteIn, testSite } from './test-site.js';

const HOSTILE = `]]> <b>&amp; "quoted" 'x' & \u0000\u0008\ud800 ]]> ]]>`;

/** What is left of HOSTILE in XML: it has no place for control characters, and none for half a character. */
const IN_XML = HOSTILE.replace('\u0000\u0008\ud800', '\ufffd');

const parser = new XMLParser({
  ignoreAttributes: false,
  isArray: (name) => ['item', 'entry', 'url'].includes(name),
});

/** An XML file of the site as an object; attributes begin with `@_`. */
function parsed(xml: string) {
  const isValid = XMLValidator.validate(xml);
  if (isValid !== true) throw new Error(JSON.stringify(isValid));
  return parser.parse(xml);
}

const dir = makeTempDir();
const hostile = siteIn(dir, { settings: { title: HOSTILE, description: HOSTILE } });

test.before('a site of 25 articles and a hostile one', async (t) => {
  for (let n = 10; n < 35; n++)
    hostile.write(`a${n}`, { date: `2026-01-${String(n - 9).padStart(2, '0')}`, updated: 'no date' });
  hostile.write('hostile', {
    date: '2026-11-01',
    title: HOSTILE,
    description: HOSTILE,
    author: HOSTILE,
    tags: [HOSTILE],
    contentHtml: `<p>${HOSTILE}</p>`,
    image: 'https://img.example/x"<.png',
  });
  t.is((await hostile.builder.build('all')).failed, 0);
});
test.after.always(() => removeTempDir(dir));

test('the Atom feed has the newest twenty, whatever stands in the articles', (t) => {
  const xml = hostile.page('feed.xml');
  const { feed } = parsed(xml);
  t.is(feed.entry.length, 20);
  t.deepEqual([feed['@_xml:lang'], feed.generator], ['en', 'Pressmark']);
  const { title, author } = feed.entry[0];
  t.is(
    title['#text'],
    IN_XML.trim().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  );
  t.is(author.name, IN_XML.replace('&amp;', '&'));
  t.true(xml.includes('https://x.example/articles/a16/') && !xml.includes('https://x.example/articles/a15/'));
});

test('the RSS feed has the newest twenty, with authors’ names where RSS allows names', (t) => {
  const { channel } = parsed(hostile.page('rss.xml')).rss;
  t.is(channel.item.length, 20);
  t.is(channel['atom:link']['@_href'], 'https://x.example/rss.xml');
  t.like(channel.item[1], {
    title: 'Title of a34',
    link: 'https://x.example/articles/a34/',
    guid: { '#text': 'https://x.example/articles/a34/', '@_isPermaLink': 'true' },
    pubDate: 'Sun, 25 Jan 2026 00:00:00 GMT',
    'dc:creator': 'Ada',
    category: 'One',
    description: 'About a34',
  });
  t.true(channel.item[1]['content:encoded'].includes('The body of a34'));
  t.is(channel.item[0].title, IN_XML.trim().replaceAll(']]>', ']] >'));
});

test('the JSON feed has the newest twenty, with every text as it was given', (t) => {
  const feed = JSON.parse(hostile.page('feed.json'));
  const { items, ...head } = feed;
  t.is(items.length, 20);
  t.like(head, { version: 'https://jsonfeed.org/version/1', home_page_url: 'https://x.example/' });
  const text = HOSTILE.toWellFormed();
  t.like(items[0], { title: text, summary: text, tags: [text], image: 'https://img.example/x%22%3C.png' });
  t.deepEqual(items[1], {
    id: 'https://x.example/articles/a34/',
    url: 'https://x.example/articles/a34/',
    title: 'Title of a34',
    summary: 'About a34',
    content_html: '<p>The body of a34</p>\n<!-- svc:item:a34 -->',
    date_published: '2026-01-25T00:00:00.000Z',
    date_modified: '2026-01-25T00:00:00.000Z',
    author: { name: 'Ada' },
    tags: ['One'],
  });
});

test('the feeds are made again when the oldest of their articles changes, or makes room for an older one', async (t) => {
  const site = testSite(t);
  for (let n = 1; n <= 22; n++) site.write(`a${n}`, { date: `2026-01-${String(n).padStart(2, '0')}` });
  await site.builder.build('all');
  const path = site.write('a3', { date: '2026-01-03', title: 'Now the oldest' });
  await site.builder.build([path]);
  for (const feed of ['feed.xml', 'rss.xml', 'feed.json'])
    t.true(site.page(feed).includes('Now the oldest'), feed);
  fs.rmSync(join(site.options.content.root, path));
  await site.builder.build([path]);
  t.true(site.page('feed.xml').includes('/articles/a2/'));
});

test('the sitemap has home, the owner’s pages that stand and every article, each once, and when they were changed', async (t) => {
  const site = testSite(t);
  for (const name of ['about', 'articles/a', 'archive'])
    put(join(site.options.content.root, `pages/${name}.md`), `---\ntitle: ${name}\n---\nMine.\n`);
  put(join(site.options.content.root, 'pages/broken.md'), '---\ntitle: [\n---\n');
  site.write('a');
  site.write('b', { url: "https://x.example/articles/b&b'b/", date: 'no date' });
  site.write('c', { updated: '2026-11-05T08:00:00Z' });
  await site.builder.build('all');
  const { url } = parsed(site.page('sitemap.xml')).urlset;
  t.deepEqual(
    url.map(({ loc, lastmod }: { loc: string; lastmod?: string }) => [
      loc.slice('https://x.example'.length),
      lastmod,
    ]),
    [
      ['/', undefined],
      ['/about/', undefined],
      ["/articles/b&b'b/", undefined],
      ['/articles/a/', '2026-11-02T08:00:00.000Z'],
      ['/articles/c/', '2026-11-05T08:00:00.000Z'],
    ],
  );
});

test('the sitemap lists pages and articles in the same order, whichever came first', async (t) => {
  const site = testSite(t);
  const page = (path: string) => {
    put(join(site.options.content.root, path), '---\ntitle: Mine\n---\nWords.\n');
    return path;
  };
  await site.builder.build('all');
  // The case of seed 92191368 of same-as-clean. The pages were listed in the order in which they had come, so that one which
  // waited behind an article for the address stood first; a clean build comes upon them in the order of their names.
  const steps = [
    () => page('pages/articles/a1.md'),
    () => page('pages/about.md'),
    () => site.write('b1'),
    () => site.write('a1'),
  ];
  for (const step of steps) await site.builder.build([step()]);
  fs.rmSync(join(site.options.content.root, 'articles/a1.md'));
  await site.builder.build(['articles/a1.md']);
  t.deepEqual(site.output(), await builtAnew(site.options));
  t.true(site.page('articles/a1/index.html').includes('Words.'), 'the owner’s page has the place again');
});

test('the feeds go on after a change that nothing has reported, as of the target of a link', async (t) => {
  const site = testSite(t);
  const { root } = site.options.content;
  const target = join(site.dir, 'elsewhere.md');
  const linked = { title: 'Before', date: '2026-11-03' };
  put(target, fileOf('linked', SITE_URL, linked));
  // So long that no other text is kept in memory.
  site.write('a', { contentHtml: `<p>${'word '.repeat(700_000)}</p>` });
  fs.symlinkSync(target, join(root, pathOf('linked')));
  await site.builder.build('all');
  put(target, fileOf('linked', SITE_URL, { ...linked, title: 'After' }));
  for (const slug of ['b', 'c']) await site.builder.build([site.write(slug)]);
  t.deepEqual(
    JSON.parse(site.page('feed.json'))
      .items.map(({ title }: { title: string }) => title)
      .sort(),
    ['After', 'Title of a', 'Title of b', 'Title of c'],
  );
});
