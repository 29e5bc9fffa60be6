import test from 'ava';
import { treeOf } from '../../support/content.js';
import { article } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);

const EVENTS = [
  '',
  ' ',
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'ARTICLE.PUBLISHED',
  'Article.Published',
  ' article.published',
  'article.published ',
  'article.published\u0000',
  'article.deleted',
  'article',
  'webhook',
  'x'.repeat(100_000),
];

for (const event of EVENTS) {
  test(`event ${JSON.stringify(event.slice(0, 30))}`, async (t) => {
    const headers = { 'X-Service-Event': 'article.published' };
    const { status, json } = await receiver().post(event, article(), { headers });
    t.is(status, 400);
    t.regex(json.error, /^event ".*" is not supported/);
    t.true(json.error.length <= 200);
  });
}

test.after('nothing was written', (t) => {
  t.deepEqual(treeOf(receiver().dir), []);
});
