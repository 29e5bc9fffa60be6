import test from 'ava';
import { createEditBases, staleBases } from '../../../../src/git/push/edit-bases.js';
import { tempDir } from '../../../support/temp-dir.js';

const item = (id: string) => ({ mode: '100644', id });
const change = (path: string, before: string, after: string) => ({
  path,
  before: item(before),
  after: item(after),
});
const left = (path: string) => ({ path, why: 'edited', isEdited: true });

test('the version that a stale file was made from is remembered while HEAD moves on, and after a restart', async (t) => {
  const gitDir = tempDir(t);
  const bases = createEditBases({ gitDir });
  t.deepEqual(await bases.recordStale([change('a', '1', '2'), change('b', '1', '2')], [left('a')]), [
    left('a'),
  ]);
  t.deepEqual(await bases.recordStale([change('a', '2', '3')], [left('a')]), [left('a')]);
  t.deepEqual([...(await staleBases({ gitDir }))], [['a', '1']]);
  t.is(bases.get('b'), '2');

  const next = createEditBases({ gitDir });
  await next.recordStale([change('a', '3', '4')], [left('a')]);
  t.deepEqual([...(await staleBases({ gitDir }))], [['a', '1']]);
  await next.setCurrent(new Map([['a', '4']]));
  t.deepEqual([...(await staleBases({ gitDir }))], []);
  t.is(next.get('a'), '4');
});

test('a file that was made from the version which HEAD is about to have does not stay behind', async (t) => {
  const gitDir = tempDir(t);
  const bases = createEditBases({ gitDir });
  bases.set('a', '2');
  t.deepEqual(await bases.recordStale([change('a', '1', '2')], [left('a')]), []);
  t.deepEqual([...(await staleBases({ gitDir }))], []);
});

test('a noted version is forgotten once HEAD has it; one that was noted meanwhile is kept', (t) => {
  const bases = createEditBases({ gitDir: tempDir(t) });
  bases.set('a', '1');
  bases.set('b', '1');
  const done = bases.deleteLater();
  bases.set('b', '2');
  done();
  t.deepEqual([bases.get('a'), bases.get('b')], [undefined, '2']);
});

test('the base of a merged text is recorded until it is deleted or taken back; that of another file stays', async (t) => {
  const gitDir = tempDir(t);
  const bases = createEditBases({ gitDir });
  await bases.recordStale([change('a', '1', '2')], [left('a')]);
  const rollBackEntries = await bases.recordMerged('b', '3');
  const afterAKill = createEditBases({ gitDir });
  t.deepEqual(await afterAKill.recordStale([change('b', '1', '3')], [left('b')]), [], 'made from the merge');
  t.deepEqual([...(await staleBases({ gitDir }))].sort(), [
    ['a', '1'],
    ['b', '3'],
  ]);
  await rollBackEntries();
  t.deepEqual([...(await staleBases({ gitDir }))], [['a', '1']]);
  await bases.recordMerged('b', '3');
  await bases.deleteStale(['b', 'c']);
  t.deepEqual([...(await staleBases({ gitDir }))], [['a', '1']]);
});
