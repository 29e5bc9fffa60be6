import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { entriesBelow, filesBelow, isFileAt } from '../../../src/fs/files-below.js';
import { tempDir } from '../../support/temp-dir.js';

test('the files below a folder come sorted by their paths; a link to a folder is one entry, and is not entered', (t) => {
  const dir = tempDir(t);
  for (const file of ['b.txt', 'a/c.txt', 'a/b/d.txt', '.hidden']) {
    fs.mkdirSync(join(dir, file, '..'), { recursive: true });
    fs.writeFileSync(join(dir, file), '');
  }
  // Two in one folder: entered, each would double the number of paths until the system refuses the 40th link.
  fs.symlinkSync('.', join(dir, 'a', 'here'));
  fs.symlinkSync('..', join(dir, 'a', 'up'));
  fs.symlinkSync('c.txt', join(dir, 'a', 'link.txt'));
  fs.symlinkSync('circle', join(dir, 'circle'));
  t.deepEqual(filesBelow(dir), ['.hidden', 'a/b/d.txt', 'a/c.txt', 'b.txt']);
  t.deepEqual(
    [...entriesBelow(dir).keys()],
    ['.hidden', 'a/b/d.txt', 'a/c.txt', 'a/here', 'a/link.txt', 'a/up', 'b.txt', 'circle'],
  );
});

test('there is no file at a link that leads nowhere, to itself, or below a file', (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'file'), '');
  for (const [name, target] of Object.entries({
    whole: 'file',
    gone: 'nothing',
    loop: 'loop',
    below: 'file/x',
  }))
    fs.symlinkSync(target, join(dir, name));
  const names = ['file', 'whole', 'gone', 'loop', 'below', 'file/x'];
  t.deepEqual(
    names.filter((name) => isFileAt(join(dir, name))),
    ['file', 'whole'],
  );
});
