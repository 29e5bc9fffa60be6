import test from 'ava';
import { articleFiles } from '../../support/content.js';
import { article, envelope, testData } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);

const FIELDS = Object.keys(article()).filter((field) => field !== 'published_at');

for (const field of FIELDS) {
  test(`in ${field}`, async (t) => {
    for (const lone of ['\\ud800', '\\udc00', 'a\\ud83d b', '\\ude00\\ud83d']) {
      const value = field === 'tags' ? ['ok', 'LONE'] : 'LONE';
      const data = { ...article(), [field]: value };
      const body = JSON.stringify(envelope('article.published', data)).replace('LONE', lone);
      const { status, json } = await receiver().raw(body);
      t.is(status, 400, `${field} ${lone}`);
      t.true(json.error.slice(0, 200).includes(`data.${field}`), json.error);
    }
  });
}

test('in the other events', async (t) => {
  const bodies = [
    JSON.stringify(envelope('webhook.test', { ...testData(), message: 'LONE' })),
    JSON.stringify(envelope('article.lookup', { target_url: 'https://garden.example/LONE' })),
    JSON.stringify(envelope('LONE', {})),
  ];
  for (const body of bodies) t.is((await receiver().raw(body.replace('LONE', '\\ud800'))).status, 400);
});

test('a pair is no lone surrogate', async (t) => {
  const body = JSON.stringify(envelope('article.published', article({ title: 'PAIR' })));
  t.is((await receiver().raw(body.replace('PAIR', '\\ud83d\\udc1d'))).status, 200);
});

test.after('only that one was stored', (t) => {
  t.is(articleFiles(receiver().dir).length, 1);
});
