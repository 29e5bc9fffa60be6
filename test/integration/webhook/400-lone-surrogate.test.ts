import test from 'ava';
import { articleFiles } from '../../support/content.js';
import { article, envelope, testData, update } from '../../support/events.js';
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

const TARGET = {
  target_id: 'somebody',
  target_url: 'https://garden.example/articles/bees/',
  base_revision_id: 'r1',
};
const { message, capabilities } = testData();
const OTHERS: readonly (readonly [event: string, field: string, data: object])[] = [
  ['article.updated', 'target_id', { ...update(TARGET), target_id: 'LONE' }],
  ['article.updated', 'target_url', update({ ...TARGET, target_url: `${TARGET.target_url}LONE` })],
  ['article.updated', 'base_revision_id', update({ ...TARGET, base_revision_id: 'LONE' })],
  ['article.updated', 'revision_id', update(TARGET, { revision_id: 'LONE' })],
  ['article.updated', 'title', update(TARGET, { title: 'LONE' })],
  ['article.lookup', 'target_url', { target_url: `${TARGET.target_url}LONE` }],
  ['webhook.test', 'id', { ...testData(), id: 'LONE' }],
  ['webhook.test', 'message', { ...testData(), message: `${message}LONE` }],
  ['webhook.test', 'capabilities.0', { ...testData(), capabilities: ['LONE', ...capabilities] }],
];

for (const [event, field, data] of OTHERS) {
  test(`in ${field} of ${event}`, async (t) => {
    for (const lone of ['\\ud800', '\\udc00']) {
      const body = JSON.stringify(envelope(event, data)).replace('LONE', lone);
      const { status, json } = await receiver().raw(body);
      t.is(status, 400);
      t.true(json.error.slice(0, 200).includes(`data.${field} `), json.error);
    }
  });
}

test('in the event itself', async (t) => {
  const body = JSON.stringify(envelope('LONE', {}));
  t.is((await receiver().raw(body.replace('LONE', '\\ud800'))).status, 400);
});

test('a pair is no lone surrogate', async (t) => {
  const body = JSON.stringify(envelope('article.published', article({ title: 'PAIR' })));
  t.is((await receiver().raw(body.replace('PAIR', '\\ud83d\\udc1d'))).status, 200);
});

test.after('only that one was stored', (t) => {
  t.is(articleFiles(receiver().dir).length, 1);
});
