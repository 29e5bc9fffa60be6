import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { gitIn, launchMachine } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';
import { idsOnRemote, makePushingSite, publish } from './pushing-site.js';

test('200: articles of the remote are not committed a second time after a kill between the files and the branch', async (t) => {
  const { clones, dir, receiver } = await makePushingSite(tempDir(t), { push: { debounce: 600_000 } });
  t.teardown(() => receiver.kill('SIGKILL'));
  await receiver.kill('SIGKILL');

  const other = await launchMachine(clones.clone('other'));
  t.teardown(() => other.kill('SIGKILL'));
  const theirs = await publish(other);
  const [path = ''] = clones.articles().keys();
  // as the follower leaves it: what was fetched is remembered, the file is there, the branch has not moved
  gitIn(dir, 'fetch', '--quiet', 'origin', 'main:refs/pressmark/remote');
  fs.mkdirSync(dirname(join(dir, path)), { recursive: true });
  fs.writeFileSync(join(dir, path), clones.articles().get(path) ?? '');

  const again = await launchMachine(dir);
  t.teardown(() => again.kill('SIGKILL'));
  const own = await publish(again);
  const subjects = () => gitIn(dir, 'log', '--format=%s').split('\n').slice(0, -1);
  await until('the new article is committed', () =>
    subjects().some((subject) => subject.startsWith('Publish')),
  );
  t.is(subjects().length, 2, subjects().join(', '));
  t.is(await again.stop(), 0);
  t.deepEqual(idsOnRemote({ clones }).sort(), [own, theirs].sort());
  t.is(gitIn(dir, 'status', '--porcelain'), '');
});
