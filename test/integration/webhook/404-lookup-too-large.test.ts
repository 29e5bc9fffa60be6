import fs from 'node:fs';
import test from 'ava';
import { fileOf } from '../../support/content.js';
import { article, envelope } from '../../support/events.js';
import { STORE_ONLY, startReceiver } from '../../support/receiver.js';

test('the largest article that can be published can be looked up', async (t) => {
  const { post, raw } = await startReceiver(t, STORE_ONLY);
  const data = article({ content_html: '', content_markdown: '' });
  const room = 1_000_000 - Buffer.byteLength(JSON.stringify(envelope('article.published', data)));
  data.content_html = 'x'.repeat(room);
  const published = await raw(JSON.stringify(envelope('article.published', data)));
  const lookup = await post('article.lookup', { target_url: published.json.url });
  t.is(lookup.status, 200);
  t.true(Buffer.byteLength(lookup.text) < 1_000_000);
});

test('an answer that a person’s edit brings to 1,000,000 bytes is a 404 that says why', async (t) => {
  const { dir, post, find } = await startReceiver(t, STORE_ONLY);
  const data = article();
  const { json } = await post('article.published', data);
  const path = fileOf(dir, data.id);
  const bare = fs.readFileSync(path, 'utf8');
  const answerSize = async (letters: number) => {
    fs.writeFileSync(path, `${bare}\n\n${'y'.repeat(letters)}\n`);
    const { status, text } = await post('article.lookup', { target_url: json.url });
    return { status, text };
  };
  const { text } = await answerSize(900_000);
  const room = 999_999 - Buffer.byteLength(text);
  const fits = await answerSize(900_000 + room);
  t.is(fits.status, 200);
  t.is(Buffer.byteLength(fits.text), 999_999);
  const tooLarge = await answerSize(900_001 + room);
  t.is(tooLarge.status, 404);
  t.regex(tooLarge.text.slice(0, 200), /1000000 bytes/);
  fs.writeFileSync(path, bare);
  t.is((await find(json.url)).content_html, data.content_html);
});
