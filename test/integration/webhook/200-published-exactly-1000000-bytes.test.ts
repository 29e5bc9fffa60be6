import test from 'ava';
import { fileOf, readStored } from '../../support/content.js';
import { article, envelope } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);

function bodyOfSize(bytes: number) {
  const data = article({ content_html: '' });
  const bare = Buffer.byteLength(JSON.stringify(envelope('article.published', data)));
  data.content_html = 'é'.repeat((bytes - bare) >> 1) + 'x'.repeat((bytes - bare) & 1);
  return { data, body: JSON.stringify(envelope('article.published', data)) };
}

test('a body of exactly 1,000,000 bytes is stored whole', async (t) => {
  const { data, body } = bodyOfSize(1_000_000);
  t.is(Buffer.byteLength(body), 1_000_000);
  t.is((await receiver().raw(body)).status, 200);
  const { article: stored } = readStored(fileOf(receiver().dir, data.id));
  t.is(stored.contentHtml, data.content_html);
});

test('one byte more is refused', async (t) => {
  const { body } = bodyOfSize(1_000_001);
  const { status, json } = await receiver().raw(body);
  t.is(status, 413);
  t.regex(json.error, /1000000 bytes/);
});
