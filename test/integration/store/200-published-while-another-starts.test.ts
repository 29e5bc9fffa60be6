import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { articleFiles } from '../../support/content.js';
import { article } from '../../support/events.js';
import { createFaults } from '../../support/faults.js';
import { startReceiver } from '../../support/receiver.js';
import { until } from '../../support/until.js';

test('what one receiver stores between another’s first look and its first lock is not stored twice', async (t) => {
  const faults = createFaults(t);
  const holder = await startReceiver(t, faults.options);
  const data = article();
  // It holds the lock, and its file is written but has no name yet.
  faults.set({ call: 'link', path: '\\.tmp$', stop: true, times: 1 });
  const stored = holder.post('article.published', data);
  await until(() => faults.trace().some(({ call }) => call === 'link'));

  const starting = startReceiver(t, { dir: holder.dir });
  await until(() => fs.readdirSync(join(holder.dir, '.pressmark/waiting')).length === 1);
  holder.signal('SIGCONT');
  const other = await starting;
  t.is((await other.post('article.published', data)).text, (await stored).text);
  t.is(articleFiles(holder.dir).length, 1);
});
