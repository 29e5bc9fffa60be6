import test from 'ava';
import { parseDelivery } from '../../../src/contract/envelope.js';
import { EVENTS } from '../../../src/contract/limits.js';
import { PressmarkError } from '../../../src/errors.js';
import { article, envelope, testData, update } from '../../support/events.js';

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
const ENTRIES = Object.entries(DATA) as [string, object][];
const PUBLISHED = JSON.stringify(envelope('article.published', article()));

/** What the answer to a body says, which is a 400. */
function refusal(body: Buffer | string, contract = '2'): string {
  try {
    parseDelivery(Buffer.isBuffer(body) ? body : Buffer.from(body), {
      name: 'X-Service-Contract',
      value: contract,
    });
    return 'accepted';
  } catch (error) {
    if (error instanceof PressmarkError && error.status === 400) return error.message;
    throw error;
  }
}

const refusalOf = (event: string, data: unknown, over: object = {}) =>
  refusal(JSON.stringify({ ...envelope(event, data), ...over }));

test('what is whole is accepted', (t) => {
  for (const [event, data] of ENTRIES) t.is(refusalOf(event, data), 'accepted', event);
});

test('a body that is not JSON', (t) => {
  for (const body of [
    '',
    ' \n ',
    PUBLISHED.slice(0, -1),
    `${PUBLISHED}x`,
    PUBLISHED + PUBLISHED,
    `/* hello */${PUBLISHED}`,
    "{'event':'article.published'}",
    '{"event":"article.\npublished"}',
    '{"event":NaN}',
    'event=article.published',
  ])
    t.is(refusal(body), 'body is not valid JSON', body.slice(0, 30));
});

test('JSON that is no object', (t) => {
  for (const [body, type] of [
    ['null', 'null'],
    ['true', 'boolean'],
    ['42', 'number'],
    ['"article.published"', 'string'],
    [`[${PUBLISHED}]`, 'array'],
  ] as const)
    t.is(refusal(body), `body must be a JSON object, got ${type}`);
});

test('what is nested deeper than can be handed from thread to thread, wherever it stands, is refused', (t) => {
  for (const levels of [501, 4_000, 400_000]) {
    const list = '['.repeat(levels) + ']'.repeat(levels);
    const inField = (field: string) =>
      JSON.stringify({ ...envelope('article.published', article()), [field]: 0 }).replace(
        `"${field}":0`,
        `"${field}":${list}`,
      );
    for (const body of [
      list,
      `${'{"a":'.repeat(Math.min(levels, 160_000))}1${'}'.repeat(Math.min(levels, 160_000))}`,
      ...['data', 'timestamp', 'event', 'unknown'].map(inField),
    ])
      t.is(refusal(body), 'body is JSON that is nested deeper than 500 levels; send flat data');
  }
  t.is(refusal('['.repeat(400_000)), 'body is not valid JSON');
});

test('bytes that are not UTF-8', (t) => {
  const [before = '', after = ''] = JSON.stringify(
    envelope('article.published', article({ title: 'HERE' })),
  ).split('HERE');
  for (const [what, bytes] of Object.entries({
    'a lone continuation byte': [0x80],
    'a cut-off sequence': [0xe2, 0x82],
    'an overlong slash': [0xc0, 0xaf],
    'a surrogate in UTF-8': [0xed, 0xa0, 0x80],
    'a code point beyond Unicode': [0xf4, 0x90, 0x80, 0x80],
    'a letter in Latin-1': [0xe9],
  })) {
    const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    t.is(refusal(body), 'body is not valid UTF-8; send JSON encoded as UTF-8', what);
  }
  t.regex(refusal(Buffer.from(PUBLISHED, 'utf16le')), /^body is not valid (?:UTF-8|JSON)/);
});

test('an event that is unknown, or is no text', (t) => {
  for (const event of [
    '',
    ' ',
    'constructor',
    '__proto__',
    'toString',
    'ARTICLE.PUBLISHED',
    ' article.published',
    'article.published ',
    'article.published\u0000',
    'article.deleted',
    'x'.repeat(100_000),
  ]) {
    const text = refusalOf(event, article());
    t.regex(text, /^event ".*" is not supported/);
    t.true(text.length <= 200, 'the error fits into the 200 characters that the service keeps');
  }
  for (const event of [7, null, true, ['article.published'], {}])
    t.regex(refusalOf('article.published', article(), { event }), /^event must be a string, got /);
  const lone = JSON.stringify(envelope('LONE', {})).replace('LONE', '\\ud800');
  t.regex(refusal(lone), /^event ".*" is not supported/);
});

test('contract_version other than the integer 2, or another header, on all events but article.published', (t) => {
  for (const [event, data] of ENTRIES) {
    const isFree = event === 'article.published';
    for (const contract_version of [undefined, null, 0, 1, 3, '2', '', 2.5, true, [2], { version: 2 }]) {
      const expected = isFree ? 'accepted' : `contract_version must be the integer 2 on ${event}, got `;
      const text = refusalOf(event, data, { contract_version });
      t.true(text.startsWith(expected), `${JSON.stringify(contract_version)}: ${text}`);
    }
    for (const header of ['1', '3', 'two', '2, 2', '02', '2.0'])
      t.is(
        refusal(JSON.stringify(envelope(event, data)), header),
        isFree ? 'accepted' : `X-Service-Contract must be 2 on ${event}, got ${JSON.stringify(header)}`,
      );
  }
});

const VALUES = { text: 'x', number: 7, boolean: true, null: null, list: ['x'], object: { x: 1 } };

/** The kinds of value that a field may have; every other one is refused. */
function allowedKinds(field: string): readonly string[] {
  if (field === 'featured_image_url') return ['text', 'null'];
  return field === 'tags' || field === 'capabilities' ? ['list'] : ['text'];
}

for (const [event, data] of ENTRIES) {
  test(`a field of ${event} that is missing or of another type is named`, (t) => {
    for (const field of Object.keys(data)) {
      const rest = Object.fromEntries(Object.entries(data).filter(([name]) => name !== field));
      t.true(refusalOf(event, rest).startsWith(`data.${field} is missing`), field);
      for (const [kind, value] of Object.entries(VALUES)) {
        if (allowedKinds(field).includes(kind)) continue;
        const text = refusalOf(event, { ...data, [field]: value });
        t.true(text.slice(0, 200).includes(`data.${field} `), `${field} as ${kind}: ${text}`);
      }
    }
    for (const field of ['event', 'timestamp', 'data'])
      t.true(refusalOf(event, data, { [field]: undefined }).startsWith(`${field} `), field);
    for (const value of ['x', 7, true, null, ['x']])
      t.regex(refusalOf(event, value), /^data must be an object, got /);
    for (const timestamp of [...Object.values(VALUES), '', 'yesterday', '2026-13-01T00:00:00Z', '1795075200'])
      t.regex(refusalOf(event, data, { timestamp }), /^timestamp must be /);
  });

  test(`half a surrogate pair in a text of ${event} is refused, and a whole one is accepted`, (t) => {
    for (const field of Object.keys(data).filter((name) => name !== 'published_at')) {
      const isList = allowedKinds(field)[0] === 'list';
      const value = field === 'target_url' ? `${TARGET.target_url}LONE` : isList ? ['ok', 'LONE'] : 'LONE';
      const body = JSON.stringify(envelope(event, { ...data, [field]: value }));
      for (const lone of ['\\ud800', '\\udc00', '\\ude00\\ud83d'])
        t.is(
          refusal(body.replace('LONE', lone)),
          `data.${isList ? `${field}.1` : field} is not well-formed Unicode`,
        );
      t.is(refusal(body.replace('LONE', '\\ud83d\\udc1d')), 'accepted', field);
    }
  });
}

test('an item of a list that is not a text is refused, and its index is named', (t) => {
  for (const value of [7, null, ['x'], {}]) {
    const tags = ['ok', value] as string[];
    t.regex(refusalOf('article.published', article({ tags })), /^data\.tags\.1 must be a string, got /);
    const tested = { ...testData(), capabilities: [value] };
    t.regex(refusalOf('webhook.test', tested), /^data\.capabilities\.0 must be a string, got /);
  }
});

test('what must not be empty', (t) => {
  for (const [event, fields] of [
    ['article.published', ['id', 'published_at']],
    ['article.lookup', ['target_url']],
    ['article.updated', ['id', 'target_id', 'target_url', 'base_revision_id', 'revision_id']],
  ] as const)
    for (const field of fields)
      t.true(
        refusalOf(event, { ...DATA[event], [field]: '' }).startsWith(`data.${field} must `),
        `${event} ${field}`,
      );
  t.deepEqual([...EVENTS].sort(), Object.keys(DATA).sort());
});

test('a target_url that is no absolute URL without credentials', (t) => {
  for (const target_url of [
    '/articles/a/',
    '//garden.example/a/',
    'ftp://garden.example/a/',
    'javascript:alert(1)',
    'https://user@garden.example/a/',
    'https:garden.example/a/',
    ' https://garden.example/a/',
    'https://gar\nden.example/a/',
  ])
    for (const event of ['article.lookup', 'article.updated'] as const)
      t.is(
        refusalOf(event, { ...DATA[event], target_url }),
        'data.target_url must be an absolute http(s) URL without credentials',
        target_url,
      );
});
