import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { startBuilderEarly } from '../../../src/app/start-builder.js';
import { loadSettings } from '../../../src/config/load.js';
import { article } from '../../support/events.js';
import { launch } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

test('the builder’s thread says when it knows what was built last, and whether that stands', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'pressmark.config.json'), '{ "siteUrl": "https://garden.example" }');
  const settings = await loadSettings(dir, {}, {});
  const first = startBuilderEarly(settings, false);
  await first.prepared();
  t.false(first.stands());
  await first.close();

  const receiver = await launch(dir);
  t.is((await receiver.post('article.published', article({ slug: 'bees' }))).status, 200);
  await until(() => fs.existsSync(join(dir, 'public/articles/bees/index.html')));
  await receiver.stop();
  const second = startBuilderEarly(await loadSettings(dir, {}, {}), false);
  t.teardown(second.close);
  await second.prepared();
  t.true(second.stands());
});

test('where there is no site, nobody waits for it', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'pressmark.config.json'), '{ "site": false }');
  const none = startBuilderEarly(await loadSettings(dir, {}, {}), false);
  await none.prepared();
  t.false(none.stands());
});
