import fs from 'node:fs';
import { basename, join } from 'node:path';
import test from 'ava';
import { stampOf } from '../../../../src/fs/stamp.js';
import type { Entry } from '../../../../src/store/catalog/entry.js';
import { createDurableFiles } from '../../../../src/store/write/durable-files.js';
import { tempDir } from '../../../support/temp-dir.js';

function entryOf(file: string): Entry {
  return {
    path: basename(file),
    stamp: stampOf(fs.statSync(file)),
    id: 'a',
    url: 'https://example.com/a/',
  };
}

test('a file that changed is synced again, also where it kept its inode', async (t) => {
  const root = join(tempDir(t), 'content');
  fs.mkdirSync(root);
  const file = join(root, 'a.md');
  const confirmed: string[] = [];
  const durable = createDurableFiles(root, new Set(), async ({ path }) => void confirmed.push(path));
  const entry = () => entryOf(file);

  fs.writeFileSync(file, 'one');
  const before = entry();
  t.false(durable.has(before));
  await durable.ensure(before);
  await durable.ensure(before);
  t.true(durable.has(before));
  t.is(confirmed.length, 1);

  fs.writeFileSync(file, 'three');
  const after = entry();
  t.is(after.stamp.ino, before.stamp.ino);
  t.false(durable.has(after));
  await durable.ensure(after);
  t.true(durable.has(after));
  t.is(confirmed.length, 2);
});

for (const [how, save] of [
  ['in place', (file: string) => fs.writeFileSync(file, 'theirs')],
  [
    'by rename',
    (file: string) => {
      fs.writeFileSync(`${file}~`, 'theirs');
      fs.renameSync(`${file}~`, file);
    },
  ],
  ['nothing', () => undefined],
] as const)
  test(`a suspect file is written anew with its permissions while a person saves ${how}, and keeps what they saved`, async (t) => {
    const root = join(tempDir(t), 'content');
    fs.mkdirSync(root);
    const file = join(root, 'a.md');
    fs.writeFileSync(file, 'ours');
    fs.chmodSync(file, 0o640);
    const { ino } = fs.statSync(file);
    const suspects = new Set(['a.md']);
    const durable = createDurableFiles(root, suspects, async () => undefined);
    const ensured = durable.ensure(entryOf(file)); // has read the file, and waits for the disk
    save(file);
    await ensured;
    t.is(fs.readFileSync(file, 'utf8'), how === 'nothing' ? 'ours' : 'theirs');
    if (how !== 'by rename') {
      t.is(fs.statSync(file).mode & 0o777, 0o640);
      t.not(fs.statSync(file).ino, ino, 'the inode that failed is not trusted');
    }
    t.true(durable.has(entryOf(file)));
    t.deepEqual([...suspects], []);
    t.deepEqual(fs.readdirSync(root), ['a.md']);
  });
