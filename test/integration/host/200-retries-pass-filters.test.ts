import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { treeOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { startReceiver } from '../../support/receiver.js';

test('what is stored already is answered whatever a plugin does to new articles, also after a restart', async (t) => {
  const first = await startReceiver(t);
  const { dir } = first;
  const data = article();
  const { text, json } = await first.post('article.published', data);
  const { revision_id: base_revision_id } = await first.find(json.url);
  const request = update({ target_id: data.id, target_url: json.url, base_revision_id });
  const updated = await first.post('article.updated', request);
  t.is(await first.stop(), 0);

  fs.mkdirSync(join(dir, 'plugins'));
  const code = `export default { name: 'broken', setup: (host) => host.addFilter('article.draft', () => { throw new Error('no'); }) };`;
  fs.writeFileSync(join(dir, 'plugins/broken.mjs'), code);
  const { post } = await startReceiver(t, { dir });
  const before = treeOf(dir);
  t.is((await post('article.published', data)).text, text);
  t.is((await post('article.updated', request)).text, updated.text);
  t.is((await post('article.published', article())).status, 500);
  t.deepEqual(treeOf(dir), before);
});
