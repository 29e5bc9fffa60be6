import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { openBuildState, savedOutputDigest } from '../../../src/site/builder/state.js';
import { put, testSite } from './test-site.js';

test('the page of a removed article goes, and with it its folder where that is empty', async (t) => {
  const site = testSite(t);
  const paths = ['a', 'b'].map((slug) => site.write(slug));
  await site.builder.build('all');
  put(join(site.options.outputDir, 'articles/b/picture.png'), 'a person’s');
  for (const path of paths) fs.rmSync(join(site.options.content.root, path));
  t.true((await site.builder.build(paths)).removed >= 2);
  t.false(site.has('articles/a'));
  t.deepEqual(fs.readdirSync(join(site.options.outputDir, 'articles/b')), ['picture.png']);
});

test('an output in the owner’s own files is refused before anything is written there', async (t) => {
  const site = testSite(t);
  const outputDir = join(site.options.staticDir, 'public');
  const builder = createBuilder({ ...site.options, outputDir });
  await t.throwsAsync(builder.build('all'), {
    code: 'CONFIG_INVALID',
    message: /a folder of your own files/,
  });
  t.false(fs.existsSync(outputDir));
});

test('when the state is lost only pages with Pressmark’s mark are removed, and all others are built again', async (t) => {
  const site = testSite(t);
  for (const slug of ['a', 'b']) site.write(slug);
  await site.builder.build('all');
  const { outputDir, stateDir } = site.options;
  fs.rmSync(stateDir, { recursive: true });
  fs.rmSync(join(site.options.content.root, 'articles/b.md'));
  site.write('a', { title: 'Newer' });
  for (const file of ['mine.html', 'mine.css']) put(join(outputDir, file), 'a person’s');
  put(join(outputDir, '.pressmark-0123.tmp'), 'half of a file, from a crash');

  const again = testSite(t, { dir: site.dir });
  await again.builder.build('all');
  t.true(again.page('articles/a/index.html').includes('Newer'));
  t.true(again.has('mine.html') && again.has('mine.css'));
  t.false(again.has('articles/b/index.html') || again.has('.pressmark-0123.tmp'));
  t.deepEqual(again.logged, []);
});

test('a malformed article keeps its last good page and its place on the lists, also after a start', async (t) => {
  const site = testSite(t);
  const path = site.write('a');
  await site.builder.build('all');
  const shown = () => Object.entries(site.output()).filter(([name]) => !/^(?:feed|rss)\./.test(name));
  const before = shown();
  const file = join(site.options.content.root, path);
  const good = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, good.replace('title: "', 'title: ["'));
  for (let builds = 0; builds < 2; builds++) await site.builder.build([path]);
  t.deepEqual(shown(), before);
  t.is(site.logged.length, 1);
  t.regex(site.logged[0] ?? '', /malformed/);

  const again = testSite(t, { dir: site.dir });
  await again.builder.build('all');
  t.deepEqual(shown(), before);
  fs.writeFileSync(file, good.replace('Title of a', 'Mended'));
  await again.builder.build([path]);
  t.true(again.page('articles/a/index.html').includes('Mended'));
});

test('a page that cannot be written is one failure, which the log names, and is tried again', async (t) => {
  const site = testSite(t);
  for (const slug of ['a', 'b']) site.write(slug);
  put(join(site.options.outputDir, 'articles/a/index.html/x'), '');
  put(join(site.options.stateDir, 'site.output'), '../public');
  t.is((await site.builder.build('all')).failed, 1);
  t.is(site.logged.length, 1);
  t.regex(site.logged[0] ?? '', /articles\/a\/index\.html/);
  t.true(site.has('articles/b/index.html'));
  fs.rmSync(join(site.options.outputDir, 'articles/a'), { recursive: true });
  t.is((await site.builder.build('all')).failed, 0);
  t.true(site.page('articles/a/index.html').includes('The body of a'));
});

test('nothing is written into an output folder that another program has written', async (t) => {
  const site = testSite(t);
  put(join(site.options.outputDir, 'index.html'), '<title>Theirs</title>');
  await t.throwsAsync(site.builder.build('all'), {
    code: 'CONFIG_INVALID',
    message:
      /public\/ contains files that Pressmark did not write, such as index\.html; move them to static\//,
  });
  t.deepEqual(site.output(), { 'index.html': '<title>Theirs</title>' });
});

test('an output folder that was set later is as foreign as the first one, and one that was set before is built anew', async (t) => {
  const site = testSite(t);
  const path = site.write('a');
  const [first, later] = [join(site.dir, 'public'), join(site.dir, 'docs')];
  put(join(site.options.staticDir, 'picture.svg'), 'old');
  const built = async (outputDir: string) => {
    const builder = createBuilder({ ...site.options, outputDir });
    try {
      await builder.build('all');
    } finally {
      await builder.close();
    }
  };
  const { stateDir } = site.options;
  await built(first);
  t.not(savedOutputDigest(stateDir, first), '');
  t.is(savedOutputDigest(stateDir, later), '', 'nothing is deployed from there yet');
  put(join(site.dir, 'docs/index.html'), 'a person’s');
  await t.throwsAsync(built(later), { code: 'CONFIG_INVALID', message: /^docs\/ contains files/ });
  t.is(fs.readFileSync(join(site.dir, 'docs/index.html'), 'utf8'), 'a person’s');

  fs.rmSync(join(site.dir, 'docs/index.html'));
  fs.rmSync(join(site.options.content.root, path));
  put(join(site.options.staticDir, 'picture.svg'), 'new');
  await built(later);
  t.is(savedOutputDigest(stateDir, first), '');
  await openBuildState(stateDir, first, site.options.log).begin();
  t.is(savedOutputDigest(stateDir, first), '', 'what is there is that of an earlier build');
  await built(first);
  t.is(site.page('picture.svg'), 'new');
  t.false(site.has('articles/a'));
});

test('a file can take the place of a folder, and the other way round; of two that exclude each other the owner’s file stays', async (t) => {
  const site = testSite(t);
  site.write('a');
  const own = join(site.options.staticDir, 'about');
  const page = join(site.options.content.root, 'pages/about.md');
  put(own, 'the owner’s');
  put(join(site.options.staticDir, 'articles/a'), 'in the place of the article');
  for (const isFile of [true, false, true]) {
    if (isFile) fs.rmSync(page, { force: true });
    else put(page, '---\ntitle: About\n---\n');
    if (isFile) put(own, 'the owner’s');
    else fs.rmSync(own);
    t.is((await site.builder.build('all')).failed, 0);
    t.is(site.has('about/index.html'), !isFile);
    t.is(site.page('articles/a'), 'in the place of the article');
  }
  t.deepEqual(site.logged, []);
});
