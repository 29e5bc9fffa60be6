import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { builtAnew, put, SITE_URL, type TestSite, testSite } from './test-site.js';

test('articles that stream in while the site is built come to be as a clean build makes them', async (t) => {
  const site = testSite(t, { pageSize: 3 });
  for (let n = 0; n < 15; n++) site.write(`a${n}`);
  const builds = [site.builder.build('all')];
  for (let n = 0; n < 15; n++) {
    await sleep(5);
    builds.push(site.builder.build([site.write(`b${n % 10}`, { title: `Title ${n}` })]));
  }
  const reports = await Promise.all(builds);
  t.true(reports.every(({ failed }) => failed === 0));
  t.deepEqual(site.output(), await builtAnew(site.options));
});

test('what is asked for before a build begins is one build, whose report says for which files it was', async (t) => {
  const site = testSite(t);
  const builder = createBuilder(site.options);
  t.teardown(() => builder.close());
  const all = builder.build([site.write('a')]);
  t.is(builder.build('all'), all);
  t.deepEqual((await all).paths, []);
  const changed = ['b', 'c'].map((slug) => site.write(slug));
  const [ofB, ofC] = changed.map((path) => builder.build([path]));
  t.is(ofB, ofC);
  t.deepEqual((await ofB)?.paths, changed);
});

test.serial('an unchanged site writes nothing, and a start reads no unchanged article', async (t) => {
  const site = testSite(t);
  for (const slug of ['a', 'b', 'c']) site.write(slug);
  await site.builder.build('all');
  t.like(await site.builder.build('all'), { written: 0, removed: 0 });

  const again = testSite(t, { dir: site.dir });
  const read: string[] = [];
  beforeReads(t, site, (path) => read.push(path));
  t.like(await again.builder.build('all'), { written: 0, removed: 0, failed: 0 });
  t.deepEqual(read, []);
});

test('the page of a new article is made in the middle of a build of everything, while its pages are made', async (t) => {
  let isNewThere = false;
  const site = testSite(t, {
    addHooks: (hooks) =>
      hooks.addFilter(
        'page.html',
        async (html, { path }) => {
          if (path !== '/articles/m/' || isNewThere) return html;
          isNewThere = true;
          void site.builder.build([site.write('new')]);
          await sleep(50); // longer than a build keeps its thread for itself
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
});

test.serial(
  'the page of a new article does not wait for the reading of all others, and is right in the end',
  async (t) => {
    const site = testSite(t);
    for (const slug of ['a', 'b', 'c', 'd']) site.write(slug);
    put(join(site.options.content.root, 'pages/about.md'), '---\ntitle: About\nnavigation: true\n---\nUs.\n');
    const copy = site.write('e-copy', { url: `${SITE_URL}/articles/a/` });
    const seen: string[] = [];
    let later: Promise<unknown> | undefined;
    beforeReads(t, site, () => {
      seen.push(['a', 'asked', 'later'].filter((slug) => site.has(`articles/${slug}/index.html`)).join());
      if (seen.length === 3) {
        later = site.builder.build([site.write('later')]);
        t.true(site.page('articles/asked/index.html').includes('/about/'), 'the navigation is whole');
      }
      for (const end = performance.now() + 15; performance.now() < end; ); // longer than a build keeps its thread for itself
    });
    void site.builder.build([site.write('asked'), copy]);
    await site.builder.build('all');
    // The page of an article that is not read yet is not that of its copy.
    t.deepEqual([seen[1], seen[2], seen.at(-1)], ['', 'asked', 'asked,later']);
    await later;
    t.deepEqual(site.output(), await builtAnew(site.options));
  },
);

/** Calls a function before each article of a site is read, until the test ends. */
function beforeReads(t: ExecutionContext, { options }: TestSite, act: (path: string) => void): void {
  const { openSync } = fs;
  t.teardown(() => Object.assign(fs, { openSync }));
  fs.openSync = (path, flags, mode) => {
    if (String(path).startsWith(options.content.root)) act(String(path));
    return openSync(path, flags, mode);
  };
}
