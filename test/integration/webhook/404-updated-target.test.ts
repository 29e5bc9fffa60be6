import test from 'ava';
import { treeOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { STORE_ONLY, startReceiver } from '../../support/receiver.js';

test('target_id and target_url must name the same stored article', async (t) => {
  const { dir, post, find } = await startReceiver(t, STORE_ONLY);
  const [one, other] = [article(), article()];
  const url = (await post('article.published', one)).json.url;
  const otherUrl = (await post('article.published', other)).json.url;
  const { revision_id: base_revision_id } = await find(url);
  const before = treeOf(dir);

  const targets = [
    { target_id: 'nobody', target_url: url },
    { target_id: one.id, target_url: otherUrl },
    { target_id: other.id, target_url: url },
    { target_id: one.id, target_url: `${url}x` },
    { target_id: one.id, target_url: `${url}?x=1` },
    { target_id: one.id, target_url: url.replace('https', 'http') },
    { target_id: one.id.toUpperCase(), target_url: url },
    { target_id: `${one.id} `, target_url: url },
  ];
  for (const target of targets) {
    const { status, json } = await post('article.updated', update({ ...target, base_revision_id }));
    t.is(status, 404, JSON.stringify(target));
    t.regex(json.error, /do not name the same stored article/);
  }
  t.deepEqual(treeOf(dir), before);
});

test('an update of nothing inserts nothing', async (t) => {
  const { dir, post } = await startReceiver(t, STORE_ONLY);
  const target = { target_id: 'a', target_url: 'https://garden.example/articles/a/', base_revision_id: 'r' };
  t.is((await post('article.updated', update(target))).status, 404);
  t.deepEqual(treeOf(dir), []);
});
