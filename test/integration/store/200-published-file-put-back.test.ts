import fs from 'node:fs';
import test from 'ava';
import { articleFiles, fileOf } from '../../support/content.js';
import { article } from '../../support/events.js';
import { startReceiver } from '../../support/receiver.js';

test('a redelivery finds a file that was put back a moment ago, and does not store it twice', async (t) => {
  const { dir, post } = await startReceiver(t);
  const data = article();
  const { text, json } = await post('article.published', data);
  const path = fileOf(dir, data.id);
  const theirs = fs.readFileSync(path);
  fs.unlinkSync(path);
  t.is((await post('article.lookup', { target_url: json.url })).status, 404);

  // As a checkout of another branch and back does.
  fs.writeFileSync(path, theirs);
  t.is((await post('article.published', data)).text, text);
  t.deepEqual(articleFiles(dir), [path]);
});
