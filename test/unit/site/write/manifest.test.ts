import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import {
  type BuildEnd,
  createContentVersion,
  isOutputSynced,
  manifestPath,
  openManifest,
} from '../../../../src/site/write/manifest.js';
import { tempDir } from '../../../support/temp-dir.js';
import { post } from '../post.js';

const end = (key: string): BuildEnd => ({
  key,
  isComplete: true,
  parseKey: 'r',
  articles: new Map(),
  stale: [],
  everything: () => [],
});
const WRITTEN = { size: 1, mtimeMs: 2, crc: 3 };

test('a manifest reads what another process adds from where the last reading ended', (t) => {
  const dir = tempDir(t);
  const [a, b] = [
    openManifest(join(dir, 'm'), join(dir, 'out')),
    openManifest(join(dir, 'm'), join(dir, 'out')),
  ];
  a.setFile('one.html', WRITTEN);
  a.endBuild(end('k'));
  t.true(b.refresh().isWhole);
  t.deepEqual([...b.files], [['one.html', WRITTEN]]);
  t.is(b.key, 'k');

  a.setFile('two.html', WRITTEN);
  a.setFile('one.html', undefined);
  const delta = b.refresh();
  t.deepEqual([...delta.files], ['two.html', 'one.html']);
  t.false(delta.isWhole);
  t.deepEqual([...delta.stale], ['two.html', 'one.html']);
  t.deepEqual([...b.files], [['two.html', WRITTEN]]);
});

test('a manifest that was begun anew is read from its beginning, also where it has the inode of the former', (t) => {
  const dir = tempDir(t);
  const path = join(dir, 'm');
  const reader = openManifest(path, join(dir, 'out'));
  openManifest(path, join(dir, 'out')).setFile('old.html', WRITTEN);
  reader.refresh();
  const { ino, size } = fs.statSync(path);

  const other = openManifest(join(dir, 'other'), join(dir, 'out'));
  for (const file of ['new.html', 'newer.html']) other.setFile(file, WRITTEN);
  fs.writeFileSync(path, fs.readFileSync(join(dir, 'other')));
  t.is(fs.statSync(path).ino, ino);
  t.true(fs.statSync(path).size > size);

  t.true(reader.refresh().isWhole);
  t.deepEqual([...reader.files.keys()], ['new.html', 'newer.html']);
});

test('the version of the content changes with the files alone, and is the same again where they are', async (t) => {
  const dir = tempDir(t);
  const [path, output] = [join(dir, 'm'), join(dir, 'out')];
  const manifest = openManifest(path, output);
  const version = createContentVersion(path, output);
  const none = version();
  manifest.setFile('a.html', WRITTEN);
  const first = version();
  manifest.setFile('b.html', { ...WRITTEN, crc: 4 });
  manifest.endBuild(end('k'));
  const both = version();
  t.is(new Set([none, first, both]).size, 3);
  await manifest.markSynced(manifest.sequence);
  manifest.setFile('a.html', { ...WRITTEN, mtimeMs: 9 });
  t.is(version(), both, 'the same bytes, written anew');
  manifest.setFile('a.html', { ...WRITTEN, crc: 5 });
  t.not(version(), both);
  manifest.setFile('a.html', WRITTEN);
  t.is(version(), both);
  manifest.setFile('b.html', undefined);
  t.is(version(), first);

  fs.rmSync(path);
  const other = openManifest(path, output);
  other.setFile('b.html', { ...WRITTEN, crc: 4 });
  other.setFile('a.html', WRITTEN);
  t.is(version(), both, 'begun anew, in another order');
  t.is(createContentVersion(path, output)(), both, 'after a restart');
});

test('a manifest of another output folder, or a file that is not a manifest, is begun again', (t) => {
  const dir = tempDir(t);
  const path = join(dir, 'm');
  for (const text of [undefined, '', 'no line end', '{"pressmark":1}\n', '\n']) {
    if (text === undefined) openManifest(path, join(dir, 'elsewhere')).setFile('a.html', WRITTEN);
    else fs.writeFileSync(path, text);
    const manifest = openManifest(path, join(dir, 'out'));
    t.true(manifest.refresh().isWhole);
    t.is(manifest.files.size, 0);
    manifest.setFile('b.html', WRITTEN);
    const reader = openManifest(path, join(dir, 'out'));
    reader.refresh();
    t.deepEqual([...reader.files.keys()], ['b.html'], String(text));
  }
});

test('a manifest knows which files a power loss may have damaged: those named since the last sync', async (t) => {
  const stateDir = tempDir(t);
  const path = manifestPath({ stateDir });
  const a = openManifest(path, join(stateDir, 'out'));
  t.true(isOutputSynced(path), 'nothing was ever written');
  await a.announce(['one.html', 'two.html', 'never.html']);
  t.false(isOutputSynced(path));
  a.setFile('one.html', WRITTEN);
  a.setFile('two.html', WRITTEN);
  a.endBuild(end('k'));
  t.deepEqual([...a.unsynced.keys()], ['one.html', 'two.html']);

  const { sequence } = a;
  a.setFile('two.html', WRITTEN);
  await a.markSynced(sequence);
  t.deepEqual([...a.unsynced.keys()], ['two.html'], 'it was written again while the files were synced');
  t.false(isOutputSynced(path));
  const b = openManifest(path, join(stateDir, 'out'));
  b.refresh();
  t.deepEqual([...b.unsynced.keys()], ['two.html']);

  await a.markSynced(a.sequence);
  t.true(isOutputSynced(path));
  b.refresh();
  t.is(b.unsynced.size, 0);
  t.deepEqual([...b.files.keys()], ['one.html', 'two.html']);
});

test('files that were announced stay under suspicion where a line behind that is torn', async (t) => {
  const dir = tempDir(t);
  const path = join(dir, 'm');
  const a = openManifest(path, join(dir, 'out'));
  await a.announce(['one.html', 'two.html']);
  const { size } = fs.statSync(path);
  a.setFile('one.html', WRITTEN);
  a.endBuild(end('k'));
  const bytes = fs.readFileSync(path);
  for (const vacated of [Buffer.alloc(20), Buffer.from('null\n5\n[]\n"file"\n{}\n')]) {
    vacated.copy(bytes, size);
    fs.writeFileSync(path, bytes);
    const b = openManifest(path, join(dir, 'out'));
    b.refresh();
    t.deepEqual([...b.unsynced.keys()], ['one.html', 'two.html']);
  }
});

test('files that may be damaged are still known after the manifest has been written anew', async (t) => {
  const dir = tempDir(t);
  const path = join(dir, 'm');
  const a = openManifest(path, join(dir, 'out'));
  await a.announce(['one.html']);
  a.setFile('one.html', WRITTEN);
  await a.markSynced(a.sequence);
  await a.announce(['two.html']);
  for (let count = 0; count < 1_100; count++) a.setFile('two.html', WRITTEN);
  const before = fs.statSync(path).size;
  a.endBuild(end('k'));
  t.true(fs.statSync(path).size < before);
  const b = openManifest(path, join(dir, 'out'));
  b.refresh();
  t.deepEqual([...b.unsynced.keys()], ['two.html']);
});

test('what was removed since the last sync is known as it was, also after the manifest has been written anew', async (t) => {
  const dir = tempDir(t);
  const path = join(dir, 'm');
  const a = openManifest(path, join(dir, 'out'));
  const removed = () => {
    const reader = openManifest(path, join(dir, 'out'));
    reader.refresh();
    return [...reader.removed];
  };
  a.setFile('one.html', WRITTEN);
  a.setFile('one.html', undefined);
  a.endBuild(end('k'));
  t.deepEqual(removed(), [['one.html', WRITTEN]]);
  for (let count = 0; count < 1_100; count++) a.setFile('two.html', WRITTEN);
  const before = fs.statSync(path).size;
  a.endBuild(end('k'));
  t.true(fs.statSync(path).size < before, 'written anew');
  t.deepEqual(removed(), [['one.html', WRITTEN]]);
  a.setFile('one.html', WRITTEN);
  t.deepEqual(removed(), []);
  a.setFile('one.html', undefined);
  await a.markSynced(a.sequence);
  t.deepEqual(removed(), []);
});

test('a file that a killed build has named, or that is stale, may hold what was written before', (t) => {
  const dir = tempDir(t);
  const path = join(dir, 'm');
  const a = openManifest(path, join(dir, 'out'));
  const read = () => {
    const reader = openManifest(path, join(dir, 'out'));
    reader.refresh();
    return reader.formerOf('one.txt').map(({ crc }) => crc);
  };
  a.setFile('one.txt', WRITTEN);
  a.endBuild(end('k'));
  t.deepEqual(read(), []);
  a.setFile('one.txt', { ...WRITTEN, crc: 4 });
  a.setFile('one.txt', { ...WRITTEN, crc: 5 });
  t.deepEqual(read(), [3, 4]);
  a.endBuild({ ...end('k'), stale: ['one.txt'] });
  t.deepEqual(read(), [3, 4]);
  for (let count = 0; count < 1_100; count++) a.setFile('two.txt', WRITTEN);
  const before = fs.statSync(path).size;
  a.endBuild({ ...end('k'), stale: ['one.txt'] });
  t.true(fs.statSync(path).size < before, 'written anew');
  t.deepEqual(read(), [3, 4]);
  a.endBuild(end('k'));
  t.deepEqual(read(), []);
});

// Serial: all tests of a process share node:fs.
test.serial(
  'a manifest that cannot be written anew, as on a full disk, stays as it is and is added to',
  (t) => {
    const dir = tempDir(t);
    const path = join(dir, 'm');
    const a = openManifest(path, join(dir, 'out'));
    for (let count = 0; count < 1_100; count++) a.setFile('one.html', WRITTEN);
    const { size } = fs.statSync(path);
    const sync = fs.fsyncSync;
    t.teardown(() => Reflect.set(fs, 'fsyncSync', sync));
    Reflect.set(fs, 'fsyncSync', () => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    });
    t.throws(() => a.endBuild(end('k')), { code: 'ENOSPC' });
    Reflect.set(fs, 'fsyncSync', sync);
    a.setFile('two.html', WRITTEN);
    t.true(fs.statSync(path).size > size);
    t.deepEqual(fs.readdirSync(dir), ['m']);
    const reader = openManifest(path, join(dir, 'out'));
    reader.refresh();
    t.deepEqual([...reader.files.keys()], ['one.html', 'two.html']);
  },
);

test('a manifest that was lost in the midst of a build has all articles when the build has ended', (t) => {
  for (const isWritten of [true, false]) {
    const path = join(tempDir(t), 'm');
    const manifest = openManifest(path, join(path, '../out'));
    manifest.setFile('one.html', WRITTEN);
    manifest.endBuild(end('k'));
    manifest.close();
    fs.rmSync(path);
    if (isWritten) manifest.setFile('two.html', WRITTEN);
    const articles = [post(1).entry, post(2).entry];
    manifest.endBuild({
      ...end('k'),
      articles: new Map([['a1.md', articles[0]]]),
      everything: () => articles,
    });
    const reader = openManifest(path, join(path, '../out'));
    t.deepEqual([...reader.refresh().articles.keys()], ['a1.md', 'a2.md']);
    t.is(reader.files.size, isWritten ? 2 : 1);
  }
});
