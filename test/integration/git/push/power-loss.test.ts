// Before the modules that it observes.
import '../../../support/recorded-syncs.js';

import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { follow } from '../../../../src/git/push/follow.js';
import { commitAndPush, gitIn, makeRemote } from '../../../support/clones.js';
import { recorder, syncs } from '../../../support/recorded-syncs.js';
import { tempDir } from '../../../support/temp-dir.js';
import { followerOf } from './follower.js';

test('the folders of new, changed and removed files are on the disk before the branch has the files', async (t) => {
  const clones = makeRemote(tempDir(t));
  const [dir, other] = [clones.clone('a'), clones.clone('b')];
  commitAndPush(other, 'content/old/a.md', 'a\n');
  commitAndPush(other, 'content/b.md', 'b\n');
  commitAndPush(other, 'notes/c.txt', 'c\n');
  gitIn(dir, 'pull', '--quiet');
  const before = gitIn(dir, 'rev-parse', 'HEAD').trim();
  gitIn(other, 'mv', 'content/old/a.md', 'content/a.md');
  gitIn(other, 'commit', '--quiet', '-m', 'Move a');
  commitAndPush(other, 'notes/c.txt', 'more\n');
  const newest = commitAndPush(other, 'content/2026/11/d.md', 'd\n');
  gitIn(dir, 'fetch', '--quiet');

  const { options, close } = await followerOf(dir);
  const isThere = (path: string) => fs.existsSync(join(dir, path));
  const files = ['content/a.md', 'content/2026/11/d.md'];
  recorder.observe = () =>
    [
      gitIn(dir, 'rev-parse', 'HEAD').trim() === before ? 'branch before' : 'branch after',
      ...(files.every(isThere) && !isThere('content/old') ? ['files after'] : []),
    ].join(', ');
  syncs.length = 0;
  const followed = await follow(newest, options);
  recorder.observe = () => '';
  await close();
  t.like(followed, { kind: 'followed', tip: newest });
  const inTime = new Set(
    syncs.filter(({ observed }) => observed === 'branch before, files after').map(({ path }) => path),
  );
  for (const folder of ['', 'content', 'content/2026', 'content/2026/11', 'notes'])
    t.true(inTime.has(join(fs.realpathSync(dir), folder)), folder);
});
