import fs from 'node:fs';
import test from 'ava';
import { articleFiles, edit, fileOf, treeOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { startReceiver } from '../../support/receiver.js';

test('a redelivery answers the same id and URL and touches nothing', async (t) => {
  const { dir, post } = await startReceiver(t);
  const data = article();
  const first = await post('article.published', data);
  const before = treeOf(dir);

  t.is((await post('article.published', data)).text, first.text);
  // Only the id counts: a plugin of the service, or a person, may have changed the rest meanwhile.
  const renamed = {
    ...data,
    title: 'Another title',
    slug: 'another-slug',
    published_at: '2027-01-01T00:00:00Z',
  };
  t.is((await post('article.published', renamed)).text, first.text);
  t.deepEqual(treeOf(dir), before);
});

test('sixty deliveries of one id at once make one article', async (t) => {
  const { dir, post } = await startReceiver(t);
  const data = article();
  const answers = await Promise.all(Array.from({ length: 60 }, () => post('article.published', data)));
  t.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  t.is(new Set(answers.map(({ text }) => text)).size, 1);
  t.is(articleFiles(dir).length, 1);
});

test('a redelivery after an update, an edit and a restart still touches nothing', async (t) => {
  const receiver = await startReceiver(t);
  const { dir, post, find } = receiver;
  const data = article();
  const first = await post('article.published', data);
  const { url } = first.json;

  const { id: target_id, revision_id } = await find(url);
  const updated = update({ target_id, target_url: url, base_revision_id: revision_id });
  t.is((await post('article.updated', updated)).status, 200);
  let before = treeOf(dir);
  t.is((await post('article.published', data)).text, first.text, 'after an update');
  t.deepEqual(treeOf(dir), before);

  edit(fileOf(dir, data.id), 'Rewritten', 'By hand');
  before = treeOf(dir);
  t.is((await post('article.published', data)).text, first.text, 'after an edit');
  t.deepEqual(treeOf(dir), before);

  t.is(await receiver.stop(), 0);
  const again = await startReceiver(t, { dir });
  t.is((await again.post('article.published', data)).text, first.text, 'after a restart');
  t.deepEqual(treeOf(dir), before);
});

test('a redelivery finds an article that a person has moved', async (t) => {
  const { dir, post } = await startReceiver(t);
  const data = article();
  const first = await post('article.published', data);
  fs.renameSync(fileOf(dir, data.id), `${dir}/content/moved-by-hand.md`);
  t.is((await post('article.published', data)).text, first.text);
  t.is(articleFiles(dir).length, 1);
});

test('a copy that a person has given another URL is never what a redelivery answers', async (t) => {
  const receiver = await startReceiver(t);
  const { dir, post, find } = receiver;
  const data = article({ slug: 'original' });
  const first = await post('article.published', data);
  const { url } = first.json;
  const path = fileOf(dir, data.id);
  const { revision_id: base_revision_id } = await find(url);
  const copy = path.replace('original.md', 'original-translated.md');
  fs.writeFileSync(
    copy,
    fs.readFileSync(path, 'utf8').replaceAll('articles/original/', 'articles/translated/'),
  );
  t.is((await find(url.replace('original', 'translated'))).id, data.id);

  const updated = update({ target_id: data.id, target_url: url, base_revision_id });
  t.is((await post('article.updated', updated)).status, 200);
  t.is((await post('article.published', data)).text, first.text);
  await receiver.stop();
  const again = await startReceiver(t, { dir });
  t.is((await again.post('article.published', data)).text, first.text);
});
