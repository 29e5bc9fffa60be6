import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openEditors } from '../../../../src/git/commit/editors.js';
import { tempDir } from '../../../support/temp-dir.js';

const ADA = { name: 'Ada', email: '' };

test('editors: what another receiver notes is known here, and a line that is not whole yet as soon as it is', async (t) => {
  const path = join(tempDir(t), 'editors.jsonl');
  const [one, other] = [openEditors(path), openEditors(path)];
  t.is(one.of('admin-1'), undefined);
  await other.note('admin-1', ADA);
  for (const editors of [one, other]) t.deepEqual(editors.of('admin-1'), ADA);
  await one.note('own', ADA);
  for (const editors of [one, other]) t.deepEqual(editors.of('own'), ADA);
  const line = JSON.stringify({ revision: 'admin-2', ...ADA });
  fs.appendFileSync(path, line.slice(0, 20));
  t.is(one.of('admin-2'), undefined);
  fs.appendFileSync(path, `${line.slice(20)}\n`);
  t.deepEqual(one.of('admin-2'), ADA);
});
