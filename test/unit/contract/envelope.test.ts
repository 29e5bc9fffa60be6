import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import { parseDelivery } from '../../../src/contract/envelope.js';
import { ERROR_TEXT_CHARS, EVENTS } from '../../../src/contract/limits.js';
import { PressmarkError } from '../../../src/errors.js';
import { article, envelope, testData, update } from '../../support/events.js';
import { fc } from '../../support/property.js';

const TARGET = {
  target_id: 'a',
  target_url: 'https://garden.example/articles/a/',
  base_revision_id: 'r',
};
const DATA: Readonly<Record<string, object>> = {
  'article.published': article(),
  'webhook.test': testData(),
  'article.lookup': { target_url: TARGET.target_url },
  'article.updated': update(TARGET),
};
const textOf = (event: string, data: unknown, over: object = {}) =>
  JSON.stringify({ ...envelope(event, data), ...over });
const PUBLISHED = textOf('article.published', article());

/** What the answer to a body says, which is a 400; 'accepted' where it is none. */
function refusal(body: Buffer | string, contract = '2'): string {
  try {
    parseDelivery(Buffer.from(body), { name: 'X-Service-Contract', value: contract });
    return 'accepted';
  } catch (error) {
    if (error instanceof PressmarkError && error.status === 400) return error.message;
    throw error;
  }
}

const refusalOf = (event: string, data: unknown, over?: object) => refusal(textOf(event, data, over));

test('a valid publication is parsed to the data that was sent, further keys apart', (t) => {
  const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed());
  const some = fc.record({ id: text.filter((id) => id !== ''), title: text, tags: fc.array(text) });
  fc.assert(
    fc.property(some, fc.dictionary(fc.string(), fc.jsonValue()), (fields, extra) => {
      const data = article(fields);
      const body = JSON.stringify({ ...extra, ...envelope('article.published', { ...extra, ...data }) });
      const delivery = parseDelivery(Buffer.from(body), undefined);
      const further = Object.entries(extra).filter(([key]) => !Object.hasOwn(data, key));
      const source = JSON.parse(JSON.stringify(Object.fromEntries(further)));
      const expected = { ...data, ...(further.length > 0 && { source }) };
      const isParsed = isDeepStrictEqual({ ...delivery.data }, expected);
      return isParsed && isDeepStrictEqual(Object.keys(delivery).sort(), ['data', 'event', 'timestamp']);
    }),
  );
  t.pass();
});

test('a body that is not a valid event is refused with 400 and a diagnostic that fits into the text that the service keeps', (t) => {
  const event = fc.oneof(fc.constantFrom(...EVENTS), fc.string(), fc.jsonValue());
  const version = fc.constantFrom(2, 3);
  const almost = { event, timestamp: fc.jsonValue(), contract_version: version, data: fc.jsonValue() };
  const anything = fc.oneof(
    fc.uint8Array().map((array) => Buffer.from(array)),
    fc.oneof(fc.jsonValue(), fc.record(almost)).map((value) => Buffer.from(JSON.stringify(value))),
  );
  fc.assert(
    fc.property(anything, (body) => {
      const error = t.throws(() => parseDelivery(body, undefined), { instanceOf: PressmarkError });
      t.is(error?.status, 400);
      t.true((error?.message.length ?? 0) <= ERROR_TEXT_CHARS, error?.message);
    }),
  );
});

const many = (count: number, one: unknown): unknown[] => Array.from({ length: count }, () => one);
const published = (over: object) => textOf('article.published', { ...article(), ...over });
const updated = (target_url: string) => textOf('article.updated', update({ ...TARGET, target_url }));

/** A megabyte of JSON that is signed and hostile: checking it may not take much longer than parsing it. */
const HOSTILE: Readonly<Record<string, readonly [body: string, refused: RegExp]>> = {
  'one wrong tag after many': [
    published({ tags: [...many(230_000, 'a'), {}] }),
    /^data\.tags\.230000 must be a string, got object$/,
  ],
  'many unknown keys': [
    published(Object.fromEntries(many(80_000, 1).map((one, n) => [`k${n}`, one]))),
    /^accepted$/,
  ],
  'a moment of a megabyte': [
    published({ published_at: `2026-11-19T08:00:00.${'1'.repeat(980_000)}x` }),
    /^data\.published_at must be an ISO 8601 moment/,
  ],
  'a host name of combining marks': [
    updated(`http://a${'\u0301\u0316'.repeat(200_000)}/`),
    /^data\.target_url must be an absolute/,
  ],
  'an encoded host name': [
    updated(`http://xn--${'a1'.repeat(480_000)}/`),
    /^data\.target_url must be an absolute/,
  ],
};

/** The time of the processor that some work takes, in milliseconds. */
function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

test.serial('a megabyte of hostile JSON takes no more than some times as long to check as to parse', (t) => {
  for (const [what, [text, refused]] of Object.entries(HOSTILE)) {
    const parsed = processorMs(() => JSON.parse(text));
    let said = '';
    const check = () => {
      said = refusal(text);
    };
    const limit = 50 * (parsed + 10);
    const checked = processorMs(check);
    t.regex(said, refused, what);
    // Whatever else the process had to do is not done twice.
    t.true(checked < limit || processorMs(check) < limit, `${what}: ${checked} ms, parsed in ${parsed} ms`);
  }
});

test('what is nested deeper than can be handed from thread to thread is refused; brackets in texts do not count', (t) => {
  const list = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const inField = (field: string, levels: number) =>
    textOf('article.published', article(), { [field]: 0 }).replace(
      `"${field}":0`,
      `"${field}":${list(levels)}`,
    );
  for (const body of [list(501), list(400_000), ...['data', 'unknown'].map((field) => inField(field, 501))])
    t.is(refusal(body), 'body is JSON that is nested deeper than 500 levels; send flat data');
  t.is(refusal(inField('unknown', 499)), 'accepted');
  t.is(refusal(published({ content_html: `${'['.repeat(1_000)}\\"{` })), 'accepted');
});

test('a body that is not UTF-8, not JSON or no object is refused in these words', (t) => {
  for (const body of [
    '',
    PUBLISHED.slice(0, -1),
    `${PUBLISHED}x`,
    '{"event":NaN}',
    'event=article.published',
  ])
    t.is(refusal(body), 'body is not valid JSON', body.slice(0, 30));
  for (const [body, type] of [
    ['null', 'null'],
    ['42', 'number'],
    [`[${PUBLISHED}]`, 'array'],
  ] as const)
    t.is(refusal(body), `body must be a JSON object, got ${type}`);
  const [before = '', after = ''] = published({ title: 'HERE' }).split('HERE');
  for (const bytes of [[0x80], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe9]]) {
    const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    t.is(refusal(body), 'body is not valid UTF-8; send JSON encoded as UTF-8', String(bytes));
  }
});

test('an event that is unknown, or is no text, is refused', (t) => {
  for (const event of ['', '__proto__', 'ARTICLE.PUBLISHED', 'article.published ', 'x'.repeat(100_000)]) {
    const text = refusalOf(event, article());
    t.regex(text, /^event ".*" is not supported/);
    t.true(text.length <= ERROR_TEXT_CHARS, 'the error fits into the text that the service keeps');
  }
  for (const event of [7, null, ['article.published']])
    t.regex(refusalOf('article.published', article(), { event }), /^event must be a string, got /);
  t.regex(refusal(textOf('LONE', {}).replace('LONE', '\\ud800')), /^event ".*" is not supported/);
});

test('contract_version other than the integer 2, or another header, is refused on all events but article.published', (t) => {
  for (const event of EVENTS) {
    const isFree = event === 'article.published';
    for (const contract_version of [undefined, 1, 3, '2', [2]]) {
      const expected = isFree ? 'accepted' : `contract_version must be the integer 2 on ${event}, got `;
      const text = refusalOf(event, DATA[event], { contract_version });
      t.true(text.startsWith(expected), `${JSON.stringify(contract_version)}: ${text}`);
    }
    for (const header of ['1', '02'])
      t.is(
        refusal(textOf(event, DATA[event]), header),
        isFree ? 'accepted' : `X-Service-Contract must be 2 on ${event}, got ${JSON.stringify(header)}`,
      );
  }
});

const VALUES = { text: 'x', number: 7, null: null, list: ['x'], object: { x: 1 } };

/** The kinds of value that a field may have; every other one is refused. */
function allowedKinds(field: string): readonly string[] {
  if (field === 'featured_image_url') return ['text', 'null'];
  return field === 'tags' || field === 'capabilities' ? ['list'] : ['text'];
}

test('a field that is missing or of another type, or holds half a surrogate pair, is named', (t) => {
  for (const event of EVENTS) {
    const data = DATA[event] ?? {};
    t.is(refusalOf(event, data), 'accepted');
    for (const field of Object.keys(data)) {
      t.regex(refusalOf(event, { ...data, [field]: undefined }), new RegExp(`^data\\.${field} is missing`));
      for (const [kind, value] of Object.entries(VALUES))
        if (!allowedKinds(field).includes(kind))
          t.regex(refusalOf(event, { ...data, [field]: value }), new RegExp(`^data\\.${field} `), kind);
      if (field === 'published_at') continue;
      const isList = allowedKinds(field)[0] === 'list';
      const value = field === 'target_url' ? `${TARGET.target_url}LONE` : isList ? ['ok', 'LONE'] : 'LONE';
      const body = textOf(event, { ...data, [field]: value });
      const path = isList ? `data.${field}.1` : `data.${field}`;
      for (const lone of ['\\ud800', '\\ude00\\ud83d'])
        t.is(refusal(body.replace('LONE', lone)), `${path} is not well-formed Unicode`);
      t.is(refusal(body.replace('LONE', '\\ud83d\\udc1d')), 'accepted', field);
    }
    for (const field of ['timestamp', 'data'])
      t.regex(refusalOf(event, data, { [field]: undefined }), new RegExp(`^${field} `));
    t.regex(refusalOf(event, null), /^data must be an object, got null/);
    for (const timestamp of ['', 'yesterday', 1795075200])
      t.regex(refusalOf(event, data, { timestamp }), /^timestamp must be /);
  }
  const capabilities = { ...testData(), capabilities: ['ok', 7] };
  t.is(refusalOf('webhook.test', capabilities), 'data.capabilities.1 must be a string, got number');
  const image = { ...article(), featured_image_url: 7 };
  t.is(refusalOf('article.published', image), 'data.featured_image_url must be a string or null, got number');
});

test('ids, revisions and URLs must not be empty, and a target_url is an absolute URL without credentials', (t) => {
  for (const [event, fields] of [
    ['article.published', ['id', 'published_at']],
    ['article.lookup', ['target_url']],
    ['article.updated', ['id', 'target_id', 'target_url', 'base_revision_id', 'revision_id']],
  ] as const)
    for (const field of fields)
      t.regex(refusalOf(event, { ...DATA[event], [field]: '' }), new RegExp(`^data\\.${field} must `), event);
  for (const event of ['article.lookup', 'article.updated'])
    for (const target_url of ['/articles/a/', 'https://user@garden.example/a/'])
      t.is(
        refusalOf(event, { ...DATA[event], target_url }),
        'data.target_url must be an absolute http(s) URL without credentials',
      );
});
