import { join } from 'node:path';
import test from 'ava';
import { openEditors } from '../../../../src/git/commit/editors.js';
import { tempDir } from '../../../support/temp-dir.js';

test('who has made a revision is known to another receiver, which may commit it, and after a crash', async (t) => {
  const path = join(tempDir(t), 'editors.jsonl');
  const [one, other] = [openEditors(path), openEditors(path)];
  t.is(other.of('admin-1'), undefined);
  await one.note('admin-1', { name: 'Ada', email: '' });
  for (const editors of [one, other, openEditors(path)])
    t.deepEqual(editors.of('admin-1'), { name: 'Ada', email: '' });
});
