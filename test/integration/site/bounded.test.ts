import test, { type ExecutionContext } from 'ava';
import { type TestSite, testSite } from './test-site.js';

/** More than 1,000 articles also have several sitemaps, which test/unit/site/sitemap.test.ts is about. */
const SIZES = (process.env.PRESSMARK_TEST_SIZES ?? '50,150').split(',').map(Number);

/** A site of so many articles, an hour apart, of seven tags and two authors. */
async function siteOf(t: ExecutionContext, size: number): Promise<TestSite> {
  const site = testSite(t);
  for (let n = 0; n < size; n++) write(site, n);
  await site.builder.build('all');
  return site;
}

function write(site: TestSite, n: number): string {
  const date = new Date(Date.UTC(2026, 0, 1) + n * 3_600_000).toISOString();
  return site.write(`a${n}`, {
    date,
    tags: [`tag ${n % 7}`, `tag ${(n + 1) % 7}`],
    author: `author ${n % 2}`,
  });
}

/** The files that a change writes, with what is another at each size taken out of their names. */
async function writtenBy(site: TestSite, size: number, change: () => Promise<unknown>): Promise<string[]> {
  const before = site.output();
  await change();
  const after = site.output();
  const written = Object.keys(after).filter((file) => after[file] !== before[file]);
  return written
    .map((file) =>
      file.replace(/\d+/g, (n) => (file.startsWith('articles/') ? `new-${size - Number(n)}` : '#')),
    )
    .sort();
}

for (const size of SIZES) {
  test(`a publish at ${size} articles writes its page, its neighbour’s, the lists that name it, feeds and sitemap, and nothing else`, async (t) => {
    const site = await siteOf(t, size);
    const reports: { pages: number; written: number }[] = [];
    const written = await writtenBy(site, size, async () =>
      reports.push(await site.builder.build([write(site, size)])),
    );
    t.deepEqual(written, [
      'archive/index.html',
      'articles/anew-0/index.html', // its page
      'articles/anew-1/index.html', // the one before, which is related too
      'authors/author-#/index.html',
      'feed.json',
      'feed.xml',
      'index.html',
      'rss.xml',
      ...(size > 1_000 ? ['sitemap-#.xml'] : []),
      'sitemap.xml',
      'tags/index.html',
      'tags/tag-#/index.html',
      'tags/tag-#/index.html',
    ]);
    t.is(reports[0]?.written, written.length);
    t.true((reports[0]?.pages ?? 0) <= written.length + 8, 'hardly more is made than is written');
  });
}
