import test from 'ava';
import { createOrigins, leftBehind } from '../../../../src/git/push/edit-bases.js';
import { tempDir } from '../../../support/temp-dir.js';

const item = (id: string) => ({ mode: '100644', id });
const change = (path: string, before: string, after: string) => ({
  path,
  before: item(before),
  after: item(after),
});
const left = (path: string) => ({ path, why: 'edited', isTheirs: true });

test('the version that a left-behind file was made from is remembered while HEAD moves on, and after a restart', async (t) => {
  const gitDir = tempDir(t);
  const origins = createOrigins({ gitDir });
  t.deepEqual(await origins.leave([change('a', '1', '2'), change('b', '1', '2')], [left('a')]), [left('a')]);
  t.deepEqual(await origins.leave([change('a', '2', '3')], [left('a')]), [left('a')]);
  t.deepEqual([...(await leftBehind({ gitDir }))], [['a', '1']]);
  t.is(origins.noted('b'), '2');

  const next = createOrigins({ gitDir });
  await next.leave([change('a', '3', '4')], [left('a')]);
  t.deepEqual([...(await leftBehind({ gitDir }))], [['a', '1']]);
  await next.caughtUp(new Map([['a', '4']]));
  t.deepEqual([...(await leftBehind({ gitDir }))], []);
  t.is(next.noted('a'), '4');
});

test('a file that was made from the version which HEAD is about to have does not stay behind', async (t) => {
  const gitDir = tempDir(t);
  const origins = createOrigins({ gitDir });
  origins.note('a', '2');
  t.deepEqual(await origins.leave([change('a', '1', '2')], [left('a')]), []);
  t.deepEqual([...(await leftBehind({ gitDir }))], []);
});

test('a noted version is forgotten once HEAD has it; one that was noted meanwhile is kept', (t) => {
  const origins = createOrigins({ gitDir: tempDir(t) });
  origins.note('a', '1');
  origins.note('b', '1');
  const done = origins.begin();
  origins.note('b', '2');
  done();
  t.deepEqual([origins.noted('a'), origins.noted('b')], [undefined, '2']);
});
