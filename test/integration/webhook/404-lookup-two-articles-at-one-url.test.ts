import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { edit, fileOf, treeOf } from '../../support/content.js';
import { article, update } from '../../support/events.js';
import { STORE_ONLY, startReceiver } from '../../support/receiver.js';
import { until } from '../../support/until.js';

test('a copied file makes its URL ambiguous at once, until the copy is gone', async (t) => {
  const { dir, post, find } = await startReceiver(t, STORE_ONLY);
  for (let round = 0; round < 10; round++) {
    const data = article();
    const { json } = await post('article.published', data);
    const path = fileOf(dir, data.id);
    const target = await find(json.url);
    const folder = round % 2 === 0 ? dirname(path) : join(dir, 'content', `copies-${round}`);
    fs.mkdirSync(folder, { recursive: true });
    const copy = join(folder, `copy-${round}.md`);
    // As people do: the watcher may see it empty, and the lookup be there before it sees more.
    execFileSync('cp', [path, copy]);

    const lookup = await post('article.lookup', { target_url: json.url });
    t.is(lookup.status, 404, `round ${round}`);
    t.regex(lookup.json.error, /2 articles are at/);
    const request = update({
      target_id: data.id,
      target_url: json.url,
      base_revision_id: target.revision_id,
    });
    t.is((await post('article.updated', request)).status, 404);
    t.is((await post('article.published', data)).json.url, json.url, 'a redelivery is no duplicate');

    fs.unlinkSync(copy);
    t.deepEqual(await find(json.url), target);
  }
});

test('also where the clock of the file system is too coarse to tell that the folder changed', async (t) => {
  const { dir, post, find } = await startReceiver(t, STORE_ONLY);
  const data = article();
  const { json } = await post('article.published', data);
  const path = fileOf(dir, data.id);
  const folder = dirname(path);
  // Ahead of our clock, so that it counts as "just now" however slowly the test runs.
  const tick = Math.ceil(Date.now() / 1000) + 3_600;
  fs.utimesSync(folder, tick, tick);
  await find(json.url);
  execFileSync('cp', [path, join(folder, 'copy.md')]);
  fs.utimesSync(folder, tick, tick);
  t.is((await post('article.lookup', { target_url: json.url })).status, 404);
});

test('where two articles claim one URL neither is updated, until one of them gives it up', async (t) => {
  const { dir, post, find } = await startReceiver(t, STORE_ONLY);
  const [one, other] = [article(), article()];
  const { url } = (await post('article.published', one)).json;
  const { url: otherUrl } = (await post('article.published', other)).json;
  const { revision_id: base_revision_id } = await find(url);
  const otherBase = (await find(otherUrl)).revision_id;
  edit(fileOf(dir, other.id), `url: "${otherUrl}"`, `url: "${url}"`);
  await until(async () => (await post('article.lookup', { target_url: url })).status === 404);
  const before = treeOf(dir);

  const request = update({ target_id: one.id, target_url: url, base_revision_id });
  const theirs = update({ target_id: other.id, target_url: url, base_revision_id: otherBase });
  for (const data of [request, theirs, { ...request, target_url: url.replace(/\/$/, '#top') }]) {
    const { status, json } = await post('article.updated', data);
    t.is(status, 404);
    t.regex(json.error, /2 articles are at/);
  }
  t.deepEqual(treeOf(dir), before);

  edit(fileOf(dir, other.id), `url: "${url}"`, `url: "${otherUrl}"`);
  t.is((await post('article.updated', request)).status, 200);
  t.is((await find(url)).revision_id, request.revision_id);
  t.is((await find(otherUrl)).revision_id, otherBase, 'the other is as it was');
});
