import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { article } from '../../support/events.js';
import { startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

test('a filter that fails is named in the answer, its own words only in the log', async (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'plugins'));
  fs.writeFileSync(
    join(dir, 'plugins/lists.mjs'),
    `import fs from 'node:fs';
     export default {
       name: 'lists',
       setup: (host) => host.addFilter('article.draft', () => fs.readFileSync(host.siteDir + '/list.json')),
     };`,
  );
  const { post, log } = await startReceiver(t, { dir });
  const { status, json } = await post('article.published', article());
  t.is(status, 500);
  t.regex(json.error, /^filter article\.draft of plugin lists failed/);
  t.false(json.error.includes(dir), json.error);
  await until(() => JSON.stringify(log).includes('list.json'));
});
