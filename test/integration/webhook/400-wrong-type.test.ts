import test from 'ava';
import { treeOf } from '../../support/content.js';
import { article, envelope, testData, update } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);

const VALUES = { text: 'x', number: 7, boolean: true, null: null, list: ['x'], object: { x: 1 } };
type Kind = keyof typeof VALUES;

const target = { target_id: 'a', target_url: 'https://garden.example/articles/a/', base_revision_id: 'r' };
const DATA = {
  'article.published': article(),
  'webhook.test': testData(),
  'article.lookup': { target_url: target.target_url },
  'article.updated': update(target),
};

/** What a field may be; everything else is refused. */
function allowed(field: string): Kind[] {
  if (field === 'featured_image_url') return ['text', 'null'];
  return field === 'tags' || field === 'capabilities' ? ['list'] : ['text'];
}

for (const [event, data] of Object.entries(DATA)) {
  for (const field of Object.keys(data)) {
    test(`${event}: data.${field}`, async (t) => {
      for (const [kind, value] of Object.entries(VALUES)) {
        if (allowed(field).includes(kind as Kind)) continue;
        const { status, json } = await receiver().post(event, { ...data, [field]: value });
        t.is(status, 400, `${field} as ${kind}`);
        t.true(json.error.slice(0, 200).includes(`data.${field} `), json.error);
      }
    });
  }

  test(`${event}: data and timestamp`, async (t) => {
    for (const value of Object.values(VALUES)) {
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) continue;
      const { status, json } = await receiver().post(event, value);
      t.is(status, 400);
      t.regex(json.error, /^data must be an object/);
    }
    for (const timestamp of [
      ...Object.values(VALUES),
      '',
      'yesterday',
      '2026-13-01T00:00:00Z',
      '1795075200',
    ]) {
      const { status, json } = await receiver().post(event, data, { envelope: { timestamp } });
      t.is(status, 400, String(timestamp));
      t.regex(json.error, /^timestamp /);
    }
  });
}

test('an item of a list', async (t) => {
  for (const value of [7, null, ['x'], {}]) {
    const published = await receiver().post(
      'article.published',
      article({ tags: ['ok', value] as string[] }),
    );
    t.is(published.status, 400);
    t.true(published.json.error.includes('data.tags.1 '));
    const tested = await receiver().post('webhook.test', { ...testData(), capabilities: [value] });
    t.is(tested.status, 400);
    t.true(tested.json.error.includes('data.capabilities.0 '));
  }
});

test('event itself', async (t) => {
  for (const event of [7, null, true, ['article.published'], {}]) {
    const answer = await receiver().raw(
      JSON.stringify({ ...envelope('article.published', article()), event }),
    );
    t.is(answer.status, 400);
    t.regex(answer.json.error, /^event must be a string/);
  }
});

test.after('nothing was written', (t) => {
  t.deepEqual(treeOf(receiver().dir), []);
});
