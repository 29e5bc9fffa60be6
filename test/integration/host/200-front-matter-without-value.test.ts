import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { fileOf, readStored } from '../../support/content.js';
import { article } from '../../support/events.js';
import { startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

test('a front matter key without a value is left out, and the article can be read again', async (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'plugins'));
  const extra = "{ series: undefined, day: new Date(0), 'a key: #': ['x', null] }";
  fs.writeFileSync(
    join(dir, 'plugins/series.mjs'),
    `export default { name: 'series', setup: (host) => host.addFilter('article.frontMatter', () => (${extra})) };`,
  );
  const { post, find } = await startReceiver(t, { dir });
  const data = article();
  const { json } = await post('article.published', data);
  t.is((await find(json.url)).id, data.id);
  const stored = readStored(fileOf(dir, data.id));
  t.deepEqual(stored.article.extra, { day: '1970-01-01T00:00:00.000Z', 'a key: #': ['x', null] });
});
