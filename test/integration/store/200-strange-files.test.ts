import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { articleFiles, fileOf } from '../../support/content.js';
import { article } from '../../support/events.js';
import { createFaults } from '../../support/faults.js';
import { startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

test('a symbolic link that leads nowhere has its name, and the article gets another', async (t) => {
  const { dir, post, find } = await startReceiver(t);
  const first = article({ slug: 'bees' });
  await post('article.published', first);
  fs.symlinkSync('gone.md', join(fileOf(dir, first.id), '../wasps.md'));

  const second = article({ slug: 'wasps' });
  const { status, json } = await post('article.published', second);
  t.is(status, 200);
  t.is((await find(json.url)).id, second.id);
});

test('links in a circle are no article, and no other article’s trouble', async (t) => {
  const first = await startReceiver(t);
  const { dir } = first;
  const data = article();
  const { json } = await first.post('article.published', data);
  fs.symlinkSync('circle.md', join(fileOf(dir, data.id), '../circle.md'));

  t.is((await first.find(json.url)).id, data.id);
  t.is(await first.stop(), 0);
  const second = await startReceiver(t, { dir });
  t.is((await second.find(json.url)).id, data.id);
  t.is((await second.post('article.published', article({ slug: 'circle' }))).status, 200);
});

test('a file that may not be read is skipped with a warning, and never stored twice', async (t) => {
  const faults = createFaults(t);
  const first = await startReceiver(t, faults.options);
  const { dir } = first;
  const [hidden, open] = [article({ slug: 'hidden' }), article()];
  const hiddenAnswer = await first.post('article.published', hidden);
  const openAnswer = await first.post('article.published', open);
  t.is(await first.stop(), 0);

  const path = fileOf(dir, hidden.id);
  fs.utimesSync(path, new Date(), new Date()); // it must be read anew
  fs.chmodSync(path, 0); // the fault is for testers who may read everything
  faults.set({ call: 'open', path: 'hidden\\.md$', code: 'EACCES' });
  const { log, post, find } = await startReceiver(t, { ...faults.options, dir });
  t.truthy(log.find(({ reason }) => reason === 'line 1: the file may not be read'));
  t.is((await post('article.published', hidden)).status, 500, 'whether it is durable cannot be told');
  t.is((await find(openAnswer.json.url)).id, open.id);
  t.is((await post('article.published', article())).status, 200);
  fs.chmodSync(path, 0o644);
  faults.clear();
  t.is((await post('article.published', hidden)).text, hiddenAnswer.text);
  t.is(articleFiles(dir).length, 3);
});

test('a folder that is a symbolic link gives no article a second place', async (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'content/articles/2026/11'), { recursive: true });
  fs.symlinkSync('articles/2026', join(dir, 'content/latest'));
  const { post, find, log } = await startReceiver(t, { dir });
  const data = article();
  const { json } = await post('article.published', data);
  // What the watcher tells comes in order: once it has told of a malformed file, it has told of this one.
  fs.writeFileSync(join(dir, 'content/articles/2026/11/later.md'), '---\n');
  await until(() => log.some(({ msg }) => msg.startsWith('malformed article file')));
  t.is((await find(json.url)).id, data.id);
});
