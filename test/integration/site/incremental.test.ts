import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { builtAnew, SITE_URL, testSite } from './test-site.js';

test('after every change the output is what a clean build makes, byte by byte', async (t) => {
  const site = testSite(t, { pageSize: 3 });
  const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString();
  for (const n of [1, 2, 7, 8, 9, 10, 11, 12, 13])
    site.write(`a${n}`, { date: day(n), tags: ['One', n % 2 ? 'Odd' : 'Even'] });
  await site.builder.build('all');
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
    const report = await site.builder.build(change());
    t.is(report.failed, 0, name);
    t.deepEqual(site.output(), await builtAnew(site.options), name);
  }
});

test('articles that stream in while the site is built come to be as a clean build makes them', async (t) => {
  const site = testSite(t, { pageSize: 3 });
  for (let n = 0; n < 40; n++) site.write(`a${n}`);
  const builds = [site.builder.build('all')];
  for (let n = 0; n < 40; n++) {
    await sleep(5);
    builds.push(site.builder.build([site.write(`b${n % 25}`, { title: `Title ${n}` })]));
  }
  const reports = await Promise.all(builds);
  t.true(reports.every(({ failed }) => failed === 0));
  t.deepEqual(site.output(), await builtAnew(site.options));
});

test.serial('an unchanged site writes nothing, and a start reads no unchanged article', async (t) => {
  const site = testSite(t);
  for (const slug of ['a', 'b', 'c']) site.write(slug);
  await site.builder.build('all');
  t.like(await site.builder.build('all'), { written: 0, removed: 0 });

  const again = testSite(t, { dir: site.dir });
  const reads = countReads(t, site.options.content.root);
  t.like(await again.builder.build('all'), { written: 0, removed: 0, failed: 0 });
  t.is(reads.count, 0);
});

test.serial('what changed while nothing ran is built at the start', async (t) => {
  const site = testSite(t);
  for (const slug of ['a', 'b', 'c', 'd']) site.write(slug);
  await site.builder.build('all');
  site.write('a', { title: 'Changed' });
  fs.rmSync(join(site.options.content.root, 'articles/b.md'));
  site.write('e');

  const again = testSite(t, { dir: site.dir });
  await again.builder.build('all');
  t.true(again.page('articles/a/index.html').includes('Changed'));
  t.false(again.has('articles/b'));
  t.deepEqual(again.output(), await builtAnew(again.options));
});

test('a page that was removed is written again at the start', async (t) => {
  const site = testSite(t);
  for (const slug of ['a', 'b']) site.write(slug);
  await site.builder.build('all');
  const before = site.output();
  fs.rmSync(join(site.options.outputDir, 'articles/b/index.html'));
  t.is((await testSite(t, { dir: site.dir }).builder.build('all')).written, 1);
  t.deepEqual(site.output(), before);
});

test('the pages of new articles are made in the middle of a build of everything', async (t) => {
  let isNewThere = false;
  const site = testSite(t, {
    addHooks: (hooks) =>
      hooks.addFilter(
        'page.html',
        async (html, { path }) => {
          if (path !== '/articles/m/' || isNewThere) return html;
          isNewThere = true;
          void site.builder.build([site.write('new')]);
          // Longer than a build keeps its thread for itself.
          await new Promise((resolve) => setTimeout(resolve, 50));
          return html;
        },
        { plugin: 'test' },
      ),
  });
  for (const slug of ['m', 'x', 'y', 'z']) site.write(slug);
  const seen: boolean[] = [];
  await site.builder.build('all', { onProgress: () => seen.push(site.has('articles/new/index.html')) });
  t.true(seen.at(-1), 'before the build has ended');
  await site.builder.build([]);
  t.true(site.page('index.html').includes('Title of new'));
  t.deepEqual(Object.keys(site.output()).filter((file) => file.startsWith('articles/')).length, 5);
});

test('a builder that has built nothing builds everything at its first change', async (t) => {
  const site = testSite(t);
  site.write('a');
  await site.builder.build([site.write('b')]);
  t.true(site.has('articles/a/index.html') && site.has('articles/b/index.html'));
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
