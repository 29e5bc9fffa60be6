import '../../support/recorded-syncs.js';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { makeDurableDirectory, writeAtomically } from '../../../src/fs/atomic-write.js';
import { syncs } from '../../support/recorded-syncs.js';
import { tempDir } from '../../support/temp-dir.js';

test('a target that cannot be replaced leaves nothing', async (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'folder', 'full'), { recursive: true });
  await t.throwsAsync(writeAtomically(join(dir, 'folder'), 'x'));
  await t.throwsAsync(writeAtomically(join(dir, 'nowhere', 'file'), 'x'), { code: 'ENOENT' });
  t.deepEqual(fs.readdirSync(dir), ['folder']);
});

test('making a directory syncs the directories that got a new entry', async (t) => {
  const dir = fs.realpathSync(tempDir(t));
  const syncedFor = async (...names: string[]) => {
    syncs.length = 0;
    await makeDurableDirectory(join(dir, ...names));
    return syncs.flatMap(({ path }) => (`${path}/`.startsWith(`${dir}/`) ? path : []));
  };
  t.deepEqual(await syncedFor('a', 'b', 'c'), [join(dir, 'a', 'b'), join(dir, 'a'), dir]);
  t.deepEqual(await syncedFor('a', 'b', 'c'), []);
  t.deepEqual(await syncedFor('a', 'd'), [join(dir, 'a')]);
});
