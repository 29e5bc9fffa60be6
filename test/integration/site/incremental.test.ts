import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { forgetBoot } from '../../support/boot.js';
import { builtAnew, put, SITE_URL, testSite } from './test-site.js';

test('after every change the output is what a clean build makes, byte by byte', async (t) => {
  const site = testSite(t, { pageSize: 3 });
  const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString();
  for (const n of [1, 2, 7, 8, 9, 10, 11, 12, 13])
    site.write(`a${n}`, { date: day(n), tags: ['One', n % 2 ? 'Odd' : 'Even'] });
  await site.builder.buildAll();
  const content = (path: string) => join(site.options.content.root, path);

  const steps: Record<string, () => string[]> = {
    'a new article': () => [site.write('new', { date: day(90), tags: ['New', 'One'] })],
    'one that is older than others': () => [site.write('old', { date: day(3), tags: ['Odd'] })],
    'an update': () => [site.write('a7', { date: day(7), title: 'Other', updated: day(99), tags: ['Odd'] })],
    'an edit by hand': () => {
      const path = content('articles/a8.md');
      fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace(/The body of a8/g, 'An *edited* body'));
      return ['articles/a8.md'];
    },
    'another date': () => [site.write('a9', { date: day(70) })],
    'other tags': () => [site.write('a10', { date: day(10), tags: ['one', 'Fresh'] })],
    'a tag that takes the plain address': () => [site.write('a1', { date: day(1), tags: ['one'] })],
    'a removal': () => {
      fs.rmSync(content('articles/a2.md'));
      return ['articles/a2.md'];
    },
    'the last article of a tag': () => {
      fs.rmSync(content('articles/new.md'));
      return ['articles/new.md'];
    },
    'another URL': () => [site.write('a11', { date: day(11), url: `${SITE_URL}/elsewhere/a11.html` })],
    'a copy at the same URL': () => [site.write('a0', { date: day(5), url: `${SITE_URL}/articles/a12/` })],
    'the copy’s end': () => {
      fs.rmSync(content('articles/a0.md'));
      return ['articles/a0.md'];
    },
    'several at once': () => {
      fs.rmSync(content('articles/a13.md'));
      return ['articles/a13.md', site.write('z1', { date: day(100) }), site.write('z2', { date: day(50) })];
    },
  };
  for (const [name, change] of Object.entries(steps)) {
    const report = await site.builder.buildChanged(change());
    t.is(report.failed, 0, name);
    t.deepEqual(site.output(), await builtAnew(site.options), name);
  }
});

test.serial('an unchanged site writes nothing, and a start reads no unchanged article', async (t) => {
  const site = testSite(t);
  for (const slug of ['a', 'b', 'c']) site.write(slug);
  await site.builder.buildAll();
  t.like(await site.builder.buildAll(), { written: 0, removed: 0 });

  const again = testSite(t, { dir: site.dir });
  const reads = countReads(t, site.options.content.root);
  t.like(await again.builder.buildAll(), { written: 0, removed: 0, failed: 0 });
  // Nothing has to know more than the manifest says.
  t.is(reads.count, 0);
});

test.serial('what changed while nothing ran is built at the start', async (t) => {
  const site = testSite(t);
  for (const slug of ['a', 'b', 'c', 'd']) site.write(slug);
  await site.builder.buildAll();
  site.write('a', { title: 'Changed' });
  fs.rmSync(join(site.options.content.root, 'articles/b.md'));
  site.write('e');

  const again = testSite(t, { dir: site.dir });
  await again.builder.buildAll();
  t.true(again.page('articles/a/index.html').includes('Changed'));
  t.false(again.has('articles/b'));
  t.deepEqual(again.output(), await builtAnew(again.options));
});

test('a page that a power loss has cut off, or that was removed, is written again at the start', async (t) => {
  const site = testSite(t);
  for (const slug of ['a', 'b', 'c']) site.write(slug);
  await site.builder.buildAll();
  const before = site.output();
  const file = join(site.options.outputDir, 'articles/a/index.html');
  const { atime, mtime } = fs.statSync(file);
  fs.truncateSync(file, 100);
  fs.utimesSync(file, atime, mtime); // what is changed later may be somebody's own
  fs.rmSync(join(site.options.outputDir, 'articles/b/index.html'));
  forgetBoot(site.options.stateDir);
  t.is((await testSite(t, { dir: site.dir }).builder.buildAll()).written, 2);
  t.deepEqual(site.output(), before);
});

test('a builder that has built nothing builds everything at its first change', async (t) => {
  const site = testSite(t);
  site.write('a');
  await site.builder.buildChanged([site.write('b')]);
  t.true(site.has('articles/a/index.html') && site.has('articles/b/index.html'));
});

test('another template builds every page anew', async (t) => {
  const site = testSite(t);
  for (const slug of ['a', 'b', 'c']) site.write(slug);
  await site.builder.buildAll();
  put(
    join(site.options.templatesDir, 'article.eta'),
    '<% layout("./layout") %><h1>Mine: <%= it.title %></h1>',
  );
  await site.builder.buildAll();
  t.true(site.page('articles/a/index.html').includes('<h1>Mine: Title of a</h1>'));
  t.deepEqual(site.output(), await builtAnew(site.options));
});

test('two builders on one folder leave what both were told of', async (t) => {
  const one = testSite(t);
  const two = testSite(t, { dir: one.dir });
  one.write('a');
  await one.builder.buildAll();
  await two.builder.buildAll();
  const paths = ['b', 'c', 'd', 'e'].map((slug) => one.write(slug));
  await Promise.all(paths.map((path, index) => (index % 2 ? one.builder : two.builder).buildChanged([path])));
  await one.builder.buildChanged([]);
  t.deepEqual(one.output(), await builtAnew(one.options));
});

function countReads(t: { teardown(undo: () => void): void }, root: string): { count: number } {
  const reads = { count: 0 };
  const { openSync } = fs;
  fs.openSync = (path, flags, mode) => {
    if (String(path).startsWith(root)) reads.count++;
    return openSync(path, flags, mode);
  };
  t.teardown(() => {
    fs.openSync = openSync;
  });
  return reads;
}
