import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { articleFiles } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { startReceiver } from '../../support/receiver.js';
import { until } from '../../support/until.js';

test('the state folder may be removed at any time: nothing fails, nothing is lost', async (t) => {
  const { dir, post, find, log } = await startReceiver(t);
  const data = article();
  const { text, json } = await post('article.published', data);
  const target = { target_id: data.id, target_url: json.url };
  // Whoever still writes there is let finish: removing must be the last thing that happens.
  await until(() => log.some(({ msg }) => msg === 'site built'));
  const remove = () => removeWhole(join(dir, '.pressmark'));

  remove();
  const { revision_id: base_revision_id } = await find(json.url);
  remove();
  t.is((await post('article.updated', update({ ...target, base_revision_id }))).status, 200);
  remove();
  t.is((await post('article.published', data)).text, text);
  remove();
  t.is((await post('article.published', article())).status, 200);
  t.is(articleFiles(dir).length, 2);
});

/** Removes a folder into which somebody still writes: what has come meanwhile goes, too. */
function removeWhole(folder: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      fs.rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (attempt === 50 || (error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    }
  }
}
