import { gzipSync } from 'node:zlib';
import test from 'ava';
import { article, envelope } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);
const body = () => Buffer.from(JSON.stringify(envelope('article.published', article())));

for (const encoding of ['gzip', 'br', 'deflate', 'x-unknown', 'gzip, identity']) {
  test(`Content-Encoding ${encoding} is refused, named in the answer`, async (t) => {
    const { status, json } = await receiver().raw(gzipSync(body()), { 'Content-Encoding': encoding });
    t.is(status, 415);
    t.true(json.error.includes(encoding));
  });
}

test('Content-Encoding identity is none', async (t) => {
  t.is((await receiver().raw(body(), { 'Content-Encoding': 'Identity' })).status, 200);
});

test('without a signature even an encoded body is a 401', async (t) => {
  const headers = { 'Content-Encoding': 'gzip', 'X-Service-Signature': undefined };
  t.is((await receiver().raw(gzipSync(body()), headers)).status, 401);
});
