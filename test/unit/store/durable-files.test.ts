import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { stampOf } from '../../../src/fs/stamp.js';
import { createDurableFiles } from '../../../src/store/durable-files.js';
import type { Entry } from '../../../src/store/entry.js';
import { tempDir } from '../../support/temp-dir.js';

test('a file that changed is synced again, also where it kept its inode', async (t) => {
  const root = join(tempDir(t), 'content');
  fs.mkdirSync(root);
  const file = join(root, 'a.md');
  const confirmed: string[] = [];
  const durable = createDurableFiles(root, new Set(), async ({ path }) => void confirmed.push(path));
  const entry = (): Entry => ({
    path: 'a.md',
    stamp: stampOf(fs.statSync(file)),
    id: 'a',
    url: 'https://example.com/a/',
    canonical: 'https://example.com/a',
  });

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
