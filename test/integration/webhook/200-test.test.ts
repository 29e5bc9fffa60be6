import test from 'ava';
import { namesIn, treeOf } from '../../support/content.js';
import { article, testData } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);

test('a test is answered with version 3 and all three capabilities, and writes nothing', async (t) => {
  const { dir, post } = receiver();
  await post('article.published', article());
  const before = treeOf(dir);
  const files = namesIn(dir);
  for (let n = 0; n < 5; n++) {
    const { status, json } = await post('webhook.test', testData());
    t.is(status, 200);
    t.deepEqual({ ...json }, {
      received: true,
      contract_version: 3,
      capabilities: ['article.published', 'article.lookup', 'article.updated'],
    } as unknown as typeof json);
  }
  t.deepEqual(treeOf(dir), before);
  t.deepEqual(namesIn(dir), files);
});
