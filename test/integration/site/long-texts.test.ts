import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import test from 'ava';
import { testSite } from './test-site.js';

// What a signed delivery may hold: texts of nearly a megabyte, and tens of thousands of tags.

const LONG = 'a word and another one, '.repeat(20_000);

test('of an article with thousands of tags a hundred get pages, and the next article is built like any other', async (t) => {
  const site = testSite(t);
  site.write('a');
  await site.builder.build('all');
  const tags = [' ', 'tag 1', ...Array.from({ length: 2_000 }, (_, n) => `tag ${n}`)];
  t.true((await site.builder.build([site.write('many', { tags })])).pages < 150);
  const folders = fs.readdirSync(join(site.options.outputDir, 'tags'));
  t.is(folders.length, 100 + ['one', 'index.html'].length);
  t.is(site.page('articles/many/index.html').match(/rel="tag"/g)?.length, 100);
  t.true((await site.builder.build([site.write('next')])).pages < 20);
});

test('an article’s own page shows its whole texts; other pages and the feeds show the beginning of long ones', async (t) => {
  const site = testSite(t);
  const image = `https://x.example/${'i'.repeat(50_000)}.png`;
  const long = { title: `Title ${LONG}`, description: `Description ${LONG}`, image };
  site.write('long', { ...long, author: `Author ${LONG}`, tags: [`Tag ${LONG}`, 'One'] });
  site.write('undated', { date: `2026 ${LONG}` });
  t.is((await site.builder.build('all')).failed, 0);
  const page = site.page('articles/long/index.html');
  for (const text of Object.values(long)) t.true(page.includes(text), text.slice(0, 20));
  for (const [file, text] of Object.entries(site.output()))
    if (!/^articles\/(?:long|undated)\//.test(file)) t.true(text.length < 40_000, `${file}: ${text.length}`);
  for (const file of ['index.html', 'feed.json', 'tags/one/index.html'])
    t.regex(site.page(file), /(?:Description|Title) a word and .*…/, file);
});

test('what a receiver and a builder keep of articles does not grow with their texts', async (t) => {
  const site = testSite(t);
  const worker = new Worker(new URL('./memory-worker.js', import.meta.url), { workerData: site.dir });
  const [keptBytes] = await once(worker, 'message');
  // Of 10.8 MB; the builder keeps up to 6 MB of texts for what is built next.
  t.true(keptBytes < 7_000_000, `${keptBytes} bytes`);
  await once(worker, 'exit');
  const { size } = fs.statSync(join(site.options.stateDir, 'site.json'));
  t.true(size < 36_000, `${size} bytes`);
});
