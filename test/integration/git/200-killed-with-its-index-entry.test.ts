import test from 'ava';
import { gitIn, launchIn } from '../../support/clones.js';
import { siteWithArticle } from '../../support/edited-site.js';
import { update } from '../../support/events.js';
import { until } from '../../support/until.js';

// The index gets its entry before the branch moves: a receiver that is killed in between leaves it there.

test('200: what a killed receiver has put into the index is not taken for something that its owner has staged', async (t) => {
  const { dir, git, receiver, path, subjects } = await siteWithArticle(t, 'disk');
  await until(() => subjects().length === 1);
  const other = await launchIn(dir);
  t.teardown(() => other.kill('SIGKILL'));
  const { find, post } = receiver;
  const url = gitIn(dir, 'show', `HEAD:${path}`).match(/^url: "(.*)"$/m)?.[1] ?? '';
  const request = async (look: typeof find) => {
    const { id, revision_id: base_revision_id } = await look(url);
    return update({ target_id: id, target_url: url, base_revision_id });
  };
  git.set('killed-before', 'update-ref');
  t.is((await post('article.updated', await request(find))).status, 200);
  await receiver.kill('SIGCONT'); // waits for its end
  t.is((await other.post('article.updated', await request(other.find))).status, 200);
  await until(() => subjects().at(-1)?.startsWith('Update') === true && subjects().length >= 2);
  await until(() => other.log.some(({ msg }) => msg === 'committed'));
  // the text that the update has replaced may have a batch of its own before it
  await until(() => gitIn(dir, 'status', '--porcelain', 'content') === '');
  t.is(await other.stop(), 0);
});
