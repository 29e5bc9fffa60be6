import test from 'ava';
import {
  EVENT_NAMES,
  envelopeBytes,
  envelopeOf,
  eventHeaders,
  redirectsOf,
  timeoutOf,
} from '../../../src/sender/delivery/send-event.js';
import { SECRET, signature } from '../../support/signer.js';

test('each event has the timeout, the redirects and the headers of the contract', (t) => {
  const body = Buffer.from('{}');
  t.deepEqual(
    EVENT_NAMES.map((event) => [event, timeoutOf(event), redirectsOf(event)]),
    [
      ['article.published', 30_000, 1],
      ['webhook.test', 15_000, 0],
      ['article.lookup', 15_000, 0],
      ['article.updated', 30_000, 0],
    ],
  );
  for (const event of EVENT_NAMES)
    t.deepEqual(
      eventHeaders(
        event,
        body,
        { secret: SECRET, service: { name: 'Acme', comment: 'ac' } },
        1_795_075_200_999,
      ),
      {
        'Content-Type': 'application/json',
        'X-Acme-Signature': signature(body),
        'X-Acme-Event': event,
        'X-Acme-Timestamp': '1795075200',
        ...(event !== 'article.published' && { 'X-Acme-Contract': '2' }),
      },
    );
});

test('the body is compact JSON with the fields in the contract’s order', (t) => {
  const text = (event: 'article.published' | 'article.updated') =>
    envelopeBytes(envelopeOf(event, { id: 'ü' }, 'now')).toString();
  t.is(text('article.published'), '{"event":"article.published","timestamp":"now","data":{"id":"ü"}}');
  t.is(
    text('article.updated'),
    '{"event":"article.updated","timestamp":"now","contract_version":2,"data":{"id":"ü"}}',
  );
});
