import test from 'ava';
import { parseDelivery } from '../../../src/contract/envelope.js';
import {
  ERROR_TEXT_CHARS,
  EVENTS,
  MAX_BODY_BYTES,
  RETRY_WAITS_MINUTES,
} from '../../../src/contract/limits.js';
import { PressmarkError } from '../../../src/errors.js';
import { article, envelope } from '../../support/events.js';
import { fc } from '../../support/property.js';

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));

test('a valid publication is parsed to the data that was sent, with the known keys alone', (t) => {
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
        t.deepEqual(delivery.data, data);
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
