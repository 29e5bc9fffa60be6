import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { gitIn, launchIn } from '../../support/clones.js';
import { fileOf, readStored } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

test('200: at level disk a publish and its update are answered while somebody holds the index, and committed later', async (t) => {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet', '--initial-branch=main');
  fs.writeFileSync(join(dir, 'pressmark.config.json'), JSON.stringify({ site: false, durability: 'disk' }));
  gitIn(dir, 'add', '.');
  gitIn(dir, 'commit', '--quiet', '-m', 'First');
  const receiver = await launchIn(dir);
  t.teardown(() => receiver.kill('SIGKILL'));

  const lock = join(dir, '.git', 'index.lock');
  fs.writeFileSync(lock, 'somebody else’s');
  const data = article();
  const { status, json } = await receiver.post('article.published', data);
  t.is(status, 200);
  const { revision } = readStored(fileOf(dir, data.id)).article;
  const change = update({ target_id: data.id, target_url: json.url, base_revision_id: revision });
  t.is((await receiver.post('article.updated', change)).status, 200);
  t.is(readStored(fileOf(dir, data.id)).article.revision, change.revision_id);

  // it has given up waiting, and has left lock and branch alone
  await until(() => receiver.log.some(({ msg }) => msg === 'parked'));
  t.is(fs.readFileSync(lock, 'utf8'), 'somebody else’s');
  t.is(gitIn(dir, 'log', '--format=%s', 'main').trim(), 'First');

  fs.rmSync(lock);
  const revisions = () =>
    gitIn(dir, 'log', '--reverse', '--format=%(trailers:key=Revision-Id,valueonly,separator=)', 'main')
      .split('\n')
      .filter((line) => line !== '');
  await until(() => revisions().length === 2);
  t.deepEqual(revisions(), [revision, change.revision_id]);
  await until(() => gitIn(dir, 'status', '--porcelain', 'content') === '');
  t.is(await receiver.stop(), 0);
  t.deepEqual(
    fs.readdirSync(join(dir, '.git')).filter((name) => name.endsWith('.lock')),
    [],
  );
});
