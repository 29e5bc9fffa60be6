import test from 'ava';
import { treeOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { STORE_ONLY, startReceiver } from '../../support/receiver.js';

test('a base that is not the current revision is a conflict, and nothing changes', async (t) => {
  const { dir, post, find } = await startReceiver(t, STORE_ONLY);
  const data = article();
  const { url } = (await post('article.published', data)).json;
  const { revision_id } = await find(url);
  const before = treeOf(dir);
  for (const base_revision_id of [
    'stale',
    data.id,
    revision_id.toUpperCase(),
    `${revision_id} `,
    `${revision_id}0`,
  ]) {
    const request = update({ target_id: data.id, target_url: url, base_revision_id });
    const { status, json } = await post('article.updated', request);
    t.is(status, 409, base_revision_id);
    t.regex(json.error, /^Article revision conflict/);
  }
  t.deepEqual(treeOf(dir), before);
  t.is((await find(url)).revision_id, revision_id);
});
