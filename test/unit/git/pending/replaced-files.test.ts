import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createReplacedFiles, replacedFiles } from '../../../../src/git/pending/replaced-files.js';
import { tempDir } from '../../../support/temp-dir.js';

test('a text is kept in one file, however often it is kept; another text of the article in another file', async (t) => {
  const stateDir = tempDir(t);
  const replaced = createReplacedFiles(stateDir, join(stateDir, 'staging'));
  const file = await replaced.keep('content/a.md', Buffer.from('one'));
  t.is(await replaced.keep('content/a.md', Buffer.from('one')), file);
  const other = await replaced.keep('content/a.md', Buffer.from('two'));
  await replaced.keep('content/b.md', Buffer.from('one'));
  t.deepEqual(await replacedFiles(stateDir, 'content/a.md'), [file, other].sort());
  t.is((await replacedFiles(stateDir)).length, 3);
  t.is(fs.readFileSync(join(stateDir, file), 'utf8'), 'one');
  await replaced.remove(file);
  t.deepEqual(await replacedFiles(stateDir, 'content/a.md'), [other]);
});
