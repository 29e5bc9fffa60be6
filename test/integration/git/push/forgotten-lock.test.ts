import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { follow } from '../../../../src/git/push/follow.js';
import { commitAndPush, gitIn, makeRemote } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';
import { followerOf } from './follower.js';

test('a lock that a receiver has left, killed while others run, keeps no branch from following', async (t) => {
  const clones = makeRemote(tempDir(t));
  const [dir, other] = [clones.clone('a'), clones.clone('b')];
  const newest = commitAndPush(other, 'content/a.md', 'a\n');
  gitIn(dir, 'fetch', '--quiet');
  const { options, close } = await followerOf(dir);
  t.teardown(close);
  const move = { ref: 'refs/heads/main', to: newest, since: Date.now() };
  fs.mkdirSync(join(dir, '.git/pressmark'), { recursive: true });
  fs.writeFileSync(join(dir, '.git/pressmark/token-dead'), `${JSON.stringify(move)}\n`);
  fs.writeFileSync(join(dir, '.git/HEAD.lock'), '');
  t.deepEqual(await follow(newest, options), { kind: 'followed', tip: newest });
  t.is(gitIn(dir, 'status', '--porcelain'), '');
});
