import fs from 'node:fs';
import test from 'ava';
import { gitIn } from '../../support/clones.js';
import { siteWithArticle } from '../../support/edited-site.js';
import { update } from '../../support/events.js';
import { until } from '../../support/until.js';

test('200: an edit made after a receiver was killed over the index entry of an update is committed', async (t) => {
  const { dir, git, receiver, start, file, path, subjects } = await siteWithArticle(t, 'disk');
  await until(() => subjects().length === 1);
  const url = gitIn(dir, 'show', `HEAD:${path}`).match(/^url: "(.*)"$/m)?.[1] ?? '';
  const { id, revision_id: base_revision_id } = await receiver.find(url);
  git.set('killed-before', 'update-ref');
  const request = update({ target_id: id, target_url: url, base_revision_id });
  t.is((await receiver.post('article.updated', request)).status, 200);
  await receiver.kill('SIGCONT'); // waits for its end
  fs.appendFileSync(file, 'my words\n');
  const again = await start();
  await until(() => subjects().length === 2);
  await again.stop();
  t.is(gitIn(dir, 'status', '--porcelain', 'content'), '');
  t.is(gitIn(dir, 'show', `HEAD:${path}`), fs.readFileSync(file, 'utf8'));
});
