import fs from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { createBuilder } from '../../../src/site/build.js';
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

test('nothing is compressed twice, and what is missing or of another time is made at the next start', async (t) => {
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

test('switched on later they come, switched off they go', async (t) => {
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

test('pages that a person has compressed, where Pressmark does not, are the person’s', async (t) => {
  const site = testSite(t);
  site.write('a');
  await site.builder.buildAll();
  const mine = gzipSync(bytes(site, 'index.html'));
  fs.writeFileSync(join(site.options.outputDir, 'index.html.gz'), mine);
  await createBuilder(site.options).buildAll();
  t.true(bytes(site, 'index.html.gz').equals(mine));
});

test('compressed files that somebody else made stay', async (t) => {
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
