import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { put, testSite } from './test-site.js';

test('the page of a removed article goes, and with it its folder where that is empty', async (t) => {
  const site = testSite(t);
  const path = site.write('a');
  site.write('b');
  await site.builder.build('all');
  put(join(site.options.outputDir, 'articles/b/picture.png'), 'a person’s');
  fs.rmSync(join(site.options.content.root, path));
  fs.rmSync(join(site.options.content.root, 'articles/b.md'));
  const report = await site.builder.build([path, 'articles/b.md']);
  t.true(report.removed >= 2);
  t.false(site.has('articles/a'));
  t.deepEqual(fs.readdirSync(join(site.options.outputDir, 'articles/b')), ['picture.png']);
});

test('when the state is lost only pages with Pressmark’s mark are removed, and all others are built again', async (t) => {
  const site = testSite(t);
  site.write('a');
  site.write('b');
  await site.builder.build('all');
  fs.rmSync(site.options.stateDir, { recursive: true });
  fs.rmSync(join(site.options.content.root, 'articles/b.md'));
  site.write('a', { title: 'Newer' });
  put(join(site.options.outputDir, 'mine.html'), 'mine');

  const again = testSite(t, { dir: site.dir });
  await again.builder.build('all');
  t.true(again.page('articles/a/index.html').includes('Newer'));
  t.false(again.has('articles/b/index.html'));
  t.true(again.has('mine.html'));
  t.deepEqual(again.logged, []);
});

test('when the state is lost, old style sheets and parts of the sitemap go, also where a theme’s head names no generator', async (t) => {
  const site = testSite(t);
  put(join(site.options.templatesDir, 'partials/head.eta'), '<title><%= it.title %></title>');
  site.write('a');
  await site.builder.build('all');
  fs.rmSync(site.options.stateDir, { recursive: true });
  const { outputDir, templatesDir } = site.options;
  fs.copyFileSync(join(outputDir, 'sitemap.xml'), join(outputDir, 'sitemap-2.xml'));
  put(join(templatesDir, 'custom.css'), 'p { color: red }');
  put(join(outputDir, 'assets/style.0123abcd.css'), 'a person’s');

  const again = testSite(t, { dir: site.dir });
  await again.builder.build('all');
  t.false(again.has('sitemap-2.xml'));
  t.is(fs.readdirSync(join(outputDir, 'assets')).filter((name) => name.startsWith('style.')).length, 2);
  t.true(again.has('assets/style.0123abcd.css'));
});

test('a malformed article keeps its last good page and its place on the lists', async (t) => {
  const site = testSite(t);
  const path = site.write('a');
  site.write('b');
  await site.builder.build('all');
  const shown = () => Object.entries(site.output()).filter(([name]) => !/^(?:feed|rss)\./.test(name));
  const before = shown();
  const file = join(site.options.content.root, path);
  const good = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, good.replace('title: "', 'title: ["'));
  await site.builder.build([path]);
  await site.builder.build([path]);
  t.deepEqual(shown(), before);
  t.is(site.logged.length, 1);
  t.true(site.logged[0]?.includes('malformed'));

  const again = testSite(t, { dir: site.dir });
  await again.builder.build('all');
  t.true(again.has('articles/a/index.html'));
  t.true(again.page('index.html').includes('Title of a'));

  fs.writeFileSync(file, good.replace('Title of a', 'Mended'));
  await again.builder.build([path]);
  t.true(again.page('articles/a/index.html').includes('Mended'));
});

test('a build removes temporary files that a crash left behind', async (t) => {
  const site = testSite(t);
  const { outputDir } = site.options;
  put(join(outputDir, '.pressmark-0123.tmp'), 'half');
  await site.builder.build('all');
  t.deepEqual(
    fs.readdirSync(outputDir).filter((name) => name.startsWith('.')),
    [],
  );
});

test('a page that cannot be written is one failure, which the log names, and is tried again', async (t) => {
  const site = testSite(t);
  site.write('a');
  site.write('b');
  await site.builder.build('all');
  site.write('a', { title: 'Newer' });
  fs.rmSync(join(site.options.outputDir, 'articles/a/index.html'));
  fs.mkdirSync(join(site.options.outputDir, 'articles/a/index.html/x'), { recursive: true });
  t.is((await site.builder.build(['articles/a.md'])).failed, 1);
  t.is(site.logged.length, 1);
  t.true(site.logged[0]?.includes('articles/a/index.html'));
  t.true(site.has('articles/b/index.html'));
  fs.rmSync(join(site.options.outputDir, 'articles/a/index.html'), { recursive: true });
  t.is((await site.builder.build('all')).failed, 0);
  t.true(site.page('articles/a/index.html').includes('The body of a'));
});
