import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { fileIn, filesIn } from '../../../src/deploy/folder-files.js';
import { tempDir } from '../../support/temp-dir.js';

const OUT = 'it leads out of the output folder';
const BACK = 'it leads back to a folder that it is in';

test('links within a folder count as what they lead to; those out of it and back to it, and temp files, are left out', async (t) => {
  const root = tempDir(t);
  const dir = join(root, 'public');
  for (const name of [
    'public/a/b.html',
    'public/a/.pressmark-0a1b-2.tmp',
    'public/v2/x.html',
    'secret.pem',
    'public-old/y.html',
  ]) {
    fs.mkdirSync(dirname(join(root, name)), { recursive: true });
    fs.writeFileSync(join(root, name), name);
  }
  const links = {
    'alias.html': 'a/b.html',
    latest: 'v2',
    stable: 'latest',
    planted: '../secret.pem',
    old: '../public-old',
    'a/up': '..',
    x: '.',
    'v2/around': '../v2',
    self: 'self',
    dangling: 'nothing',
  };
  for (const [name, to] of Object.entries(links)) fs.symlinkSync(to, join(dir, name));
  const skipped: Record<string, string> = {};
  const names = filesIn(dir, (link, why) => {
    skipped[link] = why;
  });
  t.deepEqual(names.toSorted(), ['a/b.html', 'alias.html', 'latest/x.html', 'stable/x.html', 'v2/x.html']);
  t.deepEqual(skipped, {
    planted: OUT,
    old: OUT,
    'a/up': BACK,
    x: BACK,
    'v2/around': BACK,
    'latest/around': BACK,
    'stable/around': BACK,
  });
  const real = fs.realpathSync(dir);
  t.is(fileIn(real, 'alias.html'), join(real, 'a/b.html'));
  for (const name of ['planted', 'old/y.html', 'x', 'self', 'dangling', 'a', '../secret.pem'])
    t.is(fileIn(real, name), undefined, name);
});

test('folders that link to one another end', async (t) => {
  const dir = tempDir(t);
  const folders = Array.from({ length: 8 }, (_, n) => `f${n}`);
  for (const folder of folders) {
    fs.mkdirSync(join(dir, folder));
    fs.writeFileSync(join(dir, folder, 'index.html'), folder);
    for (const other of folders)
      if (other !== folder) fs.symlinkSync(`../${other}`, join(dir, folder, other));
  }
  const names = filesIn(dir);
  for (const folder of folders) t.true(names.includes(`${folder}/index.html`));
  t.true(names.length <= 8 * 8);
});
