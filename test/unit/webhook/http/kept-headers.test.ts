import test from 'ava';
import { keptHeaders } from '../../../../src/webhook/record.js';

test('headers are kept in their order, and no value that may prove who has sent them', (t) => {
  const raw = [
    ['Host', 'garden.example'],
    ['X-Service-Signature', 'sha256=abc'],
    ['X-Service-Event', 'article.published'],
    ['content-type', 'application/json'],
    ['Authorization', 'Bearer abc'],
    ['Proxy-Authorization', 'Basic abc'],
    ['Cookie', 'session=abc'],
    ['X-Api-Key', 'abc'],
    ['X-Amzn-Oidc-Data', 'eyJ'],
    ['X-Something-New', 'abc'],
    ['X-Forwarded-For', '203.0.113.7'],
    ['Via', '1.1 a'],
    ['Via', '1.1 b'],
    ['User-Agent', 'u'.repeat(5_000)],
  ];
  const shown = keptHeaders(raw.flat(), new Set(['x-service-event']));
  t.deepEqual(
    shown.map(({ name }) => name),
    raw.map(([name]) => name),
  );
  t.deepEqual(
    shown.filter(({ value }) => value !== null).map(({ name, value }) => `${name}: ${value?.slice(0, 20)}`),
    [
      'Host: garden.example',
      'X-Service-Event: article.published',
      'content-type: application/json',
      'X-Forwarded-For: 203.0.113.7',
      'Via: 1.1 a',
      'Via: 1.1 b',
      `User-Agent: ${'u'.repeat(20)}`,
    ],
  );
  t.is(shown.at(-1)?.value?.length, 1_000);
});
