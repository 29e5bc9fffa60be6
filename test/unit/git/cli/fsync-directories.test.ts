import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createDirectorySync } from '../../../../src/git/cli/fsync-directories.js';
import { tempDir } from '../../../support/temp-dir.js';

/** Folders as git makes them; what is looked at is seen by a link to itself there, which cannot be. */
function makeRepository(folder: string, gitDir = join(folder, '.git')) {
  const commonDir = join(folder, '.git');
  fs.mkdirSync(join(commonDir, 'objects', 'pack'), { recursive: true });
  fs.mkdirSync(gitDir, { recursive: true });
  const trap = (path: string) => {
    fs.mkdirSync(join(path, '..'), { recursive: true });
    fs.symlinkSync(path, path);
  };
  return { sync: createDirectorySync({ commonDir, gitDir }), commonDir, gitDir, trap };
}

test('the folders of a branch and of the objects are synced', async (t) => {
  const { sync, commonDir, trap } = makeRepository(tempDir(t));
  fs.mkdirSync(join(commonDir, 'refs/heads/feature'), { recursive: true });
  await t.notThrowsAsync(sync('refs/heads/feature/x'));
  trap(join(commonDir, 'refs/heads/other'));
  await t.throwsAsync(sync('refs/heads/other/x'), { code: 'ELOOP' });
  await t.notThrowsAsync(sync('refs/heads/packed/away'));
});

test('a linked worktree’s own refs are in its own folder', async (t) => {
  const folder = tempDir(t);
  const { sync, gitDir, trap } = makeRepository(folder, join(folder, '.git/worktrees/second'));
  trap(join(gitDir, 'refs/worktree/pressmark'));
  await t.throwsAsync(sync('refs/worktree/pressmark/parked'), { code: 'ELOOP' });
});

test('with reftable, the folder reftable is synced, although a file stands where refs/heads was', async (t) => {
  const { sync, commonDir, trap } = makeRepository(tempDir(t));
  fs.mkdirSync(join(commonDir, 'refs'));
  fs.writeFileSync(join(commonDir, 'refs/heads'), 'this repository uses the reftable format\n');
  await t.notThrowsAsync(sync('refs/heads/feature/x'));
  trap(join(commonDir, 'reftable'));
  await t.throwsAsync(sync('refs/heads/feature/x'), { code: 'ELOOP' });
});
