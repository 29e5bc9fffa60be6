import fs from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { builtAnew, type TestSite, testSite } from './test-site.js';

test('the own page of an article that comes during a build is made next, before the lists of that build', async (t) => {
  let come: (() => void) | undefined;
  const site = testSite(t, {
    addHooks: (hooks) =>
      hooks.addFilter(
        'page.html',
        (html, { path }) => {
          if (path === '/') come?.();
          return html;
        },
        { plugin: 'test' },
      ),
  });
  site.write('a');
  await site.builder.build('all');
  const later: string[] = [];
  come = () => {
    if (later.length === 0) later.push(site.write('later'));
    site.builder.first(later);
  };
  const { files, paths } = await site.builder.build([site.write('one')]);
  const [page, lists] = ['articles/later/index.html', ['archive/index.html', 'tags/one/index.html']];
  t.is(files.indexOf(page), files.indexOf('index.html') + 1, files.join());
  t.deepEqual(paths, ['articles/one.md']);
  for (const list of lists) {
    t.true(files.indexOf(list) > files.indexOf(page), list);
    t.false(site.page(list).includes('Title of later'), 'a build makes what it has planned');
  }
  t.true(site.has(page), 'nor is what it has not planned removed');
  await site.builder.build(later);
  t.deepEqual(site.output(), await builtAnew(site.options));
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

/** Calls a function before each article of a site is read, until the test ends. */
function beforeReads(t: ExecutionContext, { options }: TestSite, act: (path: string) => void): void {
  const { openSync } = fs;
  t.teardown(() => Object.assign(fs, { openSync }));
  fs.openSync = (path, flags, mode) => {
    if (String(path).startsWith(options.content.root)) act(String(path));
    return openSync(path, flags, mode);
  };
}
