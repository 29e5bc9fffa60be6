import { join } from 'node:path';
import test from 'ava';
import type { SourceEntry } from '../../../../src/site/index/site-index.js';
import { newestPages } from '../../../../src/site/search/search-pages.js';
import { manifestPath, openManifest } from '../../../../src/site/write/manifest.js';
import { tempDir } from '../../../support/temp-dir.js';
import { post } from '../post.js';

const SITE = 'https://x.example/garden';

function entry(path: string, url: string, date: string): SourceEntry {
  return { ...post(0).entry, path, url, date };
}

test('the search finds the newest articles that have a page, each address once, oldest first', (t) => {
  const stateDir = tempDir(t);
  const outputDir = join(stateDir, 'public');
  const manifest = openManifest(manifestPath({ stateDir }), outputDir);
  const entries = [
    entry('new.md', `${SITE}/notes/new/`, '2026-03-01'),
    entry('old.md', `${SITE}/notes/old/`, '2026-01-01'),
    entry('middle.md', `${SITE}/notes/middle/`, '2026-02-01'),
    entry('copy.md', `${SITE}/notes/new/`, '2026-04-01'),
    entry('unbuilt.md', `${SITE}/notes/unbuilt/`, '2026-05-01'),
    entry('elsewhere.md', 'https://other.example/notes/new/', '2026-05-01'),
  ];
  for (const [crc, slug] of ['old', 'middle', 'new'].entries())
    manifest.setFile(`notes/${slug}/index.html`, { size: 10 + crc, mtimeMs: 1, crc });
  const commit = { key: 'k', reading: 'r', stale: [], everything: () => [] };
  manifest.commit({ ...commit, articles: new Map(entries.map((one) => [one.path, one])) });

  const request = { outputDir, stateDir, siteUrl: SITE, version: '1' };
  const urls = (maxPages?: number) => newestPages({ ...request, maxPages }).map(({ url }) => url);
  t.deepEqual(urls(), ['/notes/old/', '/notes/middle/', '/notes/new/']);
  t.deepEqual(urls(2), ['/notes/middle/', '/notes/new/']);
  t.deepEqual(newestPages({ ...request, maxPages: 1 }), [
    { file: 'notes/new/index.html', url: '/notes/new/', size: 12, crc: 2 },
  ]);
  manifest.commit({ ...commit, articles: new Map([['middle.md', undefined]]) });
  t.deepEqual(urls(), ['/notes/old/', '/notes/new/']);
});
