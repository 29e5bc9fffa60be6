import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { manifestPath } from '../../../src/site/write/manifest.js';
import { forgetBoot } from '../../support/boot.js';
import { builtAnew, pathOf, put, type TestSite, testSite } from './test-site.js';

// What a power loss leaves, made by hand: sizes and times are as they were written, bytes are not.

/** What may be left of a file's bytes. */
const LEFT = {
  nothing: () => Buffer.alloc(0),
  zeros: (bytes) => Buffer.alloc(bytes.length),
  'its first half': (bytes) => bytes.subarray(0, bytes.length / 2),
  'its first half and zeros': (bytes) => Buffer.concat([bytes.subarray(0, bytes.length / 2)], bytes.length),
  'the bytes of another file': (bytes) => Buffer.alloc(bytes.length, 'Other words. '),
} satisfies Record<string, (bytes: Buffer) => Buffer>;

function damage(path: string, vacated: (bytes: Buffer) => Buffer): void {
  const bytes = fs.readFileSync(path);
  fs.renameSync(path, `${path}.old`);
  fs.writeFileSync(path, vacated(bytes));
  // To the nanosecond, which Node.js cannot.
  execFileSync('touch', ['-r', `${path}.old`, path]);
  fs.rmSync(`${path}.old`);
}

/** A site that was built by a process that has not come to its end. */
async function builtSite(t: ExecutionContext, options: { compress?: boolean } = {}): Promise<TestSite> {
  const site = testSite(t, { pageSize: 3 });
  const all = { ...site.options, ...options };
  for (let n = 1; n <= 5; n++) site.write(`a${n}`, { date: `2026-01-0${n}T08:00:00Z`, tags: ['One'] });
  await createBuilder(all).buildAll();
  forgetBoot(site.options.stateDir);
  return { ...site, options: all };
}

const fileIn = ({ options }: TestSite, file: string) => join(options.outputDir, file);

/** The same without the manifest's lines behind those that were synced. */
function withoutLaterLines(site: TestSite): void {
  const path = manifestPath(site.options);
  const lines = fs.readFileSync(path, 'utf8').split('\n');
  const last = lines.findLastIndex((line) => line.startsWith('{"announced"'));
  fs.writeFileSync(path, `${lines.slice(0, last + 1).join('\n')}\n`);
}

/** What a sync at the end of a process leaves. */
function afterCleanStop(site: TestSite): void {
  fs.appendFileSync(manifestPath(site.options), '{"unsynced":[]}\n');
}

for (const [what, vacated] of Object.entries(LEFT))
  test(`pages of which a power loss has left ${what} are built again before the site counts as whole`, async (t) => {
    const site = await builtSite(t);
    const style = Object.keys(site.output()).find((file) => /^assets\/style\..*\.css$/.test(file)) ?? '';
    const files = ['articles/a2/index.html', 'index.html', 'feed.xml', 'favicon.svg', 'sitemap.xml', style];
    for (const file of files) damage(fileIn(site, file), vacated);
    t.true(await createBuilder(site.options).load());
    t.deepEqual(site.output(), await builtAnew(site.options));
  });

test('pages are built again where the manifest has lost what it said of them, but for their names', async (t) => {
  const changes: readonly ((site: TestSite) => void)[] = [
    withoutLaterLines,
    (site) => {
      const { length } = fs.readFileSync(manifestPath(site.options));
      withoutLaterLines(site);
      fs.truncateSync(manifestPath(site.options), length);
    },
    (site) => {
      const bytes = fs.readFileSync(manifestPath(site.options));
      bytes.fill('Other words. ', bytes.indexOf('{"file":"index.html"'));
      fs.writeFileSync(manifestPath(site.options), bytes);
    },
  ];
  for (const change of changes) {
    const site = await builtSite(t);
    for (const file of ['articles/a2/index.html', 'index.html', 'feed.xml'])
      damage(fileIn(site, file), LEFT['the bytes of another file']);
    change(site);
    const builder = createBuilder(site.options);
    await builder.load();
    await builder.buildAll();
    t.deepEqual(site.output(), await builtAnew(site.options));
  }
});

test('where the whole manifest is lost, the site does not count as whole before everything was built', async (t) => {
  for (const text of ['', '\0'.repeat(5_000), 'Other words.\n']) {
    const site = await builtSite(t);
    damage(fileIn(site, 'articles/a2/index.html'), LEFT.zeros);
    damage(fileIn(site, 'index.html'), LEFT['its first half and zeros']);
    fs.writeFileSync(manifestPath(site.options), text);
    const builder = createBuilder(site.options);
    t.false(await builder.load());
    await builder.buildAll();
    t.deepEqual(site.output(), await builtAnew(site.options));
  }
});

test('files that the owner has put into the output folder stay after an unclean stop, whatever is left of the manifest', async (t) => {
  for (const change of [() => undefined, withoutLaterLines]) {
    const site = testSite(t);
    const mine = { 'robots.txt': 'mine', 'articles/a1/index.html': 'mine', 'pictures/bee.png': '\0\x01' };
    for (const [file, text] of Object.entries(mine)) put(fileIn(site, file), text);
    for (const slug of ['a1', 'a2']) site.write(slug);
    await site.builder.buildAll();
    damage(fileIn(site, 'articles/a2/index.html'), LEFT.zeros);
    change(site);
    forgetBoot(site.options.stateDir);
    const again = createBuilder(site.options);
    await again.load();
    await again.buildAll();
    for (const [file, text] of Object.entries(mine)) t.is(site.page(file), text);
    t.true(site.page('articles/a2/index.html').includes('The body of a2'));
  }
});

test('after an unclean stop without a power loss no page is read', async (t) => {
  const site = await builtSite(t);
  await createBuilder(site.options).load(); // this one checks
  const page = fileIn(site, 'articles/a2/index.html');
  damage(page, LEFT['the bytes of another file']);
  const before = fs.readFileSync(page);
  await createBuilder(site.options).load();
  t.true(fs.readFileSync(page).equals(before));
});

test('damaged pages that were only looked at are built again by the next start', async (t) => {
  const site = await builtSite(t);
  damage(fileIn(site, 'articles/a2/index.html'), LEFT['the bytes of another file']);
  const looking = createBuilder(site.options);
  await looking.check();
  await looking.close();
  t.true(await createBuilder(site.options).load());
  t.deepEqual(site.output(), await builtAnew(site.options));
});

test('a damaged page that cannot be built goes; one that its owner has changed since stays', async (t) => {
  const site = await builtSite(t);
  for (const slug of ['a2', 'a3']) put(join(site.options.content.root, pathOf(slug)), '---\nslug: [\n---\n');
  damage(fileIn(site, 'articles/a2/index.html'), LEFT['the bytes of another file']);
  put(fileIn(site, 'articles/a3/index.html'), 'mine');
  const later = Date.now() / 1_000 + 60;
  fs.utimesSync(fileIn(site, 'articles/a3/index.html'), later, later);
  const builder = createBuilder(site.options);
  await builder.load();
  await builder.buildAll();
  t.false(site.has('articles/a2/index.html'));
  t.is(site.page('articles/a3/index.html'), 'mine');
});

test('a removed page that is there again after a power loss goes again', async (t) => {
  for (const vacated of [(bytes: Buffer) => bytes, LEFT['the bytes of another file']]) {
    const site = await builtSite(t);
    const page = fileIn(site, 'articles/a2/index.html');
    const bytes = fs.readFileSync(page);
    const { atime, mtime } = fs.statSync(page);
    fs.rmSync(join(site.options.content.root, pathOf('a2')));
    const builder = createBuilder(site.options);
    await builder.buildAll();
    t.false(fs.existsSync(page));
    put(page, vacated(bytes).toString('latin1'));
    fs.utimesSync(page, atime, mtime);
    forgetBoot(site.options.stateDir);
    const again = createBuilder(site.options);
    await again.load();
    await again.buildAll();
    t.false(fs.existsSync(page));
  }
});

test('compressed files that a power loss has damaged are made again; those of the owner stay', async (t) => {
  for (const [what, vacated] of Object.entries(LEFT)) {
    const site = testSite(t);
    const options = { ...site.options, compress: true };
    site.write('a1');
    site.write('a2');
    const mine = gzipSync('mine');
    put(fileIn(site, 'articles/a2/index.html.br'), 'no compressed text at all');
    fs.writeFileSync(fileIn(site, 'articles/a2/index.html.gz'), mine);
    await createBuilder(options).buildAll();
    for (const file of ['articles/a1/index.html.br', 'index.html.gz', 'feed.xml.br'])
      damage(fileIn(site, file), vacated);
    forgetBoot(site.options.stateDir);
    t.true(await createBuilder(options).load());
    const bytes = (file: string) => fs.readFileSync(fileIn(site, file));
    for (const file of ['articles/a1/index.html', 'index.html', 'feed.xml']) {
      t.true(brotliDecompressSync(bytes(`${file}.br`)).equals(bytes(file)), what);
      t.true(gunzipSync(bytes(`${file}.gz`)).equals(bytes(file)), what);
    }
    t.is(site.page('articles/a2/index.html.br'), 'no compressed text at all');
    t.true(bytes('articles/a2/index.html.gz').equals(mine));
  }
});

test('a file without a mark that was replaced right before a power loss stays Pressmark’s, though the manifest has lost that', async (t) => {
  for (const isLoadedFirst of [true, false]) {
    const site = testSite(t);
    const options = { ...site.options, compress: true };
    const writeNotes = (text: string) =>
      put(join(options.templatesDir, 'root/notes.txt'), text.repeat(1_500));
    writeNotes('one');
    const builder = createBuilder(options);
    await builder.buildAll();
    afterCleanStop(site);
    const manifest = fs.readFileSync(manifestPath(options));
    writeNotes('two');
    await builder.buildAll();
    fs.writeFileSync(manifestPath(options), manifest);
    fs.appendFileSync(manifestPath(options), '{"announced":["notes.txt","notes.txt.br","notes.txt.gz"]}\n');
    for (const file of ['notes.txt', 'notes.txt.br', 'notes.txt.gz']) {
      const later = Date.now() / 1_000 + 20;
      fs.utimesSync(fileIn(site, file), later, later);
    }
    forgetBoot(options.stateDir);

    const again = createBuilder(options);
    if (isLoadedFirst) await again.load();
    await again.buildAll();
    for (const text of ['two', 'three']) {
      writeNotes(text);
      await again.buildAll();
      t.is(site.page('notes.txt'), text.repeat(1_500));
      t.is(gunzipSync(fs.readFileSync(fileIn(site, 'notes.txt.gz'))).toString(), site.page('notes.txt'));
    }
    t.deepEqual(
      site.logged.filter((line) => line.includes('did not write')),
      [],
    );
  }
});

// Serial: all tests of a process share node:fs.
test.serial('after a clean stop a start reads no page but the newest, and writes nothing', async (t) => {
  const site = await builtSite(t);
  afterCleanStop(site);
  const before = fs.readFileSync(manifestPath(site.options));
  const read: string[] = [];
  const original = fs.readFileSync;
  const spy = (path: fs.PathOrFileDescriptor, ...rest: []) => {
    if (String(path).startsWith(site.options.outputDir)) read.push(String(path));
    return original(path, ...rest);
  };
  Reflect.set(fs, 'readFileSync', spy);
  const builder = createBuilder(site.options);
  try {
    t.true(await builder.load());
  } finally {
    Reflect.set(fs, 'readFileSync', original);
  }
  t.deepEqual(read, [fileIn(site, 'articles/a5/index.html')]);
  await builder.buildAll();
  t.true(fs.readFileSync(manifestPath(site.options)).equals(before));
});

test('a builder that is closed syncs what it has built, so that the next start has nothing to check', async (t) => {
  const site = testSite(t);
  site.write('a');
  const builder = createBuilder({ ...site.options, lastSyncMs: 60_000 });
  await builder.buildAll();
  await builder.close();
  t.true(fs.readFileSync(manifestPath(site.options), 'utf8').endsWith('\n{"unsynced":[]}\n'));
});

test('a build names a file once until the next sync, and an update of a page names none', async (t) => {
  const site = await builtSite(t);
  const builder = createBuilder(site.options);
  await builder.buildAll();
  const announced = () =>
    fs
      .readFileSync(manifestPath(site.options), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{"announced"'));
  const before = announced().length;
  await builder.buildChanged([
    site.write('a5', { date: '2026-01-05T08:00:00Z', title: 'Another', tags: ['One'] }),
  ]);
  t.is(announced().length, before);
  await builder.buildChanged([site.write('a6', { date: '2026-01-06T08:00:00Z', tags: ['One'] })]);
  const added = announced().slice(before);
  t.is(added.length, 1);
  t.true(added[0]?.includes('articles/a6/index.html'));
  t.false(added[0]?.includes('"index.html"'));
});
