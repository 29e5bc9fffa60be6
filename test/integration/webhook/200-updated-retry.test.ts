import test from 'ava';
import { treeOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { STORE_ONLY, startReceiver } from '../../support/receiver.js';

test('a retry of the current revision is a 200 that touches nothing, whatever else it says', async (t) => {
  const receiver = await startReceiver(t, STORE_ONLY);
  const { dir, post, find } = receiver;
  const data = article();
  const { url } = (await post('article.published', data)).json;
  const { revision_id: base_revision_id } = await find(url);
  const request = update({ target_id: data.id, target_url: url, base_revision_id });
  const first = await post('article.updated', request);
  t.is(first.status, 200);

  const before = treeOf(dir);
  for (const retry of [
    request,
    { ...request, base_revision_id: 'something-else' },
    { ...request, title: 'Other' },
  ]) {
    const again = await post('article.updated', retry);
    t.deepEqual([again.status, again.text], [200, first.text]);
  }
  t.deepEqual(treeOf(dir), before);

  t.is(await receiver.stop(), 0);
  const restarted = await startReceiver(t, { dir });
  t.is((await restarted.post('article.updated', request)).text, first.text);
  t.deepEqual(treeOf(dir), before);
});

test('an old retry after a newer update is a 409', async (t) => {
  const { dir, post, find } = await startReceiver(t, STORE_ONLY);
  const data = article();
  const { url } = (await post('article.published', data)).json;
  const { revision_id: base_revision_id } = await find(url);
  const target = { target_id: data.id, target_url: url };
  const first = update({ ...target, base_revision_id });
  const second = update({ ...target, base_revision_id: first.revision_id });
  t.is((await post('article.updated', first)).status, 200);
  t.is((await post('article.updated', second)).status, 200);
  const before = treeOf(dir);
  t.is((await post('article.updated', first)).status, 409);
  t.is((await post('article.updated', second)).status, 200);
  t.deepEqual(treeOf(dir), before);
});

test('twenty retries at once are one update', async (t) => {
  const { post, find } = await startReceiver(t, STORE_ONLY);
  const data = article();
  const { url } = (await post('article.published', data)).json;
  const { revision_id: base_revision_id } = await find(url);
  const request = update({ target_id: data.id, target_url: url, base_revision_id });
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('article.updated', request)));
  t.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 200),
  );
});
