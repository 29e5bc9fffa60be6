import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { makeDirectory, writeAtomically } from '../../../src/fs/atomic-write.js';
import { tempDir } from '../../support/temp-dir.js';

test('a target that cannot be replaced leaves nothing', async (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'folder', 'full'), { recursive: true });
  await t.throwsAsync(writeAtomically(join(dir, 'folder'), 'x'));
  await t.throwsAsync(writeAtomically(join(dir, 'nowhere', 'file'), 'x'), { code: 'ENOENT' });
  t.deepEqual(fs.readdirSync(dir), ['folder']);
});

test('making a directory returns the directories that got a new entry', (t) => {
  const dir = tempDir(t);
  const deep = join(dir, 'a', 'b', 'c');
  t.deepEqual(makeDirectory(deep), [join(dir, 'a', 'b'), join(dir, 'a'), dir]);
  t.deepEqual(makeDirectory(deep), []);
  t.deepEqual(makeDirectory(join(dir, 'a', 'd')), [join(dir, 'a')]);
});
