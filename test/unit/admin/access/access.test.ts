import type { IncomingMessage } from 'node:http';
import test from 'ava';
import { createAccess, networkOf } from '../../../../src/admin/access/access.js';

/** A request as it arrives. */
const request = (
  remoteAddress: string,
  headers: Record<string, string>,
  httpVersion = '1.1',
): IncomingMessage =>
  ({ headers, httpVersion, socket: { remoteAddress, localPort: 8787 } }) as unknown as IncomingMessage;

const LOCAL = { host: 'localhost:8787', connection: 'keep-alive' };
const HTTPS = { host: 'admin.example.com', 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' };

test('without admin.public only a browser on this machine gets in, and no proxy counts as one', (t) => {
  const accessOf = createAccess({ publicOrigin: undefined, trustedProxies: [] });
  const isIn = (...asked: Parameters<typeof request>) => accessOf(request(...asked)).kind === 'allowed';
  t.true(isIn('127.0.0.1', LOCAL));
  t.true(isIn('::ffff:127.0.0.1', { ...LOCAL, host: '127.0.0.1:8787' }));
  t.false(isIn('192.168.1.9', LOCAL));
  t.false(isIn('127.0.0.1', { ...LOCAL, host: 'rebound.example:8787' }), 'a name that leads to this machine');
  t.false(isIn('127.0.0.1', { ...LOCAL, via: '1.1 proxy' }));
  t.false(isIn('127.0.0.1', {}));
  // nginx from 1.29.7 and others, that keep connections open, and nginx with proxy_http_version 1.1
  t.false(isIn('127.0.0.1', { host: LOCAL.host }), 'a proxy without a word of itself');
  t.false(isIn('127.0.0.1', { ...LOCAL, connection: 'close' }));
  t.false(isIn('127.0.0.1', { ...LOCAL, origin: 'https://example.com' }));
  t.false(isIn('127.0.0.1', { ...LOCAL, referer: 'https://example.com/-/admin/login' }));
  const own = `http://${LOCAL.host}`;
  t.true(isIn('127.0.0.1', { ...LOCAL, origin: own, referer: `${own}/` }));
  t.true(isIn('127.0.0.1', { ...LOCAL, origin: 'null' }), 'the check of forms refuses it');
});

const PUBLIC = { publicOrigin: 'https://admin.example.com:8443', trustedProxies: [] };

test('with admin.public others get in at its host over HTTPS alone, by the word of a proxy on this machine', (t) => {
  const of = (...asked: Parameters<typeof request>) => createAccess(PUBLIC)(request(...asked));
  const origin = 'https://admin.example.com:8443';
  t.deepEqual(of('127.0.0.1', HTTPS), { kind: 'allowed', isSecure: true, origin, network: '203.0.113.7' });
  t.is(of('127.0.0.1', { ...HTTPS, host: 'Admin.Example.com:443' }).kind, 'allowed');
  t.is(of('127.0.0.1', { ...HTTPS, host: 'example.com' }).kind, 'elsewhere', 'the site’s host');
  t.is(of('203.0.113.7', HTTPS).kind, 'plain', 'it says so of itself');
  t.is(
    of('127.0.0.1', { ...HTTPS, 'x-forwarded-proto': 'https, http' }).kind,
    'plain',
    'the proxy’s is last',
  );
  t.is(of('192.168.1.9', LOCAL).kind, 'elsewhere');
  t.like(of('127.0.0.1', { ...HTTPS, 'x-forwarded-for': 'nonsense' }), { network: '127.0.0.1' });
  t.like(of('127.0.0.1', LOCAL), { isSecure: false, origin: 'http://localhost:8787' });
});

test('what proxies say of whom they speak for is believed of trusted ones alone, and the client is the last that is none of theirs', (t) => {
  const trustedProxies = ['172.18.0.0/16', '10.0.0.1', '2001:db8:ffff::/48'];
  const accessOf = createAccess({ ...PUBLIC, trustedProxies });
  for (const [address, kind] of [
    ['172.18.0.3', 'allowed'],
    ['::ffff:172.18.0.3', 'allowed'],
    ['10.0.0.1', 'allowed'],
    ['172.17.0.1', 'plain'],
    ['10.0.0.2', 'plain'],
  ] as const)
    t.is(accessOf(request(address, HTTPS)).kind, kind, address);
  const of = (forwardedFor: string, proto = 'https') =>
    accessOf(request('127.0.0.1', { ...HTTPS, 'x-forwarded-for': forwardedFor, 'x-forwarded-proto': proto }));
  for (const [forwardedFor, network] of [
    ['198.51.100.1, 203.0.113.7, 172.18.0.3', '203.0.113.7'],
    ['203.0.113.9:4711', '203.0.113.9'],
    ['2001:db8::1, [2001:db8:ffff::2]', '2001:db8:0:0'],
    ['172.18.0.9, 172.18.0.3', '172.18.0.9'],
    ['unknown, 172.18.0.3', '127.0.0.1'],
  ] as const)
    t.like(of(forwardedFor), { kind: 'allowed', network }, forwardedFor);
  t.is(of('203.0.113.7, 172.18.0.3', 'https, http').kind, 'allowed', 'from proxy to proxy');
  t.is(of('203.0.113.7, 172.18.0.3', 'http, https').kind, 'plain');
  t.is(of('172.18.0.3, 203.0.113.7', 'https, http').kind, 'plain', 'the client says that it is a proxy');
});

test('all addresses that one machine has are one network', (t) => {
  t.is(networkOf('::ffff:203.0.113.9'), '203.0.113.9');
  t.is(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2');
  t.is(networkOf('2001:db8:1:2::9'), '2001:db8:1:2');
  t.is(networkOf('2001:db8::9'), '2001:db8:0:0');
});
