import test from 'ava';
import { parseDelivery } from '../../../src/contract/envelope.js';
import {
  ERROR_TEXT_CHARS,
  EVENTS,
  MAX_BODY_BYTES,
  RETRY_WAITS_MINUTES,
} from '../../../src/contract/limits.js';
import { PressmarkError } from '../../../src/errors.js';
import { article, envelope, update } from '../../support/events.js';
import { fc } from '../../support/property.js';

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));

test('a valid publication is parsed to the data that was sent, further keys apart', (t) => {
  const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed());
  fc.assert(
    fc.property(
      fc.record({
        id: text.filter((id) => id !== ''),
        title: text,
        content_html: text,
        tags: fc.array(text),
        json_ld: text,
      }),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (fields, extra) => {
        const data = article(fields);
        const delivery = parseDelivery(
          bytes({ ...extra, ...envelope('article.published', { ...extra, ...data }) }),
          undefined,
        );
        const further = Object.entries(extra).filter(([key]) => !Object.hasOwn(data, key));
        const source = JSON.parse(JSON.stringify(Object.fromEntries(further)));
        t.deepEqual(delivery.data, { ...data, ...(further.length > 0 && { source }) });
        t.deepEqual(Object.keys(delivery).sort(), ['data', 'event', 'timestamp']);
      },
    ),
  );
});

test('a body that is not a valid event is refused with 400 and a diagnostic that fits into the text that the service keeps', (t) => {
  const event = fc.oneof(fc.constantFrom(...EVENTS), fc.string(), fc.jsonValue());
  const anything = fc.oneof(
    fc.uint8Array().map((array) => Buffer.from(array)),
    fc.jsonValue().map(bytes),
    fc
      .record({
        event,
        timestamp: fc.jsonValue(),
        contract_version: fc.constantFrom(2, 3),
        data: fc.jsonValue(),
      })
      .map(bytes),
  );
  fc.assert(
    fc.property(anything, (body) => {
      const error = t.throws(() => parseDelivery(body, undefined), { instanceOf: PressmarkError });
      t.is(error?.status, 400);
      t.true((error?.message.length ?? 0) <= ERROR_TEXT_CHARS, error?.message);
    }),
  );
});

test('the limits are those of the contract', (t) => {
  t.is(MAX_BODY_BYTES, 1_000_000);
  t.is(ERROR_TEXT_CHARS, 200);
  t.deepEqual([...RETRY_WAITS_MINUTES], [1, 5, 30, 2 * 60, 6 * 60]);
});

// A megabyte of JSON that is signed and hostile: checking it may not take much longer than parsing it.
const TARGET = { target_id: 'a', target_url: 'https://garden.example/a/', base_revision_id: 'r' };
const published = (over: Record<string, unknown>) =>
  JSON.stringify(envelope('article.published', { ...article(), ...over }));
const updated = (target_url: string) =>
  JSON.stringify(envelope('article.updated', update({ ...TARGET, target_url })));
const many = (count: number, one: unknown): unknown[] => Array.from({ length: count }, () => one);
const HOSTILE: Record<string, readonly [body: () => string, refused: RegExp | undefined]> = {
  'one wrong tag after many': [
    () => published({ tags: [...many(230_000, 'a'), {}] }),
    /^data\.tags\.230000 must be a string, got object$/,
  ],
  'many unknown keys': [
    () => published(Object.fromEntries(many(80_000, 1).map((one, n) => [`k${n}`, one]))),
    undefined,
  ],
  'a moment of a megabyte': [
    () => published({ published_at: `2026-11-19T08:00:00.${'1'.repeat(980_000)}x` }),
    /^data\.published_at must be an ISO 8601 moment/,
  ],
  'a host name of combining marks': [
    () => updated(`http://a${'\u0301\u0316'.repeat(200_000)}/`),
    /^data\.target_url must be an absolute/,
  ],
  'an encoded host name': [
    () => updated(`http://xn--${'a1'.repeat(480_000)}/`),
    /^data\.target_url must be an absolute/,
  ],
};

/** The shortest of three times of the processor, in milliseconds. */
function shortest(work: () => unknown): number {
  return Math.min(
    ...[1, 2, 3].map(() => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    }),
  );
}

for (const [what, [make, refused]] of Object.entries(HOSTILE)) {
  test.serial(`a megabyte of ${what} takes no more than some times as long to check as to parse`, (t) => {
    const text = make();
    const body = Buffer.from(text);
    const check = () => {
      try {
        parseDelivery(body, undefined);
        return '';
      } catch (error) {
        return error instanceof PressmarkError ? error.message : String(error);
      }
    };
    t.regex(check(), refused ?? /^$/);
    const parsed = shortest(() => JSON.parse(text));
    const checked = shortest(check);
    t.true(checked < 50 * (parsed + 10), `${checked} ms, parsed in ${parsed} ms`);
  });
}

test('nesting is counted outside of texts only', (t) => {
  const brackets = '['.repeat(1_000);
  const content_html = `${brackets}\\"${brackets}"{`.repeat(100);
  t.is(parseDelivery(Buffer.from(published({ content_html })), undefined).event, 'article.published');
  const nested = (pairs: number) =>
    Buffer.from(
      `${published({ content_html }).slice(0, -1)},"x":${'[{"a":'.repeat(pairs)}1${'}]'.repeat(pairs)}}`,
    );
  t.is(parseDelivery(nested(249), undefined).event, 'article.published');
  t.throws(() => parseDelivery(nested(250), undefined), { message: /500 levels/ });
});
