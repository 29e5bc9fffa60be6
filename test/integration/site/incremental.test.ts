import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { builtAnew, pathOf, put, SITE_URL, type TestSite, testSite } from './test-site.js';

/** A site in which a function is called for each page that is made. */
function watchedSite(t: ExecutionContext, onPage: (path: string, html: string) => unknown): TestSite {
  const watch = (html: string, { path }: { readonly path: string }) => {
    onPage(path, html);
    return html;
  };
  return testSite(t, { filters: { test: { 'page.html': watch } } });
}

test('the page of an article that comes during a build is made next, before the lists of that build, and is in the report of the next one, too', async (t) => {
  const made: string[] = [];
  let come: (() => void) | undefined;
  const site = watchedSite(t, (path) => {
    made.push(path);
    if (path === '/') come?.();
  });
  site.write('a');
  await site.builder.build('all');
  const later: string[] = [];
  come = () => {
    if (later.length === 0) later.push(site.write('later'));
    site.builder.first(later);
  };
  const { files, paths } = await site.builder.build([site.write('one')]);
  const page = 'articles/later/index.html';
  t.is(made.lastIndexOf('/articles/later/'), made.lastIndexOf('/') + 1, made.join());
  t.true(made.lastIndexOf('/archive/') > made.lastIndexOf('/articles/later/'));
  t.deepEqual(paths, ['articles/one.md']);
  for (const list of ['archive/index.html', 'tags/one/index.html'])
    t.false(site.page(list).includes('Title of later'), 'a build makes what it has planned');
  t.true(site.has(page), 'nor is what it has not planned removed');
  t.true(files.includes(page));
  t.true((await site.builder.build(later)).files.includes(page));
  t.deepEqual(site.output(), await builtAnew(site.options));
});

test('a page that comes first links a style sheet that is there; one that comes during a build and cannot be made as it is meant is a failure of that build', async (t) => {
  const links: boolean[] = [];
  let come: (() => void) | undefined;
  const site = watchedSite(t, (path, html) => {
    const [sheet = 'none'] = /assets\/style\.[0-9a-f]+\.css/.exec(html) ?? [];
    if (path === '/articles/first/') links.push(site.has(sheet));
    if (path === '/articles/later/') throw new Error('no luck');
    if (path === '/') come?.();
  });
  site.write('a');
  await site.builder.build('all');
  put(join(site.dir, 'templates/style.css'), '.mine {}');
  site.builder.first([site.write('first')]);
  await site.builder.build('all');
  t.true(links[0]);
  come = () => site.builder.first([site.write('later')]);
  const { failed, failures } = await site.builder.build([site.write('one')]);
  t.is(failed, 1);
  t.regex(JSON.stringify(failures), /no luck/);
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

test('an article without title and id has them from its file’s name, also after that is changed', async (t) => {
  const site = testSite(t);
  const text = `---\nurl: ${SITE_URL}/x/\ndate: soon\n---\nWords.\n`;
  const [before, after] = [pathOf('soil'), pathOf('moss')];
  const { root } = site.options.content;
  put(join(root, before), text);
  await site.builder.build('all');
  t.true(site.page('x/index.html').includes('<h1>soil</h1>'));
  t.regex(site.page('x/index.html'), /<span>soon<\/span>/, 'what is no date is not marked as one');
  fs.renameSync(join(root, before), join(root, after));
  await site.builder.build([before, after]);
  for (const page of ['x/index.html', 'index.html', 'archive/index.html'])
    t.true(site.page(page).includes('moss') && !site.page(page).includes('soil'), page);
});
