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

test('readers see the old or the new file, never a part', async (t) => {
  const target = join(tempDir(t), 'file');
  const texts = ['a', 'b'].map((letter) => letter.repeat(300_000));
  await writeAtomically(target, texts[0] ?? '');
  // Each write is under way while the file is read: which of the two comes first differs from write to write.
  for (let n = 1; n <= 30; n++) {
    const writing = writeAtomically(target, texts[n % 2] ?? '');
    t.true(texts.includes(await fs.promises.readFile(target, 'utf8')));
    t.true(texts.includes(await fs.promises.readFile(target, 'utf8')));
    await writing;
    t.true(fs.readFileSync(target, 'utf8') === texts[n % 2], 'after it the file is the new one');
  }
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

test('only names of unfinished work are leftovers', async (t) => {
  const dir = tempDir(t);
  const { temp } = await stage(dir, '');
  t.true(isLeftover(temp.slice(dir.length + 1)));
  for (const name of [
    'x.md',
    '.pressmark',
    '.pressmark-x',
    'pressmark-1.tmp',
    '.pressmark-1.tmp.md',
    'a.pressmark-1.tmp',
  ])
    t.false(isLeftover(name), name);
});
