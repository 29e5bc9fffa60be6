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

test('editors: of a long file the last thousand notes stay, and none is lost that another receiver makes meanwhile', async (t) => {
  const path = join(tempDir(t), 'editors.jsonl');
  const nameOf = (n: number) => ({ name: `Person ${n}`, email: 'somebody@garden.example' });
  const lines = Array.from({ length: 8_000 }, (_, n) =>
    JSON.stringify({ revision: `admin-${n}`, ...nameOf(n) }),
  );
  fs.writeFileSync(path, `${lines.join('\n')}\n`);
  const [one, other] = [openEditors(path), openEditors(path)];
  t.deepEqual(other.of('admin-1'), nameOf(1));
  const before = fs.openSync(path, 'a');
  await Promise.all([one.note('admin-last', ADA), one.note('admin-meanwhile', ADA)]);
  t.true(fs.statSync(path).size < 150_000);
  // Another receiver has opened the file just before it was replaced.
  const { openSync } = fs;
  t.teardown(() => Object.assign(fs, { openSync }));
  Object.assign(fs, {
    openSync: () => {
      Object.assign(fs, { openSync });
      return before;
    },
  });
  await other.note('admin-late', ADA);
  const afterwards = openEditors(path);
  t.deepEqual(
    ['admin-0', 'admin-6999', 'admin-7999', 'admin-last', 'admin-meanwhile', 'admin-late'].map(
      (one) => afterwards.of(one)?.name,
    ),
    [undefined, undefined, 'Person 7999', 'Ada', 'Ada', 'Ada'],
  );
});
