import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createLock } from '../../../../src/fs/lock.js';
import { findLockHelper } from '../../../../src/fs/lock-helper.js';
import { gitIn, launchMachine, makeRemote } from '../../../support/clones.js';
import { article } from '../../../support/events.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

test('200: an answer does not wait for a work tree that is held for long; the file comes later', async (t) => {
  const clones = makeRemote(tempDir(t));
  const dir = clones.clone('site');
  const receiver = await launchMachine(dir);
  t.teardown(() => receiver.kill('SIGKILL'));
  // as while the branch follows a large change
  const held = createLock({ directory: join(dir, '.pressmark'), helper: findLockHelper() });
  await held.enter();
  t.is((await receiver.post('article.published', article())).status, 200);
  const [path = ''] = clones.articles().keys();
  t.false(fs.existsSync(join(dir, path)));
  // the lock is waited for, for 20 s; then the file is left to the follower
  t.false(receiver.log.some(({ msg }) => msg.includes('could not be written into the work tree')));
  held.leave();
  held.close();
  await until('the file is there', () => fs.existsSync(join(dir, path)));
  await until('the work tree is clean', () => gitIn(dir, 'status', '--porcelain') === '');
  t.is(gitIn(dir, 'rev-parse', 'HEAD'), clones.git('rev-parse', 'main'));
});
