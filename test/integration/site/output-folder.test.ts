import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { put, testSite } from './test-site.js';

test('the page of a removed article goes, and with it its folder where that is empty', async (t) => {
  const site = testSite(t);
  const path = site.write('a');
  site.write('b');
  await site.builder.buildAll();
  put(join(site.options.outputDir, 'articles/b/picture.png'), 'a person’s');
  fs.rmSync(join(site.options.content.root, path));
  fs.rmSync(join(site.options.content.root, 'articles/b.md'));
  const report = await site.builder.buildChanged([path, 'articles/b.md']);
  t.true(report.removed >= 2);
  t.false(site.has('articles/a'));
  t.deepEqual(fs.readdirSync(join(site.options.outputDir, 'articles/b')), ['picture.png']);
});

test('files that Pressmark did not write are neither deleted nor overwritten', async (t) => {
  const site = testSite(t);
  const foreign = {
    'about/index.html': 'mine',
    'robots.txt': 'User-agent: *',
    'articles/a/index.html': 'mine',
  };
  for (const [file, text] of Object.entries(foreign)) put(join(site.options.outputDir, file), text);
  site.write('a');
  await site.builder.buildAll();
  await site.builder.buildAll({ force: true });
  for (const [file, text] of Object.entries(foreign)) t.is(site.page(file), text);
  t.is(site.logged.length, 2);
});

test('a robots.txt that the owner puts in the place of the built one stays, also where it was made from that', async (t) => {
  const site = testSite(t);
  site.write('a');
  await site.builder.buildAll();
  const built = site.page('robots.txt');
  const later = new Date(Date.now() + 60_000); // what a power loss leaves has the time of our own writing
  for (const mine of ['User-agent: *\nDisallow: /\n', `${built}Disallow: /drafts/\n`]) {
    const file = join(site.options.outputDir, 'robots.txt');
    put(file, mine);
    fs.utimesSync(file, later, later);
    await site.builder.buildAll({ force: true });
    t.is(site.page('robots.txt'), mine);
    const again = testSite(t, { dir: site.dir });
    await again.builder.buildAll({ force: true });
    t.is(site.page('robots.txt'), mine);
    t.true(again.logged.some((line) => line.includes('robots.txt')));
    t.deepEqual(await again.builder.check(), []);
  }
});

test('a page of the owner’s in the place of a built one stays, also where building that page has failed', async (t) => {
  let isBroken = false;
  const site = testSite(t, {
    addHooks: (hooks) =>
      hooks.addFilter(
        'page.html',
        (html, { path }) => {
          if (isBroken && path === '/articles/a/') throw new Error('broken');
          return html;
        },
        { plugin: 'test' },
      ),
  });
  const path = site.write('a');
  await site.builder.buildAll();
  const file = join(site.options.outputDir, 'articles/a/index.html');
  put(file, 'mine');
  const later = new Date(Date.now() + 60_000); // what a power loss leaves has the time of our own writing
  fs.utimesSync(file, later, later);
  isBroken = true;
  site.write('a', { title: 'Newer' });
  t.is((await site.builder.buildChanged([path])).failed, 1);
  isBroken = false;
  await site.builder.buildChanged([]);
  t.is(site.page('articles/a/index.html'), 'mine');

  isBroken = true;
  site.write('a', { title: 'Newest' });
  await site.builder.buildChanged([path]);
  isBroken = false;
  await createBuilder(site.options).buildAll();
  t.is(site.page('articles/a/index.html'), 'mine', 'also after a start');
});

test('a clean build leaves files that only speak of Pressmark', async (t) => {
  const site = testSite(t);
  site.write('a');
  await site.builder.buildAll();
  const mine = {
    'notes.md': '# Pressmark\n\nHow we publish.\n',
    'about.html': '<!doctype html><!-- Pressmark --><p>mine</p>',
    'theme.css': '/* Pressmark colours */',
    'old.html': '<meta name="generator" content="Pressmark Pro">',
  };
  for (const [file, text] of Object.entries(mine)) put(join(site.options.outputDir, file), text);
  fs.rmSync(site.options.stateDir, { recursive: true });
  await testSite(t, { dir: site.dir }).builder.buildAll({ clean: true });
  for (const [file, text] of Object.entries(mine)) t.is(site.page(file), text);
});

test('when the manifest is lost nothing is deleted, and our own pages are built again', async (t) => {
  const site = testSite(t);
  site.write('a');
  site.write('b');
  await site.builder.buildAll();
  fs.rmSync(site.options.stateDir, { recursive: true });
  fs.rmSync(join(site.options.content.root, 'articles/b.md'));
  site.write('a', { title: 'Newer' });
  put(join(site.options.outputDir, 'mine.html'), 'mine');

  const again = testSite(t, { dir: site.dir });
  await again.builder.buildAll();
  t.true(again.page('articles/a/index.html').includes('Newer'));
  t.true(again.has('articles/b/index.html'));
  t.true(again.has('mine.html'));
  t.deepEqual(again.logged, []);
});

test('a manifest with a torn last line is read as far as it goes', async (t) => {
  const site = testSite(t);
  site.write('a');
  await site.builder.buildAll();
  fs.appendFileSync(join(site.options.stateDir, 'site-manifest.ndjson'), '{"file":"articles/a/ind');
  const again = testSite(t, { dir: site.dir });
  t.like(await again.builder.buildAll(), { written: 0, failed: 0 });
});

test('a page that somebody replaced after we wrote it is not deleted with its article', async (t) => {
  const site = testSite(t);
  const path = site.write('a');
  await site.builder.buildAll();
  put(join(site.options.outputDir, 'articles/a/index.html'), 'a farewell');
  fs.rmSync(join(site.options.content.root, path));
  await site.builder.buildChanged([path]);
  t.is(site.page('articles/a/index.html'), 'a farewell');
});

test('a malformed article keeps its last good page and its place on the lists', async (t) => {
  const site = testSite(t);
  const path = site.write('a');
  site.write('b');
  await site.builder.buildAll();
  const before = site.output();
  const file = join(site.options.content.root, path);
  const good = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, good.replace('title: "', 'title: ["'));
  await site.builder.buildChanged([path]);
  await site.builder.buildChanged([path]);
  t.deepEqual(site.output(), before);
  t.is(site.logged.length, 1);
  t.true(site.logged[0]?.includes('malformed'));

  const again = testSite(t, { dir: site.dir });
  await again.builder.buildAll();
  t.true(again.has('articles/a/index.html'));
  t.true(again.page('index.html').includes('Title of a'));

  fs.writeFileSync(file, good.replace('Title of a', 'Mended'));
  await again.builder.buildChanged([path]);
  t.true(again.page('articles/a/index.html').includes('Mended'));
});

test('a build removes temporary files that a crash left behind, but not those of another process at work', async (t) => {
  const site = testSite(t);
  const { outputDir } = site.options;
  put(join(outputDir, '.pressmark-0123.tmp'), 'half');
  put(join(outputDir, '.pressmark-4567.tmp'), 'half');
  fs.utimesSync(join(outputDir, '.pressmark-0123.tmp'), 0, 0);
  await site.builder.buildAll();
  t.deepEqual(
    fs.readdirSync(outputDir).filter((name) => name.startsWith('.')),
    ['.pressmark-4567.tmp'],
  );
});

test('a page that cannot be written is one failure, which the log names, and is tried again', async (t) => {
  const site = testSite(t);
  site.write('a');
  site.write('b');
  fs.mkdirSync(join(site.options.outputDir, 'articles/a/index.html/x'), { recursive: true });
  t.is((await site.builder.buildAll()).failed, 1);
  t.is(site.logged.length, 1);
  t.true(site.logged[0]?.includes('articles/a/index.html'));
  t.true(site.has('articles/b/index.html'));
  fs.rmSync(join(site.options.outputDir, 'articles/a/index.html'), { recursive: true });
  t.is((await site.builder.buildChanged([])).failed, 0);
  t.true(site.page('articles/a/index.html').includes('The body of a'));
});

test('a page without Pressmark’s mark goes with its article, also after a copy has given it another time', async (t) => {
  const site = testSite(t);
  put(join(site.options.templatesDir, 'layout.eta'), '<!doctype html><title>Plain</title><%~ it.body %>\n');
  const [copied, replaced] = [site.write('copied'), site.write('replaced')];
  await site.builder.buildAll();
  const page = (slug: string) => join(site.options.outputDir, `articles/${slug}/index.html`);
  t.notRegex(fs.readFileSync(page('copied'), 'utf8'), /Pressmark/);
  fs.utimesSync(page('copied'), new Date(0), new Date(0)); // as a checkout does
  put(page('replaced'), 'mine');
  for (const path of [copied, replaced]) fs.rmSync(join(site.options.content.root, path));
  await site.builder.buildChanged([copied, replaced]);
  t.false(site.has('articles/copied'));
  t.is(site.page('articles/replaced/index.html'), 'mine');
});

test('a page of the same size that says something else is written', async (t) => {
  const site = testSite(t);
  const path = site.write('a', { title: 'Hives' });
  await site.builder.buildAll();
  site.write('a', { title: 'Bees!' });
  t.true((await site.builder.buildChanged([path])).written > 0);
  t.true(site.page('articles/a/index.html').includes('Bees!'));
});

test('an empty page, which a power loss leaves behind, is built again although the manifest has lost it', async (t) => {
  const site = testSite(t);
  site.write('a');
  fs.mkdirSync(join(site.options.outputDir, 'articles/a'), { recursive: true });
  fs.writeFileSync(join(site.options.outputDir, 'articles/a/index.html'), '');
  await site.builder.buildAll();
  t.true(site.page('articles/a/index.html').includes('The body of a'));
});
