import test from 'ava';
import { treeOf } from '../../support/content.js';
import { article, envelope, testData, update } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);

const TARGET = {
  target_id: 'a',
  target_url: 'https://garden.example/articles/a/',
  base_revision_id: 'r',
};
const DATA = {
  'article.published': article(),
  'webhook.test': testData(),
  'article.lookup': { target_url: TARGET.target_url },
  'article.updated': update(TARGET),
};

const VALUES = { text: 'x', number: 7, boolean: true, null: null, list: ['x'], object: { x: 1 } };
type Kind = keyof typeof VALUES;

/** The kinds of value that a field may have; every other one is refused. */
function allowedKinds(field: string): Kind[] {
  if (field === 'featured_image_url') return ['text', 'null'];
  return field === 'tags' || field === 'capabilities' ? ['list'] : ['text'];
}

for (const [event, data] of Object.entries(DATA)) {
  test(`400-missing-field: ${event} without any one field of data is refused, and the field is named`, async (t) => {
    for (const field of Object.keys(data)) {
      const rest = Object.fromEntries(Object.entries(data).filter(([name]) => name !== field));
      const { status, json } = await receiver().post(event, rest);
      t.is(status, 400, field);
      t.true(json.error.startsWith(`data.${field} is missing`), json.error);
    }
  });

  test(`400-missing-field: ${event} without event, timestamp or data is refused, and the field is named`, async (t) => {
    for (const field of ['event', 'timestamp', 'data']) {
      const whole = envelope(event, data);
      delete whole[field];
      const { status, json } = await receiver().raw(JSON.stringify(whole));
      t.is(status, 400, field);
      t.true(json.error.startsWith(`${field} `), json.error);
    }
  });

  for (const field of Object.keys(data)) {
    test(`400-wrong-type: ${event} with a data.${field} of another type is refused, and the field is named`, async (t) => {
      for (const [kind, value] of Object.entries(VALUES)) {
        if (allowedKinds(field).includes(kind as Kind)) continue;
        const { status, json } = await receiver().post(event, { ...data, [field]: value });
        t.is(status, 400, `${field} as ${kind}`);
        t.true(json.error.slice(0, 200).includes(`data.${field} `), json.error);
      }
    });
  }

  test(`400-wrong-type: ${event} with data that is not an object is refused`, async (t) => {
    for (const value of ['x', 7, true, null, ['x']]) {
      const { status, json } = await receiver().post(event, value);
      t.is(status, 400, JSON.stringify(value));
      t.regex(json.error, /^data must be an object, got /);
    }
  });

  test(`400-wrong-type: ${event} with a timestamp that is not an ISO 8601 moment is refused`, async (t) => {
    const others = ['', 'yesterday', '2026-13-01T00:00:00Z', '1795075200'];
    for (const timestamp of [...Object.values(VALUES), ...others]) {
      const { status, json } = await receiver().post(event, data, { envelope: { timestamp } });
      t.is(status, 400, JSON.stringify(timestamp));
      t.regex(json.error, /^timestamp must be /);
    }
  });
}

test('400-wrong-type: an item of a list that is not a string is refused, and its index is named', async (t) => {
  for (const value of [7, null, ['x'], {}]) {
    const tags = ['ok', value] as string[];
    const published = await receiver().post('article.published', article({ tags }));
    t.is(published.status, 400);
    t.regex(published.json.error, /^data\.tags\.1 must be a string, got /);
    const tested = await receiver().post('webhook.test', { ...testData(), capabilities: [value] });
    t.is(tested.status, 400);
    t.regex(tested.json.error, /^data\.capabilities\.0 must be a string, got /);
  }
});

const EMPTY: [event: string, field: string, data: object][] = [
  ['article.published', 'id', article({ id: '' })],
  ['article.published', 'published_at', article({ published_at: '' })],
  ['article.lookup', 'target_url', { target_url: '' }],
  ...['id', 'target_id', 'target_url', 'base_revision_id', 'revision_id'].map(
    (field): [string, string, object] => ['article.updated', field, { ...update(TARGET), [field]: '' }],
  ),
];

for (const [event, field, data] of EMPTY) {
  test(`400-missing-field: ${event} with an empty ${field} is refused`, async (t) => {
    const { status, json } = await receiver().post(event, data);
    t.is(status, 400);
    t.true(json.error.startsWith(`data.${field} must `), json.error);
  });
}

const NOT_ARTICLE_URLS = [
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

for (const target_url of NOT_ARTICLE_URLS) {
  test(`400-missing-field: ${JSON.stringify(target_url)} is not an absolute HTTP(S) URL without credentials, and is refused as target_url`, async (t) => {
    for (const [event, data] of [
      ['article.lookup', { target_url }],
      ['article.updated', update({ ...TARGET, target_url })],
    ] as const) {
      const { status, json } = await receiver().post(event, data);
      t.is(status, 400, event);
      t.is(json.error, 'data.target_url must be an absolute http(s) URL without credentials');
    }
  });
}

const { message, capabilities } = testData();
const WITH_LONE: [event: string, field: string, data: object][] = [
  ...Object.keys(article())
    .filter((field) => field !== 'published_at')
    .map((field): [string, string, object] => {
      const data = { ...article(), [field]: field === 'tags' ? ['ok', 'LONE'] : 'LONE' };
      return ['article.published', field === 'tags' ? 'tags.1' : field, data];
    }),
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

for (const [event, field, data] of WITH_LONE) {
  test(`400-lone-surrogate: half a surrogate pair in ${field} of ${event} is refused`, async (t) => {
    for (const lone of ['\\ud800', '\\udc00', 'a\\ud83d b', '\\ude00\\ud83d']) {
      // A URL cannot hold a space, and would be refused for it.
      if (field === 'target_url' && lone.includes(' ')) continue;
      const body = JSON.stringify(envelope(event, data)).replace('LONE', lone);
      const { status, json } = await receiver().raw(body);
      t.is(status, 400, lone);
      t.is(json.error, `data.${field} is not well-formed Unicode`);
    }
  });
}

test.after('400-*: no refused event was written', (t) => {
  t.deepEqual(treeOf(receiver().dir), []);
});
