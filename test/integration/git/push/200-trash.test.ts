import fs from 'node:fs';
import { join, relative } from 'node:path';
import test from 'ava';
import { articlesOf, withCaller } from '../../../support/articles-of.js';
import { gitIn, inClone, makeRemote } from '../../../support/clones.js';
import { fileOfSoon } from '../../../support/content.js';
import { article } from '../../../support/events.js';
import { startHere } from '../../../support/receiver-here.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

const ADA = { name: 'Ada', email: 'ada@example.org' };
const BO = { name: 'Bo', email: 'bo@example.org' };

test('200: at level push an article is in the trash, and is restored to the byte, when the remote has it so', async (t) => {
  const clones = makeRemote(tempDir(t));
  const [a, b] = await Promise.all(
    ['a', 'b'].map((name) => startHere(t, { ...inClone(withCaller(clones.clone(name))), resend: true })),
  );
  if (a === undefined || b === undefined) throw new Error('no receivers');
  const articles = articlesOf(a);
  const data = article();
  const { url } = (await a.post('article.published', data)).json;
  const path = relative(a.dir, await fileOfSoon(a.dir, data.id));
  const text = fs.readFileSync(join(a.dir, path), 'utf8');
  const { revision_id: base } = await a.find(url);
  const last = () => clones.git('log', '-1', '--format=%an %s', 'main').trim();

  const published = last();
  await t.throwsAsync(articles.trash(data.id, 'another', {}, ADA), { code: 'REVISION_CONFLICT' });
  t.is(last(), published);
  await articles.trash(data.id, base, {}, ADA);
  t.is(last(), 'Ada Remove: Keeping bees on a balcony');
  t.is(clones.git('ls-tree', 'main', path), '');
  t.like(await articles.trashed(), [{ id: data.id, url, by: 'Ada' }]);
  for (const machine of [a, b]) {
    t.is((await machine.post('article.lookup', { target_url: url })).status, 404);
    await until('the file is gone', () => !fs.existsSync(join(machine.dir, path)));
    t.like((await machine.post('article.published', data)).json, { received: true, id: data.id, url });
    t.false(fs.existsSync(join(machine.dir, path)), 'no redelivery brings it back');
  }
  t.is(gitIn(a.dir, 'status', '--porcelain', '--', 'content'), '');

  await articles.restore(data.id, BO);
  t.is(last(), 'Bo Restore: Keeping bees on a balcony');
  for (const machine of [a, b]) {
    t.is((await machine.find(url)).revision_id, base);
    t.is(fs.readFileSync(join(machine.dir, path), 'utf8'), text);
  }
  t.deepEqual(await articles.trashed(), []);
});
