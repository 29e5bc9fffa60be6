import '../../support/recorded-syncs.js';

import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openStorage } from '../../../src/host/storage.js';
import { recorder, syncs } from '../../support/recorded-syncs.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

test.serial('storage: a value is on the disk, with its name, before the promise resolves', async (t) => {
  const folder = join(tempDir(t), 'plugins/notes');
  const storage = openStorage('notes', folder);
  const values = join(folder, 'storage');
  const names = () => (fs.existsSync(values) ? fs.readdirSync(values) : []);
  recorder.observe = () =>
    names()
      .filter((name) => name.endsWith('.json'))
      .join();
  await storage.set('first', { at: 'noon', list: [1, null, { deep: true }] });
  const files = syncs.filter(({ path }) => path.startsWith(values));
  t.regex(files[0]?.path ?? '', /\.tmp$/);
  t.is(files[0]?.observed, '', 'first the bytes, before the file has its name');
  t.is(files.at(-1)?.path, values);
  t.regex(files.at(-1)?.observed ?? '', /\.json$/, 'then the name');
  t.true(
    ['', '..', '../..'].every((above) => syncs.some(({ path }) => path === join(folder, above))),
    'and the folders that it is in',
  );
  const again = openStorage('notes', folder);
  t.deepEqual(await again.get('first'), { at: 'noon', list: [1, null, { deep: true }] });
  t.is(await again.get('second'), undefined);

  syncs.length = 0;
  t.true(await again.delete('first'));
  t.deepEqual(
    syncs.map(({ path }) => path).filter((path) => path.startsWith(folder)),
    [values],
  );
  t.false(await again.delete('first'));
  t.is(await storage.get('first'), undefined);
  recorder.observe = () => '';
});

test('storage: keys of every form are told apart, and listed by what they begin with', async (t) => {
  const storage = openStorage('notes', join(tempDir(t), 'notes'));
  t.deepEqual(await storage.keys(), []);
  const keys = ['../x', 'a/b', 'a b', 'A', 'a', 'ä', 'https://a.example/?q=1', 'x'.repeat(500)];
  for (const key of keys) await storage.set(key, `value of ${key}`);
  for (const key of keys) t.is(await storage.get(key), `value of ${key}`);
  t.deepEqual(await storage.keys(), keys.toSorted());
  t.deepEqual(await storage.keys('a'), ['a', 'a b', 'a/b']);
});

test('storage: a value whose time is over is gone, and so is its file', async (t) => {
  const folder = join(tempDir(t), 'notes');
  let time = 1_000;
  const storage = openStorage('notes', folder, () => time);
  await storage.set('short', 1, { ttlMs: 10 });
  await storage.set('long', 2, { ttlMs: 10_000_000 });
  await storage.set('ever', 3);
  time += 10;
  t.deepEqual(await storage.keys(), ['ever', 'long']);
  t.is(await storage.get('short'), undefined);
  t.false(await storage.delete('short'));
  await storage.set('short', 4);
  t.is(await storage.get('short'), 4, 'what is set anew stays');
  time += 20_000_000;
  await storage.set('next', 5);
  await until('its file is gone', () => fs.readdirSync(join(folder, 'storage')).length === 3);
});

test('storage: however many values there are, none but the one that is written is read while others wait', async (t) => {
  const folder = join(tempDir(t), 'notes');
  await openStorage('notes', folder).set('first', 1);
  const values = join(folder, 'storage');
  const [name = ''] = fs.readdirSync(values);
  for (let n = 0; n < 300; n++) fs.copyFileSync(join(values, name), join(values, `${n}.json`));
  let reads = 0;
  const { readFileSync } = fs;
  fs.readFileSync = ((...args: Parameters<typeof readFileSync>) => {
    if (String(args[0]).startsWith(values)) reads++;
    return readFileSync(...args);
  }) as typeof readFileSync;
  try {
    const storage = openStorage('notes', folder);
    await storage.set('second', 2);
    await storage.update<number>('second', (value = 0) => value + 1);
    t.is(reads, 1);
  } finally {
    fs.readFileSync = readFileSync;
  }
});

test('storage: a value has a million bytes, however long its key', async (t) => {
  const storage = openStorage('notes', join(tempDir(t), 'notes'));
  const most = 'x'.repeat(999_998);
  await storage.set('k'.repeat(500), most, { ttlMs: 1_000_000 });
  t.is(await storage.get('k'.repeat(500)), most);
  await t.throwsAsync(storage.set('a', `${most}x`), { message: /longer than 1000000 bytes/ });
});

test('storage: what JSON would change is refused in words that name plugin and key', async (t) => {
  const storage = openStorage('notes', join(tempDir(t), 'notes'));
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  for (const value of [undefined, { deep: { at: new Date(0) } }, { n: Number.NaN }, [undefined], 1n, cycle])
    await t.throwsAsync(storage.set('k', value), {
      message: /^plugin notes: storage: the value of "k" is not plain data as in JSON: write dates as texts/,
    });
  await t.throwsAsync(storage.set('k', 'x'.repeat(1_000_000)), {
    message: 'plugin notes: storage: the value of "k" is longer than 1000000 bytes; keep it in several keys',
  });
  for (const key of ['', 'x'.repeat(501), '\ud800'])
    await t.throwsAsync(storage.get(key), { message: /the key .* is not a text of 1 to 500 characters/ });
  for (const ttlMs of [0, Number.NaN, Number.POSITIVE_INFINITY])
    await t.throwsAsync(storage.set('k', 1, { ttlMs }), {
      message: /ttlMs of "k" is .*; it must be a finite number above 0; leave it out to keep the value$/,
    });
  t.deepEqual(await storage.keys(), []);
});

test('storage: a damaged file is named and can be deleted, and no other value is lost', async (t) => {
  const folder = join(tempDir(t), 'notes');
  const storage = openStorage('notes', folder);
  await storage.set('a', 1);
  const [name = ''] = fs.readdirSync(join(folder, 'storage'));
  await storage.set('b', 2);
  fs.writeFileSync(join(folder, 'storage', name), '{"key":"a"');
  await t.throwsAsync(storage.get('a'), { message: /storage\/.*json is damaged; delete it, or restore it/ });
  t.is(await storage.get('b'), 2);
  t.deepEqual(await storage.keys(), ['b']);
  t.true(await storage.delete('a'));
  t.is(await storage.get('a'), undefined);
});

test('storage: of several calls for one key the last one counts, and none removes what another one writes', async (t) => {
  const folder = join(tempDir(t), 'notes');
  let time = 0;
  const storage = openStorage('notes', folder, () => time);
  for (let round = 0; round < 5; round++) {
    time += 3_600_000; // files are looked for whose time is over
    const writes = [9, 0, 5, 1].map((size, n) => storage.set('a', { n, text: 'x'.repeat(size * 100_000) }));
    await Promise.all(writes);
    t.like(await storage.get('a'), { n: 3 });
  }
  const last = [storage.set('b', 1), storage.delete('b'), storage.set('c', 1)];
  t.deepEqual(await Promise.all(last), [undefined, true, undefined]);
  t.deepEqual(await storage.keys(), ['a', 'c']);
});
