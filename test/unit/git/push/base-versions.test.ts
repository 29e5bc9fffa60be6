import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createMutex } from '../../../../src/fs/mutex.js';
import { openRepository } from '../../../../src/git/cli/repository.js';
import { createBaseVersions } from '../../../../src/git/push/base-versions.js';
import { commitFile, gitEnvironment, gitIn } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';

const item = (id: string) => ({ mode: '100644', id });
const change = (path: string, before: string, after: string) => ({
  path,
  before: item(before),
  after: item(after),
});
const edited = (path: string) => ({ path, why: 'edited', isEdited: true });

/** A repository, and a function that makes the base versions anew, as a receiver that starts. */
async function setUp(t: ExecutionContext) {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  const repository = await openRepository(dir, gitEnvironment(dir));
  if (repository.kind === 'none') throw new Error(repository.because);
  const restart = () => createBaseVersions(repository, createMutex());
  return { dir, bases: restart(), restart, repository };
}

test('the version that a stale file was made from is remembered while HEAD moves on, and after a restart', async (t) => {
  const { dir, bases, restart } = await setUp(t);
  t.deepEqual(await bases.recordStale([change('a', '1', '2'), change('b', '1', '2')], [edited('a')]), [
    edited('a'),
  ]);
  t.deepEqual(await bases.recordStale([change('a', '2', '3')], [edited('a')]), [edited('a')]);
  t.deepEqual([...(await bases.stale())], [['a', '1']]);
  t.is(bases.get('b'), '2');

  const next = restart();
  await next.recordStale([change('a', '3', '4')], [edited('a')]);
  t.deepEqual([...(await next.stale())], [['a', '1']]);
  fs.writeFileSync(join(dir, 'a'), 'what a person has written\n');
  t.true(await next.isStale('a'));
  commitFile(dir, 'a', 'what the file has too\n');
  t.false(await next.isStale('a'));
  await next.settle();
  t.deepEqual([...(await next.stale())], []);
  t.is(next.get('a'), gitIn(dir, 'rev-parse', 'HEAD:a').trim());
});

test('whether a file is stale is known while the store has its lock', async (t) => {
  const { dir, bases, repository } = await setUp(t);
  await bases.recordStale([change('a', '1', '2'), change('b', '1', '2')], [edited('a'), edited('b')]);
  commitFile(dir, 'a', 'what the file has too\n');
  const whileLocked = createBaseVersions(repository, { run: () => new Promise(() => undefined) });
  t.false(await whileLocked.isStale('a'));
  fs.writeFileSync(join(dir, 'b'), 'what a person has written\n');
  t.true(await whileLocked.isStale('b'));
});

test('a file that was made from the version which HEAD is about to have is not stale', async (t) => {
  const { bases } = await setUp(t);
  bases.set('a', '2');
  t.deepEqual(await bases.recordStale([change('a', '1', '2')], [edited('a')]), []);
  t.deepEqual([...(await bases.stale())], []);
});

test('a recorded version is deleted once HEAD has it; one that was recorded meanwhile is kept', async (t) => {
  const { bases } = await setUp(t);
  bases.set('a', '1');
  bases.set('b', '1');
  const deleteRecorded = bases.deleteLater();
  bases.set('b', '2');
  deleteRecorded();
  t.deepEqual([bases.get('a'), bases.get('b')], [undefined, '2']);
});

test('the base of a merged text is recorded until it is deleted or taken back; that of another file stays', async (t) => {
  const { bases, restart } = await setUp(t);
  await bases.recordStale([change('a', '1', '2')], [edited('a')]);
  const takeBack = await bases.recordMerged('b', '3');
  const afterAKill = restart();
  const changes = [change('b', '1', '3')];
  t.deepEqual(await afterAKill.recordStale(changes, [edited('b')]), [], 'made from the merge');
  t.deepEqual([...(await bases.stale())].sort(), [
    ['a', '1'],
    ['b', '3'],
  ]);
  await takeBack();
  t.deepEqual([...(await bases.stale())], [['a', '1']]);
  await bases.recordMerged('b', '3');
  await bases.deleteStale(['b', 'c']);
  t.deepEqual([...(await bases.stale())], [['a', '1']]);
});
