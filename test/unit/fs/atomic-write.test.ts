import fs from 'node:fs';
import { basename, join } from 'node:path';
import test from 'ava';
import {
  dropTemp,
  isLeftover,
  makeDirectory,
  putNew,
  stage,
  writeAtomically,
} from '../../../src/fs/atomic-write.js';
import { tempDir } from '../../support/temp-dir.js';

test('a file is created, then replaced, and nothing else is left', async (t) => {
  const dir = tempDir(t);
  const target = join(dir, 'file');
  await writeAtomically(target, 'one');
  await writeAtomically(target, Buffer.from('two'), 0o640);
  t.is(fs.readFileSync(target, 'utf8'), 'two');
  t.is(fs.statSync(target).mode & 0o777, 0o640);
  t.deepEqual(fs.readdirSync(dir), ['file']);
});

test('a target that cannot be replaced leaves nothing', async (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'folder', 'full'), { recursive: true });
  await t.throwsAsync(writeAtomically(join(dir, 'folder'), 'x'));
  await t.throwsAsync(writeAtomically(join(dir, 'nowhere', 'file'), 'x'), { code: 'ENOENT' });
  t.deepEqual(fs.readdirSync(dir), ['folder']);
});

test('a staged file gets its name only where the name is free', async (t) => {
  const dir = tempDir(t);
  const target = join(dir, 'file');
  const [first, second] = [await stage(dir, 'first'), await stage(dir, 'second')];
  t.true(putNew(first.temp, target));
  t.false(putNew(second.temp, target));
  t.is(fs.readFileSync(target, 'utf8'), 'first');
  t.is(fs.statSync(target).ino, first.stat.ino);
  await dropTemp(first.temp);
  t.deepEqual(fs.readdirSync(dir).filter(isLeftover), [basename(second.temp)]);
});

test('making a directory returns the directories that got a new entry', (t) => {
  const dir = tempDir(t);
  const deep = join(dir, 'a', 'b', 'c');
  t.deepEqual(makeDirectory(deep), [join(dir, 'a', 'b'), join(dir, 'a'), dir]);
  t.deepEqual(makeDirectory(deep), []);
  t.deepEqual(makeDirectory(join(dir, 'a', 'd')), [join(dir, 'a')]);
});
