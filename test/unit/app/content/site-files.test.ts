import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { siteFiles } from '../../../../src/app/content/site-files.js';
import { tempDir } from '../../../support/temp-dir.js';

test('a site’s files are read and listed, folders with a slash', (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'content/posts'), { recursive: true });
  fs.writeFileSync(join(dir, 'content/a.md'), 'ä');
  fs.symlinkSync('content/a.md', join(dir, 'link.md'));
  fs.symlinkSync('content', join(dir, 'linked'));
  const files = siteFiles(dir);
  t.is(files.read('content/a.md'), 'ä');
  t.is(files.read('link.md'), 'ä');
  t.deepEqual(files.list('content'), ['a.md', 'posts/']);
  for (const root of ['', '.']) t.deepEqual(files.list(root), ['content/', 'link.md', 'linked/']);
});

test('what is not there, is a folder, or is not in a folder, reads as nothing', (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'folder'));
  fs.writeFileSync(join(dir, 'file'), '');
  const files = siteFiles(dir);
  for (const path of ['none', 'folder', 'file/below', 'nul\0', '']) t.is(files.read(path), undefined, path);
  for (const path of ['none', 'file', 'nul\0']) t.deepEqual(files.list(path), [], path);
  const none = siteFiles(join(dir, 'none'));
  t.is(none.read('a'), undefined);
  t.deepEqual(none.list(''), []);
});

test('nothing outside the folder is read, neither by a path nor by a link', (t) => {
  const outer = tempDir(t);
  const dir = join(outer, 'site');
  fs.mkdirSync(dir);
  fs.mkdirSync(join(outer, 'site-2'));
  fs.writeFileSync(join(outer, 'secret'), 'x');
  fs.writeFileSync(join(outer, 'site-2/secret'), 'x');
  fs.symlinkSync('../secret', join(dir, 'link'));
  fs.symlinkSync('..', join(dir, 'up'));
  fs.symlinkSync('loop', join(dir, 'loop'));
  const files = siteFiles(dir);
  for (const path of ['../secret', 'link', 'up/secret', '../site-2/secret', 'loop', `${outer}/secret`])
    t.is(files.read(path), undefined, path);
  for (const path of ['..', 'up', '../site-2']) t.deepEqual(files.list(path), [], path);
  t.deepEqual(files.list(''), []);
});
