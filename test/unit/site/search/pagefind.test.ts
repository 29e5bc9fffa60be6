import test from 'ava';
import type { Post } from '../../../../src/site/index/article-list.js';
import { newestPages } from '../../../../src/site/search/pagefind.js';
import type { WrittenFile } from '../../../../src/site/write/manifest.js';
import { post } from '../post.js';

const SITE = 'https://x.example/garden';

function postAt(slug: string): Post {
  const { entry, ...rest } = post(0);
  return { ...rest, entry: { ...entry, url: `${SITE}/notes/${slug}/` }, file: `notes/${slug}/index.html` };
}

test('the search finds the newest articles that have a page, oldest first', (t) => {
  const posts = ['old', 'middle', 'unbuilt', 'new'].map(postAt);
  const files = new Map<string, WrittenFile>();
  for (const [crc, slug] of ['old', 'middle', 'new'].entries())
    files.set(`notes/${slug}/index.html`, { size: 10, mtimeMs: 1, crc });
  const urls = (maxPages?: number) => newestPages(posts, files, SITE, maxPages).map(({ url }) => url);
  t.deepEqual(urls(), ['/notes/old/', '/notes/middle/', '/notes/new/']);
  t.deepEqual(urls(2), ['/notes/middle/', '/notes/new/']);
  t.deepEqual(newestPages(posts, files, SITE, 1), [
    { file: 'notes/new/index.html', url: '/notes/new/', crc: 2 },
  ]);
  files.set('notes/middle/index.html', { size: Number.MAX_SAFE_INTEGER, mtimeMs: 1, crc: 1 });
  t.deepEqual(urls(), ['/notes/new/'], 'no more than memory allows');
  t.is(urls(3).length, 3);
});
