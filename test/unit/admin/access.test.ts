import type { IncomingMessage } from 'node:http';
import test from 'ava';
import { accessOf } from '../../../src/admin/access.js';

/** A request as it arrives. */
const request = (
  remoteAddress: string,
  headers: Record<string, string>,
  httpVersion = '1.1',
): IncomingMessage =>
  ({ headers, httpVersion, socket: { remoteAddress, localPort: 8787 } }) as unknown as IncomingMessage;

const LOCAL = { host: 'localhost:8787' };
const HTTPS = { host: 'example.com', 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' };

test('without admin.public only a browser on this machine gets in, and no proxy counts as one', (t) => {
  const kindOf = (...asked: Parameters<typeof request>) => accessOf(request(...asked), false).kind;
  t.is(kindOf('127.0.0.1', LOCAL), 'allowed');
  t.is(kindOf('::1', { host: '[::1]:8787' }), 'allowed');
  t.is(kindOf('::ffff:127.0.0.1', { host: '127.0.0.1:8787' }), 'allowed');
  t.is(kindOf('192.168.1.9', LOCAL), 'elsewhere');
  t.is(
    kindOf('127.0.0.1', { host: 'rebound.example:8787' }),
    'elsewhere',
    'a name that leads to this machine',
  );
  t.is(kindOf('127.0.0.1', HTTPS), 'elsewhere');
  t.is(kindOf('127.0.0.1', { ...LOCAL, 'x-forwarded-for': '203.0.113.7' }), 'elsewhere');
  t.is(kindOf('127.0.0.1', { ...LOCAL, forwarded: 'for=203.0.113.7' }), 'elsewhere');
  t.is(kindOf('127.0.0.1', { ...LOCAL, via: '1.1 proxy' }), 'elsewhere');
  t.is(kindOf('127.0.0.1', LOCAL, '1.0'), 'elsewhere', 'a proxy that adds nothing');
  t.is(kindOf('127.0.0.1', {}), 'elsewhere');
});

test('with admin.public others get in over HTTPS alone, by the word of a proxy that is near', (t) => {
  const of = (...asked: Parameters<typeof request>) => accessOf(request(...asked), true);
  t.deepEqual(of('127.0.0.1', HTTPS), { kind: 'allowed', isSecure: true, network: '203.0.113.7' });
  t.deepEqual(of('::ffff:172.18.0.3', HTTPS), { kind: 'allowed', isSecure: true, network: '203.0.113.7' });
  t.is(of('203.0.113.7', HTTPS).kind, 'plain', 'it says so of itself');
  t.is(of('127.0.0.1', { ...HTTPS, 'x-forwarded-proto': 'http' }).kind, 'plain');
  t.is(
    of('127.0.0.1', { ...HTTPS, 'x-forwarded-proto': 'https, http' }).kind,
    'plain',
    'the last one is the proxy’s',
  );
  t.is(of('192.168.1.9', LOCAL).kind, 'plain');
  t.like(of('127.0.0.1', { ...HTTPS, 'x-forwarded-for': '198.51.100.1, 203.0.113.7' }), {
    network: '203.0.113.7',
  });
  t.like(of('127.0.0.1', { ...HTTPS, 'x-forwarded-for': 'nonsense' }), { network: '127.0.0.1' });
  t.like(of('127.0.0.1', LOCAL), { kind: 'allowed', isSecure: false });
});
