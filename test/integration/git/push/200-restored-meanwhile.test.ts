import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { follow } from '../../../../src/git/push/follow.js';
import { commitAndPush, gitIn, makeRemote } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';
import { followerOf } from './follower.js';

const FILE = 'content/a.md';

/** A clone that follows the remote from `old` to `new`, and what a person does there before the index follows. */
async function followWhile(t: ExecutionContext, meanwhile: (dir: string) => void) {
  const clones = makeRemote(tempDir(t));
  const [dir, other] = [clones.clone('a'), clones.clone('b')];
  commitAndPush(other, FILE, 'old\n');
  gitIn(dir, 'pull', '--quiet');
  const tip = commitAndPush(other, FILE, 'new\n');
  gitIn(dir, 'fetch', '--quiet');
  const { locker, staging, worktree, options } = await followerOf(dir);
  t.teardown(locker.close);
  const { bases } = worktree;
  let done = false;
  const followed = await follow(tip, {
    ...options,
    worktree: {
      ...worktree,
      bases: {
        ...bases,
        recordStale: async (...args) => {
          const stale = await bases.recordStale(...args);
          if (!done) meanwhile(dir);
          done = true;
          return stale;
        },
      },
    },
  });
  t.like(followed, { tip });
  t.is(gitIn(dir, 'rev-parse', 'HEAD').trim(), tip);
  t.is(fs.statSync(join(dir, FILE)).nlink, 1);
  await worktree.close();
  t.deepEqual(fs.readdirSync(staging), []);
  const stale = (await bases.stale()).get(FILE);
  const text = fs.readFileSync(join(dir, FILE), 'utf8');
  return { text, origin: stale ?? bases.get(FILE), status: gitIn(dir, 'status', '--porcelain') };
}

/** What git calls a text: `printf 'old\\n' | git hash-object --stdin`. */
const NAMES = {
  old: '3367afdbbf91e638efe983616377c60477cc6612',
  new: '3e757656cf36eca53338e520d134963a44f793f8',
};

test('a file that is restored from the index just before the index follows is replaced once more', async (t) => {
  const { text, status, origin } = await followWhile(t, (dir) => {
    // A second name keeps its inode from being given to the file that git puts in its place, as ext4 without a
    // journal would at once.
    t.is(fs.statSync(join(dir, FILE)).nlink, 2);
    gitIn(dir, 'restore', FILE);
  });
  t.deepEqual({ text, status, origin }, { text: 'new\n', status: '', origin: NAMES.new });
});

test('a file that is restored and edited then keeps the edit, made from the version before', async (t) => {
  const { text, status, origin } = await followWhile(t, (dir) => {
    gitIn(dir, 'restore', FILE);
    fs.appendFileSync(join(dir, FILE), 'words\n');
  });
  t.deepEqual({ text, status, origin }, { text: 'old\nwords\n', status: ` M ${FILE}\n`, origin: NAMES.old });
});

test('a file that is edited then keeps the edit, made from the new version', async (t) => {
  const { text, status, origin } = await followWhile(t, (dir) =>
    fs.appendFileSync(join(dir, FILE), 'words\n'),
  );
  t.deepEqual({ text, status, origin }, { text: 'new\nwords\n', status: ` M ${FILE}\n`, origin: NAMES.new });
});
