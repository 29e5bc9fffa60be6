import test from 'ava';
import { testSite } from '../integration/site/test-site.js';
import { complaintsOf, RULES } from './xml.js';

const HOSTILE = `]]> <b>&amp; "quoted" 'x' & \u0000\u0008\ud800 ]]> ]]>`;

test('feeds, sitemap and favicon are valid, whatever stands in the articles', async (t) => {
  const site = testSite(t, { settings: { title: HOSTILE, description: HOSTILE, author: HOSTILE } });
  site.write('plain');
  site.write('hostile', {
    title: HOSTILE,
    description: HOSTILE,
    author: HOSTILE,
    tags: [HOSTILE],
    date: HOSTILE,
  });
  site.write('bare', { title: '', description: '', author: '', tags: [], contentHtml: '', body: '' });
  site.write('updated', { updated: '2026-11-05', image: 'https://img.example/a.png?x=1&y=2' });
  await site.builder.build('all');
  for (const [file, how] of Object.entries(RULES)) t.is(complaintsOf(site.page(file), ...how), '', file);
});

test('a site without articles has valid feeds', async (t) => {
  const site = testSite(t, { settings: { description: '', author: '', language: 'zh-Hant-TW' } });
  await site.builder.build('all');
  for (const [file, how] of Object.entries(RULES)) t.is(complaintsOf(site.page(file), ...how), '', file);
});

test('the schemas refuse what is wrong', async (t) => {
  const site = testSite(t);
  site.write('a');
  await site.builder.build('all');
  const broken = {
    'feed.xml': [/<updated>[^<]*<\/updated>/, '<updated>yesterday</updated>'],
    'rss.xml': [/<channel>/, '<channel><author>A name</author>'],
    'sitemap.xml': [/<loc>https/, '<loc>ftp'],
    'favicon.svg': ['</svg>', ''],
  } as const;
  for (const [file, how] of Object.entries(RULES)) {
    const [from, to] = broken[file as keyof typeof RULES];
    t.not(complaintsOf(site.page(file).replace(from, to), ...how), '', file);
  }
});
