import fs from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { createRandom } from '../../support/random.js';
import { beforeDiskChanges } from '../../support/site-kills.js';
import { put, type TestSite, testSite } from './test-site.js';

/** A site whose texts are compressed. */
function compressedSite(t: ExecutionContext): TestSite {
  const site = testSite(t);
  return { ...site, builder: createBuilder({ ...site.options, compress: true }) };
}

const bytes = ({ options }: TestSite, file: string) => fs.readFileSync(join(options.outputDir, file));
const compressed = (site: TestSite) => Object.keys(site.output()).filter((file) => /\.(?:br|gz)$/.test(file));

/** Every text of some size, and what unpacks from beside it. */
function checkAll(t: ExecutionContext, site: TestSite): void {
  const texts = Object.keys(site.output()).filter((file) => !/\.(?:br|gz)$/.test(file));
  const large = texts.filter((file) => bytes(site, file).length >= 1_024);
  t.deepEqual(compressed(site).sort(), large.flatMap((file) => [`${file}.br`, `${file}.gz`]).sort());
  for (const file of large) {
    t.true(brotliDecompressSync(bytes(site, `${file}.br`)).equals(bytes(site, file)), file);
    t.true(gunzipSync(bytes(site, `${file}.gz`)).equals(bytes(site, file)), file);
  }
}

test('compressed files come with their texts, follow them, and go with them', async (t) => {
  const site = compressedSite(t);
  const paths = ['a', 'b', 'c'].map((slug) => site.write(slug));
  await site.builder.buildAll();
  t.true(site.has('articles/a/index.html.br') && site.has('index.html.gz') && site.has('feed.xml.br'));
  t.true(Object.keys(site.output()).some((file) => /^assets\/style\..*\.css\.br$/.test(file)));
  checkAll(t, site);

  site.write('a', { title: 'Another title' });
  await site.builder.buildChanged(['articles/a.md']);
  t.true(brotliDecompressSync(bytes(site, 'articles/a/index.html.br')).includes('Another title'));
  checkAll(t, site);

  fs.rmSync(join(site.options.content.root, 'articles/b.md'));
  await site.builder.buildChanged(paths);
  t.false(site.has('articles/b'));
  checkAll(t, site);
});

test('a start compresses no text again, but what is missing or older than its text', async (t) => {
  const site = compressedSite(t);
  site.write('a');
  site.write('b');
  await site.builder.buildAll();
  const inodes = () => compressed(site).map((file) => fs.statSync(join(site.options.outputDir, file)).ino);
  const before = inodes();
  await createBuilder({ ...site.options, compress: true }).buildAll();
  t.deepEqual(inodes(), before);

  // As a crash between a page and its compressed files would leave it.
  const page = join(site.options.outputDir, 'articles/a/index.html');
  fs.rmSync(`${page}.br`);
  fs.utimesSync(`${page}.gz`, 1_000, 1_000);
  await createBuilder({ ...site.options, compress: true }).buildAll();
  checkAll(t, site);
});

test('compressed files come with the build after the option is switched on, and go after it is switched off', async (t) => {
  const site = testSite(t);
  site.write('a');
  await site.builder.buildAll();
  t.deepEqual(compressed(site), []);
  await createBuilder({ ...site.options, compress: true }).buildAll();
  checkAll(t, site);
  await createBuilder(site.options).buildAll();
  t.deepEqual(compressed(site), []);
  await createBuilder({ ...site.options, compress: true }).buildAll();
  checkAll(t, site);
});

test('files of plugins and of a theme are compressed; pictures are not', async (t) => {
  const site = testSite(t);
  const text = 'word '.repeat(1_000);
  put(join(site.options.templatesDir, 'assets/menu.js'), `// ${text}`);
  put(join(site.options.templatesDir, 'assets/bee.png'), text);
  const notes = { path: 'notes.txt', render: () => text };
  const outputs = [{ plugin: 'test', output: notes }];
  await createBuilder({ ...site.options, outputs, compress: true }).buildAll();
  t.is(brotliDecompressSync(bytes(site, 'notes.txt.br')).toString(), text);
  t.is(gunzipSync(bytes(site, 'notes.txt.gz')).toString(), text);
  const variants = compressed(site);
  t.true(variants.some((file) => /^assets\/menu\..*\.js\.gz$/.test(file)));
  t.false(variants.some((file) => file.includes('.png')));
});

test('an owner’s page in the place of ours has no compressed files of ours beside it', async (t) => {
  const site = compressedSite(t);
  site.write('a');
  await site.builder.buildAll();
  const page = join(site.options.outputDir, 'articles/a/index.html');
  fs.writeFileSync(page, `<p>${'mine '.repeat(1_000)}</p>`);
  const later = Date.now() / 1_000 + 60;
  fs.utimesSync(page, later, later);
  await site.builder.buildChanged([site.write('a', { title: 'Newer' })]);
  t.true(site.page('articles/a/index.html').includes('mine'));
  t.false(site.has('articles/a/index.html.br') || site.has('articles/a/index.html.gz'));
  await site.builder.buildAll();
  t.false(site.has('articles/a/index.html.br'));
});

/** Compressed files that unpack to another text than the one beside them, or that lie beside none. */
function ofOtherTexts(site: TestSite): string[] {
  return compressed(site).filter((file) => {
    const text = join(site.options.outputDir, file.slice(0, -3));
    const unpack = file.endsWith('.br') ? brotliDecompressSync : gunzipSync;
    return !fs.existsSync(text) || !unpack(bytes(site, file)).equals(fs.readFileSync(text));
  });
}

// Serial: all tests of a process share node:fs.
test.serial(
  'at no moment of a build is there a compressed file of another text, also where it is killed',
  async (t) => {
    const site = compressedSite(t);
    const paths = ['a', 'b', 'c'].map((slug) => site.write(slug, { tags: ['One', slug] }));
    await site.builder.buildAll();
    const [removed = ''] = paths;
    const random = createRandom('a killed build with compressed files');
    let changes = 0;
    for (let session = 0; session < 6; session++) {
      // The first build shows how many changes of the disk there are.
      const most = session === 0 ? Number.POSITIVE_INFINITY : random.integer(0, changes);
      site.write('b', { title: `Session ${session}` });
      if (session % 2 === 0) fs.rmSync(join(site.options.content.root, removed), { force: true });
      else site.write('a');
      changes = 0;
      const found = new Set<string>();
      const restore = beforeDiskChanges(() => {
        if (++changes > most) throw new Error('the process is dead');
        for (const file of ofOtherTexts(site)) found.add(file);
      });
      const builder = createBuilder({ ...site.options, compress: true });
      try {
        await builder.load();
        await builder.buildChanged(paths).catch(() => undefined);
      } catch (error) {
        t.true(String(error).includes('the process is dead'));
      } finally {
        restore();
      }
      t.deepEqual([...found], [], `session ${session}`);
      t.deepEqual(ofOtherTexts(site), []);
      const next = createBuilder({ ...site.options, compress: true });
      t.is((await next.buildAll()).failed, 0);
      checkAll(t, site);
      t.deepEqual(await next.check(), []);
      await Promise.all([builder.close().catch(() => undefined), next.close()]);
    }
    t.true(changes > 0);
  },
);

test('where Pressmark does not compress, compressed files that a person made stay', async (t) => {
  const site = testSite(t);
  site.write('a');
  await site.builder.buildAll();
  const mine = gzipSync(bytes(site, 'index.html'));
  fs.writeFileSync(join(site.options.outputDir, 'index.html.gz'), mine);
  await createBuilder(site.options).buildAll();
  t.true(bytes(site, 'index.html.gz').equals(mine));
});

test('where Pressmark compresses, compressed files that somebody else made stay', async (t) => {
  const site = testSite(t);
  site.write('a');
  const { outputDir } = site.options;
  put(join(outputDir, 'sitemap.xml.gz'), 'no gzip at all');
  fs.mkdirSync(join(outputDir, 'articles/a'), { recursive: true });
  const mine = gzipSync('mine');
  fs.writeFileSync(join(outputDir, 'articles/a/index.html.gz'), mine);
  put(join(outputDir, 'about.html'), `<p>${'mine '.repeat(1_000)}</p>`);
  await createBuilder({ ...site.options, compress: true }).buildAll();
  await site.builder.buildAll();
  t.is(site.page('sitemap.xml.gz'), 'no gzip at all');
  t.true(bytes(site, 'articles/a/index.html.gz').equals(mine));
  t.false(site.has('about.html.gz'));
});

test('a check names compressed files that are missing, of another text or without a text, and a clean build repairs them', async (t) => {
  const site = compressedSite(t);
  site.write('a');
  await site.builder.buildAll();
  t.deepEqual(await site.builder.check(), []);

  const { outputDir } = site.options;
  const page = join(outputDir, 'articles/a/index.html');
  const { atime, mtime } = fs.statSync(page);
  fs.rmSync(join(outputDir, 'index.html.br'));
  fs.writeFileSync(`${page}.gz`, gzipSync('<meta name="generator" content="Pressmark"> of another time'));
  fs.utimesSync(`${page}.gz`, atime, mtime);
  fs.copyFileSync(join(outputDir, 'index.html.gz'), join(outputDir, 'articles/gone.html.gz'));
  fs.writeFileSync(join(outputDir, 'mine.html.gz'), gzipSync('mine'));
  fs.copyFileSync(join(outputDir, 'index.html.gz'), join(outputDir, 'all-pages.tar.gz'));
  const before = site.output();
  t.deepEqual(await site.builder.check(), [
    { file: 'articles/a/index.html.gz', is: 'different' },
    { file: 'articles/gone.html.gz', is: 'surplus' },
    { file: 'index.html.br', is: 'missing' },
  ]);
  t.deepEqual(site.output(), before);

  await site.builder.buildAll({ clean: true });
  t.deepEqual(await site.builder.check(), []);
  t.true(site.has('mine.html.gz') && site.has('all-pages.tar.gz'));
});

test('a check names what was compressed before that was switched off, and nothing that a person has compressed', async (t) => {
  const site = testSite(t);
  site.write('a');
  await site.builder.buildAll();
  const mine = join(site.options.outputDir, 'index.html.gz');
  fs.writeFileSync(mine, gzipSync(bytes(site, 'index.html')));
  t.deepEqual(await site.builder.check(), []);
  fs.rmSync(mine);

  await createBuilder({ ...site.options, compress: true }).buildAll();
  const differences = await site.builder.check();
  t.true(differences.length > 0);
  t.deepEqual(
    differences,
    compressed(site).map((file) => ({ file, is: 'surplus' as const })),
  );
  await createBuilder(site.options).buildAll();
  t.deepEqual(await site.builder.check(), []);
});

test('a clean build makes compressed files also where the manifest was lost', async (t) => {
  const site = testSite(t);
  const options = { ...site.options, compress: true };
  site.write('a');
  await createBuilder(options).buildAll();
  const built = site.output();
  fs.rmSync(options.stateDir, { recursive: true });
  await createBuilder(options).buildAll({ clean: true });
  t.deepEqual(site.output(), built);
});
