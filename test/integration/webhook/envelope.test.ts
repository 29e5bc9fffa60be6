import { gzipSync } from 'node:zlib';
import test from 'ava';
import { treeOf } from '../../support/content.js';
import { article, envelope, testData, update } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';

const receiver = sharedReceiver(test, STORE_ONLY);

const target_url = 'https://garden.example/articles/a/';
const PUBLISHED = JSON.stringify(envelope('article.published', article()));

const NOT_JSON = {
  'an empty body': '',
  'white space': ' \n ',
  'a body that is cut off': PUBLISHED.slice(0, -1),
  'a body with a letter after its end': `${PUBLISHED}x`,
  'a body of two documents': PUBLISHED + PUBLISHED,
  'a body with a comment': `/* hello */${PUBLISHED}`,
  'a body with single quotes': "{'event':'article.published'}",
  'a body with a raw line break in a string': '{"event":"article.\npublished"}',
  'a body with NaN': '{"event":NaN}',
  'a body of form fields': 'event=article.published',
};

const NOT_AN_OBJECT = {
  null: 'null',
  true: 'true',
  'a number': '42',
  'a string': '"article.published"',
  'a list': `[${PUBLISHED}]`,
};

for (const [what, body] of Object.entries(NOT_JSON)) {
  test(`400-invalid-json: ${what} is refused`, async (t) => {
    const { status, json } = await receiver().raw(body);
    t.is(status, 400);
    t.is(json.error, 'body is not valid JSON');
  });
}

test('400-invalid-json: a signed body that begins with a byte order mark, or is compressed, is refused in these words', async (t) => {
  const marked = await receiver().raw(`\ufeff${PUBLISHED}`);
  t.is(marked.status, 400);
  t.is(marked.json.error, 'the body begins with a byte order mark (EF BB BF); send it without');
  const compressed = await receiver().raw(gzipSync(PUBLISHED));
  t.is(compressed.status, 400);
  t.is(compressed.json.error, 'the body is compressed (gzip); let no proxy compress it');
});

for (const [what, body] of Object.entries(NOT_AN_OBJECT)) {
  test(`400-invalid-json: ${what} instead of an object is refused`, async (t) => {
    const { status, json } = await receiver().raw(body);
    t.is(status, 400);
    t.regex(json.error, /^body must be a JSON object, got (?:null|boolean|number|string|array)$/);
  });
}

const DEEP_LIST = '['.repeat(400_000) + ']'.repeat(400_000);
const withDeep = (field: string) =>
  JSON.stringify({ ...envelope('article.published', article()), [field]: 0 }).replace(
    `"${field}":0`,
    `"${field}":${DEEP_LIST}`,
  );

const DEEP = {
  'a list': DEEP_LIST,
  'a list that is never closed': '['.repeat(400_000),
  'an object': `${'{"a":'.repeat(160_000)}1${'}'.repeat(160_000)}`,
  data: withDeep('data'),
  timestamp: withDeep('timestamp'),
  event: withDeep('event'),
  'an unknown field': withDeep('unknown'),
};

for (const [what, body] of Object.entries(DEEP)) {
  test(`400-invalid-json: ${what} nested hundreds of thousands of levels deep is refused before it is parsed`, async (t) => {
    const { status, json } = await receiver().raw(body);
    t.is(status, 400);
    t.is(json.error, 'body is JSON that is nested deeper than 120000 levels; send flat data');
  });
}

const NOT_UTF8 = {
  'a lone continuation byte': [0x80],
  'a cut-off sequence': [0xe2, 0x82],
  'an overlong slash': [0xc0, 0xaf],
  'a surrogate in UTF-8': [0xed, 0xa0, 0x80],
  'a code point beyond Unicode': [0xf4, 0x90, 0x80, 0x80],
  'a letter in Latin-1': [0xe9],
};

for (const [what, bytes] of Object.entries(NOT_UTF8)) {
  test(`400-invalid-utf8: ${what} is refused`, async (t) => {
    const json = JSON.stringify(envelope('article.published', article({ title: 'HERE' })));
    const [before = '', after = ''] = json.split('HERE');
    const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    const answer = await receiver().raw(body);
    t.is(answer.status, 400);
    t.is(answer.json.error, 'body is not valid UTF-8; send JSON encoded as UTF-8');
  });
}

test('400-invalid-utf8: a body in UTF-16 is refused', async (t) => {
  const { status, json } = await receiver().raw(Buffer.from(PUBLISHED, 'utf16le'));
  t.is(status, 400);
  t.regex(json.error, /^body is not valid (?:UTF-8|JSON)/);
});

const UNKNOWN_EVENTS = [
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

for (const event of UNKNOWN_EVENTS) {
  test(`400-unknown-event: ${JSON.stringify(event.slice(0, 30))} is refused, whatever the header says`, async (t) => {
    const headers = { 'X-Service-Event': 'article.published' };
    const { status, json } = await receiver().post(event, article(), { headers });
    t.is(status, 400);
    t.regex(json.error, /^event ".*" is not supported/);
    t.true(json.error.length <= 200, 'the error fits into the 200 characters that the service keeps');
  });
}

test('400-wrong-type: an event that is not a string is refused', async (t) => {
  for (const event of [7, null, true, ['article.published'], {}]) {
    const body = { ...envelope('article.published', article()), event };
    const { status, json } = await receiver().raw(JSON.stringify(body));
    t.is(status, 400, JSON.stringify(event));
    t.regex(json.error, /^event must be a string, got /);
  }
});

test('400-lone-surrogate: half a surrogate pair in the event is refused', async (t) => {
  const body = JSON.stringify(envelope('LONE', {})).replace('LONE', '\\ud800');
  const { status, json } = await receiver().raw(body);
  t.is(status, 400);
  t.regex(json.error, /^event ".*" is not supported/);
});

const VERSIONED = {
  'webhook.test': testData(),
  'article.lookup': { target_url },
  'article.updated': update({ target_id: 'a', target_url, base_revision_id: 'r' }),
};

for (const [event, data] of Object.entries(VERSIONED)) {
  for (const contract_version of [undefined, null, 0, 1, 3, '2', '', 2.5, true, [2], { version: 2 }]) {
    test(`400-contract-version: ${event} with contract_version ${JSON.stringify(contract_version)} is refused`, async (t) => {
      const { status, json } = await receiver().post(event, data, { envelope: { contract_version } });
      t.is(status, 400);
      t.true(json.error.startsWith(`contract_version must be the integer 2 on ${event}, got `), json.error);
    });
  }

  for (const header of ['1', '3', 'two', '2, 2', '02', '2.0']) {
    test(`400-contract-version: ${event} with the header X-Service-Contract: ${header} is refused`, async (t) => {
      const headers = { 'X-Service-Contract': header };
      const { status, json } = await receiver().post(event, data, { headers });
      t.is(status, 400);
      t.is(json.error, `X-Service-Contract must be 2 on ${event}, got ${JSON.stringify(header)}`);
    });
  }
}

test('200-contract-version: the header X-Service-Contract may be missing, as the body is the source of truth', async (t) => {
  const headers = { 'X-Service-Contract': undefined };
  t.is((await receiver().post('webhook.test', testData(), { headers })).status, 200);
});

test.after('400-*: no refused envelope was written, and the receiver still answers', async (t) => {
  t.deepEqual(treeOf(receiver().dir), []);
  t.is((await fetch(`${receiver().origin}/healthz`)).status, 200);
});
