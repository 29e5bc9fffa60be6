import test from 'ava';
import { treeOf } from '../../support/content.js';
import { article, envelope, testData, update } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);

const target = { target_id: 'a', target_url: 'https://garden.example/articles/a/', base_revision_id: 'r' };
const DATA: Record<string, object> = {
  'article.published': article(),
  'webhook.test': testData(),
  'article.lookup': { target_url: target.target_url },
  'article.updated': update(target),
};

for (const [event, data] of Object.entries(DATA)) {
  test(`${event}: each field of data in turn`, async (t) => {
    for (const field of Object.keys(data)) {
      const rest = Object.fromEntries(Object.entries(data).filter(([name]) => name !== field));
      const { status, json } = await receiver().post(event, rest);
      t.is(status, 400, field);
      t.true(json.error.startsWith(`data.${field} is missing`), json.error);
    }
  });

  test(`${event}: event, timestamp, data`, async (t) => {
    for (const field of ['event', 'timestamp', 'data']) {
      const whole = envelope(event, data);
      delete whole[field];
      const { status, json } = await receiver().raw(JSON.stringify(whole));
      t.is(status, 400);
      t.true(json.error.startsWith(`${field} `), json.error);
    }
  });
}

test('what must not be empty', async (t) => {
  const empty: [string, object, string][] = [
    ['article.published', article({ id: '' }), 'id'],
    ['article.published', article({ published_at: '' }), 'published_at'],
    ['article.lookup', { target_url: '' }, 'target_url'],
    ...['id', 'target_id', 'target_url', 'base_revision_id', 'revision_id'].map(
      (field): [string, object, string] => ['article.updated', { ...update(target), [field]: '' }, field],
    ),
  ];
  for (const [event, data, field] of empty) {
    const { status, json } = await receiver().post(event, data);
    t.is(status, 400, field);
    t.true(json.error.startsWith(`data.${field} `), json.error);
  }
});

test('a target_url that is no absolute HTTP(S) URL without credentials', async (t) => {
  const urls = [
    'articles/a/',
    '/articles/a/',
    '//garden.example/a/',
    'ftp://garden.example/a/',
    'javascript:alert(1)',
    'https://user:pw@garden.example/a/',
    'https://user@garden.example/a/',
    'https://@garden.example/a/',
    'https://',
    'https:garden.example/a/',
    ' https://garden.example/a/',
    'https://garden.example/a b',
    'https://garden.example\\a',
    'https://gar\nden.example/a/',
    'https://[::1/a/',
  ];
  for (const target_url of urls) {
    for (const [event, data] of [
      ['article.lookup', { target_url }],
      ['article.updated', update({ ...target, target_url })],
    ] as const) {
      const { status, json } = await receiver().post(event, data);
      t.is(status, 400, `${event} ${target_url}`);
      t.true(json.error.startsWith('data.target_url '), json.error);
    }
  }
});

test.after('nothing was written', (t) => {
  t.deepEqual(treeOf(receiver().dir), []);
});
