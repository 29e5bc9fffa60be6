import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { follow } from '../../../../src/git/push/follow.js';
import { createPushStatus } from '../../../../src/git/push/push-status.js';
import { FETCHED_REF } from '../../../../src/git/push/remote.js';
import { createWorktreeFollower } from '../../../../src/git/remote-store/worktree-follower.js';
import { commitAndPush, gitIn, makeRemote } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';
import { followerOf } from './follower.js';

// Where the remote is given by a URL, there is no remote-tracking branch, and nothing but FETCHED_REF leads to what was fetched.

/** A clone that has fetched two commits from a URL, as by a fetch that comes while the branch follows the first one. */
async function fetchedTwice(t: ExecutionContext) {
  const clones = makeRemote(tempDir(t));
  const [dir, other] = [clones.clone('a'), clones.clone('b')];
  const first = commitAndPush(other, 'content/a.md', 'a\n');
  const second = commitAndPush(other, 'content/b.md', 'b\n');
  gitIn(dir, '-c', 'fetch.unpackLimit=1', 'fetch', '--quiet', '--no-write-fetch-head', clones.remote, 'main');
  gitIn(dir, 'update-ref', FETCHED_REF, second);
  const { options, close } = await followerOf(dir);
  t.teardown(close);
  return { dir, first, second, options };
}

function assertKept(t: ExecutionContext, dir: string, commit: string): void {
  gitIn(dir, 'repack', '-a', '-d', '-q');
  t.notThrows(() => gitIn(dir, 'rev-list', '--objects', commit));
  t.is(gitIn(dir, 'rev-parse', FETCHED_REF).trim(), commit);
}

test('what was fetched while the branch followed an earlier commit outlives a repack', async (t) => {
  const { dir, first, second, options } = await fetchedTwice(t);
  t.deepEqual(await follow(first, options), { kind: 'followed', tip: first });
  t.is(gitIn(dir, 'rev-parse', 'HEAD').trim(), first);
  assertKept(t, dir, second);
  t.deepEqual(await follow(second, options), { kind: 'followed', tip: second });
});

test('what was fetched while the branch could not follow an earlier commit outlives a repack', async (t) => {
  const { dir, first, second, options } = await fetchedTwice(t);
  gitIn(dir, 'checkout', '--quiet', '--detach');
  let released = 0;
  const follower = createWorktreeFollower({
    ...options,
    status: createPushStatus(join(dir, 'push.json')),
    tip: () => first,
    releaseLater: () => async () => {
      released++;
    },
  });
  t.teardown(() => follower.close());
  follower.request();
  await until('the follower has made an attempt', () => released > 0);
  assertKept(t, dir, second);
});
