import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import * as z from 'zod';
import { makeTempDir, removeTempDir } from '../../support/temp-dir.js';
import { builtAnew, put, siteIn, testSite } from './test-site.js';

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

const JSON_FEED = z.strictObject({
  version: z.literal('https://jsonfeed.org/version/1'),
  title: z.string().min(1),
  home_page_url: z.url(),
  feed_url: z.url(),
  description: z.string().optional(),
  author: z.strictObject({ name: z.string().min(1) }),
  items: z.array(
    z.strictObject({
      id: z.string().min(1),
      url: z.url(),
      title: z.string().optional(),
      content_html: z.string(),
      summary: z.string().optional(),
      image: z.url().optional(),
      date_published: z.iso.datetime(),
      date_modified: z.iso.datetime(),
      author: z.strictObject({ name: z.string().optional() }).optional(),
      tags: z.array(z.string()),
    }),
  ),
});

const dir = makeTempDir();
const hostile = siteIn(dir, { settings: { title: HOSTILE, description: HOSTILE } });

test.before('a site of hostile articles', async (t) => {
  for (let n = 10; n < 35; n++)
    hostile.write(`a${n}`, { date: `2026-01-${String(n - 9).padStart(2, '0')}`, updated: 'no date' });
  hostile.write('hostile', {
    date: '2026-11-01',
    title: HOSTILE,
    description: HOSTILE,
    author: HOSTILE,
    tags: [HOSTILE],
    contentHtml: `<p>${HOSTILE}</p>`,
    body: `<p>${HOSTILE}</p>`,
    image: 'https://img.example/x"<.png',
  });
  hostile.write('bare', {
    date: '2026-11-02',
    title: '',
    description: '',
    author: '',
    tags: [],
    contentHtml: '',
    body: '',
  });
  t.is((await hostile.builder.build('all')).failed, 0);
});
test.after.always(() => removeTempDir(dir));

test('the Atom feed has the newest twenty, whatever stands in the articles', (t) => {
  const xml = hostile.page('feed.xml');
  const { feed } = parsed(xml);
  t.is(feed.entry.length, 20);
  t.is(feed['@_xml:lang'], 'en');
  t.is(feed.generator, 'Pressmark');
  t.false(/[\u0000\u0008]/.test(xml));
  const { title, author } = feed.entry[1];
  t.is(
    title['#text'],
    IN_XML.trim().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  );
  t.is(author.name, IN_XML.replace('&amp;', '&'));
  t.true(xml.includes('https://x.example/articles/a34/'));
  t.false(xml.includes('https://x.example/articles/a16/'));
});

test('the RSS feed has the newest twenty, with authors’ names where RSS allows names', (t) => {
  const xml = hostile.page('rss.xml');
  const { channel } = parsed(xml).rss;
  t.is(channel.item.length, 20);
  t.is(channel.language, 'en');
  t.is(channel.generator, 'Pressmark');
  t.is(channel['atom:link']['@_href'], 'https://x.example/rss.xml');
  t.like(channel.item[2], {
    title: 'Title of a34',
    link: 'https://x.example/articles/a34/',
    guid: { '#text': 'https://x.example/articles/a34/', '@_isPermaLink': 'true' },
    pubDate: 'Sun, 25 Jan 2026 00:00:00 GMT',
    'dc:creator': 'Ada',
    category: 'One',
    description: 'About a34',
  });
  t.true(channel.item[2]['content:encoded'].includes('The body of a34'));
  t.is(channel.item[1].title, IN_XML.trim().replaceAll(']]>', ']] >'));
  t.false(/[\u0000\u0008]/.test(xml));
});

test('the JSON feed has the newest twenty, with every text as it was given', (t) => {
  const feed = JSON_FEED.parse(JSON.parse(hostile.page('feed.json')));
  t.is(feed.items.length, 20);
  t.like(feed.items[1], {
    title: HOSTILE.toWellFormed(),
    summary: HOSTILE.toWellFormed(),
    tags: [HOSTILE.toWellFormed()],
    image: 'https://img.example/x%22%3C.png',
  });
  t.deepEqual(feed.items[2], {
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

test('the sitemap has the owner’s pages that stand, and each address once', async (t) => {
  const site = testSite(t);
  const locations = () =>
    [...site.page('sitemap.xml').matchAll(/<loc>https:\/\/x\.example([^<]*)<\/loc>/g)].map(
      ([, path]) => path,
    );
  for (const name of ['about', 'articles/a', 'archive', 'broken'])
    put(
      join(site.options.content.root, `pages/${name}.md`),
      name === 'broken' ? '---\ntitle: [\n---\n' : `---\ntitle: ${name}\n---\nMine.\n`,
    );
  const path = site.write('a');
  await site.builder.build('all');
  t.deepEqual(locations(), ['/', '/about/', '/articles/a/']);
  fs.rmSync(join(site.options.content.root, path));
  await site.builder.build([path]);
  t.deepEqual(locations(), ['/', '/about/', '/articles/a/']);
  t.true(site.page('articles/a/index.html').includes('Mine.'));
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
  for (const step of steps) {
    await site.builder.build([step()]);
    t.deepEqual(site.output(), await builtAnew(site.options), step.toString());
  }
});

test('the sitemap has home and every article', async (t) => {
  const site = testSite(t);
  site.write('a', { url: "https://x.example/articles/a&b'c/", date: 'no date' });
  site.write('b', { updated: '2026-11-05T08:00:00Z' });
  await site.builder.build('all');
  const { urlset } = parsed(site.page('sitemap.xml'));
  t.deepEqual(
    urlset.url.map(({ loc, lastmod }: { loc: string; lastmod?: string }) => [loc, lastmod]),
    [
      ['https://x.example/', undefined],
      ["https://x.example/articles/a&b'c/", undefined],
      ['https://x.example/articles/b/', '2026-11-05T08:00:00.000Z'],
    ],
  );
});
