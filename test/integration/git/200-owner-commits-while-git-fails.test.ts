import fs from 'node:fs';
import test from 'ava';
import { gitIn } from '../../support/clones.js';
import { siteWithArticle } from '../../support/edited-site.js';
import { until } from '../../support/until.js';

test('200: what the owner commits after an update, while git fails, is not undone by the commits that come late', async (t) => {
  const { dir, git, receiver, file, path, edit, subjects } = await siteWithArticle(t, 'disk');
  await until(() => subjects().length === 1);
  const { request } = await edit(receiver, 'my words\n');
  git.set('fail', 'symbolic-ref');
  t.is((await receiver.post('article.updated', request)).status, 200);
  await until(() => receiver.log.some(({ msg }) => msg.startsWith('not committed')));
  fs.appendFileSync(file, 'more words\n');
  gitIn(dir, 'commit', '--quiet', '-m', 'Mine', '--', path);
  const mine = gitIn(dir, 'rev-parse', `HEAD:${path}`);
  git.mend();
  await until(() => receiver.log.some(({ msg }) => msg === 'commits work again'));
  t.is(await receiver.stop(), 0);
  t.deepEqual(subjects(), ['Publish: Keeping bees on a balcony', 'Mine']);
  t.is(gitIn(dir, 'rev-parse', `HEAD:${path}`), mine, subjects().join('\n'));
});
