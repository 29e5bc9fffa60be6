import test from 'ava';
import { treeOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { STORE_ONLY, startReceiver } from '../../support/receiver.js';

test('revision_id must equal id; nothing is written, whatever the target', async (t) => {
  const { dir, post, find } = await startReceiver(t, STORE_ONLY);
  const data = article();
  const { url } = (await post('article.published', data)).json;
  const { revision_id: base_revision_id } = await find(url);
  const before = treeOf(dir);
  for (const target of [
    { target_id: data.id, target_url: url, base_revision_id },
    { target_id: 'nobody', target_url: url, base_revision_id },
  ]) {
    const { status, json } = await post('article.updated', update(target, { revision_id: 'another' }));
    t.is(status, 400);
    t.regex(json.error, /data\.revision_id must equal data\.id/);
  }
  t.deepEqual(treeOf(dir), before);
});
