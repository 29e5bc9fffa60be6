import test from 'ava';
import { DELIVERY_TIMEOUT_MS, LOOKUP_TIMEOUT_MS } from '../../../src/contract/limits.js';
import {
  EVENT_NAMES,
  envelopeBytes,
  envelopeOf,
  eventHeaders,
  redirectsOf,
  timeoutOf,
} from '../../../src/sender/delivery/send-event.js';
import { SECRET, signature } from '../../support/signer.js';

test('a publication and an update have a timeout of 30 seconds, a test and a lookup one of 15', (t) => {
  t.deepEqual([DELIVERY_TIMEOUT_MS, LOOKUP_TIMEOUT_MS], [30_000, 15_000]);
  t.deepEqual(
    EVENT_NAMES.map((event) => [event, timeoutOf(event)]),
    [
      ['article.published', 30_000],
      ['webhook.test', 15_000],
      ['article.lookup', 15_000],
      ['article.updated', 30_000],
    ],
  );
});

test('a publication follows one redirect, and the other events follow none', (t) =>
  t.deepEqual(EVENT_NAMES.map(redirectsOf), [1, 0, 0, 0]));

test('the body is compact JSON with the fields in the contract’s order', (t) => {
  const publish = envelopeOf('article.published', { id: 'ü' }, 'now');
  t.is(
    envelopeBytes(publish).toString(),
    '{"event":"article.published","timestamp":"now","data":{"id":"ü"}}',
  );
  const update = envelopeOf('article.updated', { id: 'a' }, 'now');
  t.is(
    envelopeBytes(update).toString(),
    '{"event":"article.updated","timestamp":"now","contract_version":2,"data":{"id":"a"}}',
  );
});

for (const event of EVENT_NAMES) {
  test(`a request with ${event} has the headers of the contract`, (t) => {
    const body = Buffer.from('{}');
    for (const name of ['Service', 'Acme']) {
      const signer = { secret: SECRET, service: { name, comment: 'ac' } };
      t.deepEqual(eventHeaders(event, body, signer, 1_795_075_200_999), {
        'Content-Type': 'application/json',
        [`X-${name}-Signature`]: signature(body),
        [`X-${name}-Event`]: event,
        [`X-${name}-Timestamp`]: '1795075200',
        ...(event !== 'article.published' && { [`X-${name}-Contract`]: '2' }),
      });
    }
  });
}
