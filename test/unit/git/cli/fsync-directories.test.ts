import fs from 'node:fs';
import { join, relative } from 'node:path';
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
  return { sync: createDirectorySync({ commonDir, gitDir }).syncObjectsAndRef, commonDir, gitDir, trap };
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

test.serial('no more than eight folders are synced at a time', async (t) => {
  const { sync, commonDir } = makeRepository(tempDir(t));
  for (let index = 16; index < 56; index++) fs.mkdirSync(join(commonDir, 'objects', index.toString(16)));
  const { openSync, closeSync } = fs;
  const open = new Set<number>();
  const counts: number[] = [];
  fs.openSync = (...args) => {
    const fd = openSync(...args);
    counts.push(open.add(fd).size);
    return fd;
  };
  fs.closeSync = (fd) => {
    open.delete(fd);
    closeSync(fd);
  };
  try {
    await sync('refs/heads/main');
  } finally {
    Object.assign(fs, { openSync, closeSync });
  }
  t.true(counts.length > 40);
  t.is(Math.max(...counts), 8);
});

/** The folders below a repository that are synced while `work` runs. */
async function syncedBy(commonDir: string, work: () => Promise<void>): Promise<string[]> {
  const { openSync } = fs;
  const opened: string[] = [];
  fs.openSync = (path, ...rest) => {
    const fd = openSync(path, ...rest);
    opened.push(relative(commonDir, String(path)));
    return fd;
  };
  try {
    await work();
  } finally {
    fs.openSync = openSync;
  }
  return opened.filter((path) => !path.startsWith('..')).sort();
}

test.serial('a folder is synced again when it may have changed, and no more often', async (t) => {
  const { commonDir, gitDir } = makeRepository(tempDir(t));
  const [now, before] = [new Date(), new Date(Date.now() - 3_600_000)];
  const { syncObjectsAndRef: sync } = createDirectorySync({ commonDir, gitDir, now: () => now.getTime() });
  const [fan, old] = ['1a', '2b'].map((name) => join(commonDir, 'objects', name));
  const refs = join(commonDir, 'refs', 'heads');
  if (fan === undefined || old === undefined) throw new Error('no folders');
  for (const folder of [fan, old, refs]) fs.mkdirSync(folder, { recursive: true });
  const all = [commonDir, refs, join(refs, '..'), fan, old, join(commonDir, 'objects', 'pack')];
  /** A clock of the file system that stands still; the time of `old` is long ago. */
  const stop = () => {
    for (const folder of [...all, join(commonDir, 'objects')])
      fs.utimesSync(folder, now, folder === old ? before : now);
  };
  const synced = () => {
    stop();
    return syncedBy(commonDir, () => sync('refs/heads/main'));
  };
  const own = ['', 'refs', 'refs/heads'];
  t.deepEqual(await synced(), [...own, 'objects', 'objects/1a', 'objects/2b', 'objects/pack'].sort());
  // a ref may have been replaced in the same moment, and an object not
  t.deepEqual(await synced(), own);
  fs.writeFileSync(join(fan, 'an object'), '');
  t.deepEqual(await synced(), [...own, 'objects/1a'].sort());
  t.deepEqual(await synced(), own);
  fs.mkdirSync(join(commonDir, 'objects', '3c'));
  t.deepEqual(await synced(), [...own, 'objects', 'objects/3c'].sort());
});
