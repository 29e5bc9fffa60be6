import test from 'ava';
import { type TestSite, testSite } from './test-site.js';

const SIZE = 66;

function write(site: TestSite, n: number): string {
  const date = new Date(Date.UTC(2026, 0, 1) + n * 3_600_000).toISOString();
  return site.write(`a${n}`, {
    date,
    tags: [`tag ${n % 7}`, `tag ${(n + 1) % 7}`],
    author: `author ${n % 2}`,
  });
}

test('a publish writes its page, its neighbour’s, the lists that name it, feeds and sitemap, and nothing else', async (t) => {
  const site = testSite(t);
  for (let n = 0; n < SIZE; n++) write(site, n);
  await site.builder.build('all');
  const { files, written, pages } = await site.builder.build([write(site, SIZE)]);
  t.deepEqual([...files].sort(), [
    'archive/index.html',
    'articles/a65/index.html', // the one before, which is related too
    'articles/a66/index.html',
    'authors/author-0/index.html',
    'feed.json',
    'feed.xml',
    'index.html',
    'rss.xml',
    'sitemap.xml',
    'tags/index.html',
    'tags/tag-3/index.html',
    'tags/tag-4/index.html',
  ]);
  t.is(written, files.length);
  t.true(pages <= written + 8, 'hardly more is made than is written');
});
