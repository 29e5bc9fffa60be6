import fs from 'node:fs';
import test from 'ava';
import { edit, fileOf } from '../../support/content.js';
import { article } from '../../support/events.js';
import { STORE_ONLY, startReceiver } from '../../support/receiver.js';

test('an article whose file a person has removed is not found any more, and can come again', async (t) => {
  const { dir, post } = await startReceiver(t, STORE_ONLY);
  const data = article();
  const { json } = await post('article.published', data);
  fs.unlinkSync(fileOf(dir, data.id));
  const lookup = await post('article.lookup', { target_url: json.url });
  t.is(lookup.status, 404);
  t.regex(lookup.json.error, /./);
  t.is((await post('article.published', data)).json.url, json.url);
  t.is((await post('article.lookup', { target_url: json.url })).status, 200);
});

test('an article whose URL a person has changed is not found at the old one', async (t) => {
  const { dir, post } = await startReceiver(t, STORE_ONLY);
  const data = article();
  const { json } = await post('article.published', data);
  edit(fileOf(dir, data.id), `url: "${json.url}"`, 'url: "https://garden.example/elsewhere/"');
  t.is((await post('article.lookup', { target_url: json.url })).status, 404);
  const found = await post('article.lookup', { target_url: 'https://garden.example/elsewhere' });
  t.is(found.json.target.id, data.id);
});

test('titles and slugs are never guessed by', async (t) => {
  const { post } = await startReceiver(t, STORE_ONLY);
  await post('article.published', article({ slug: 'bees-in-spring', title: 'Bees in spring' }));
  for (const path of [
    'articles/bees-in-sprin/',
    'articles/bees/',
    'bees-in-spring/',
    'articles/Bees%20in%20spring',
  ])
    t.is((await post('article.lookup', { target_url: `https://garden.example/${path}` })).status, 404);
});

test('a target field that a person has emptied is named instead of sent', async (t) => {
  const { dir, post } = await startReceiver(t, STORE_ONLY);
  const data = article();
  const { json } = await post('article.published', data);
  edit(fileOf(dir, data.id), `title: ${JSON.stringify(data.title)}`, 'title: ""');
  const lookup = await post('article.lookup', { target_url: json.url });
  t.is(lookup.status, 404);
  t.regex(lookup.json.error, /target\.title is empty/);
});
