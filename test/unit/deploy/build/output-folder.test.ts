import fs from 'node:fs';
import { basename, join } from 'node:path';
import test from 'ava';
import { replaceOutput } from '../../../../src/deploy/build/output-folder.js';
import { readFiles, tempDir, writeFiles } from '../../../support/temp-dir.js';

function write(dir: string, files: Record<string, string>): string {
  writeFiles(dir, files);
  return dir;
}

const first = { 'index.html': 'one', 'a/index.html': 'a', 'b/index.html': 'b' };
const second = { 'index.html': 'two', 'a/index.html': 'a', c: 'c' };
const changes = { written: ['c', 'index.html'], removed: ['b/index.html'] };

test('a new output replaces the old one by a link, and equal files stay the same files', async (t) => {
  const dir = tempDir(t);
  const place = { path: join(dir, 'public'), outputsDir: join(dir, 'outputs') };
  // What a person has built is replaced, even if it is the same.
  write(place.path, first);
  await replaceOutput(write(join(dir, 'built-1'), first), place);
  t.true(fs.lstatSync(place.path).isSymbolicLink());
  t.deepEqual(readFiles(place.path), first);
  const { ino } = fs.statSync(join(place.path, 'a/index.html'));
  t.deepEqual(await replaceOutput(write(join(dir, 'built-2'), second), place), changes);
  t.deepEqual(readFiles(place.path), second);
  t.is(fs.statSync(join(place.path, 'a/index.html')).ino, ino);

  const link = fs.lstatSync(place.path).ino;
  t.deepEqual(await replaceOutput(join(dir, 'built-2'), place), { written: [], removed: [] });
  t.is(fs.lstatSync(place.path).ino, link, 'an output that is the same replaces nothing');
  fs.writeFileSync(join(place.path, 'index.html'), 'Two');
  t.deepEqual(await replaceOutput(join(dir, 'built-2'), place), { written: ['index.html'], removed: [] });
  t.deepEqual(readFiles(place.path), second);
});

test('an output that is being deployed is kept, however many come after it', async (t) => {
  const dir = tempDir(t);
  const inUse: string[] = [];
  const outputsDir = join(dir, 'outputs');
  const place = { path: join(dir, 'public'), outputsDir, inUse: () => inUse };
  const build = (name: string) =>
    replaceOutput(write(join(dir, `built-${name}`), { ...first, [name]: name }), place);
  await build('1');
  const deployed = fs.realpathSync(place.path);
  inUse.push(basename(deployed));
  for (const name of ['2', '3', '4', '5', '6']) await build(name);
  t.deepEqual(readFiles(deployed), { ...first, '1': '1' });
  inUse.pop();
  await build('7');
  t.false(fs.existsSync(deployed));
});

test('an output is replaced also where an earlier one cannot be removed', async (t) => {
  const dir = tempDir(t);
  const outputsDir = join(dir, 'outputs');
  const place = { path: join(dir, 'public'), outputsDir };
  write(join(outputsDir, '.removed-before'), { 'upload.php': 'x' });
  const { rmSync } = fs;
  t.teardown(() => Object.assign(fs, { rmSync }));
  Object.assign(fs, {
    rmSync: (...args: Parameters<typeof rmSync>) => {
      if (String(args[0]).includes('.removed-')) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      rmSync(...args);
    },
  });
  await replaceOutput(write(join(dir, 'built'), first), place);
  t.deepEqual(readFiles(place.path), first);
});
