import test from 'ava';
import { article, update } from '../../support/events.js';
import { STORE_ONLY, startReceiver } from '../../support/receiver.js';

test('of thirty updates on one base exactly one wins, and it is what stands there', async (t) => {
  const { post, find } = await startReceiver(t, STORE_ONLY);
  const data = article();
  const { url } = (await post('article.published', data)).json;
  for (let round = 0; round < 3; round++) {
    const { revision_id: base_revision_id } = await find(url);
    const rivals = Array.from({ length: 30 }, () =>
      update({ target_id: data.id, target_url: url, base_revision_id }),
    );
    const answers = await Promise.all(rivals.map((rival) => post('article.updated', rival)));
    const winners = rivals.filter((_, n) => answers[n]?.status === 200);
    t.is(winners.length, 1);
    t.is(answers.filter(({ status }) => status === 409).length, 29);
    t.like(await find(url), { revision_id: winners[0]?.revision_id, content_html: winners[0]?.content_html });
  }
});
