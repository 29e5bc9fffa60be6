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
  const kindOf = (...asked: Parameters<typeof request>) =>
    createAccess({ publicOrigin: undefined, trustedProxies: [] })(request(...asked)).kind;
  t.is(kindOf('127.0.0.1', LOCAL), 'allowed');
  t.is(kindOf('::1', { ...LOCAL, host: '[::1]:8787' }), 'allowed');
  t.is(kindOf('::ffff:127.0.0.1', { ...LOCAL, host: '127.0.0.1:8787' }), 'allowed');
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

test('a proxy that hands on requests without a word of itself is not a browser on this machine', (t) => {
  const accessOf = createAccess({ publicOrigin: undefined, trustedProxies: [] });
  const kindOf = (headers: Record<string, string>) =>
    accessOf(request('127.0.0.1', { host: '127.0.0.1:8787', ...headers })).kind;
  t.is(kindOf({}), 'elsewhere', 'nginx from 1.29.7, and others that keep connections open');
  t.is(kindOf({ connection: 'close' }), 'elsewhere', 'nginx with proxy_http_version 1.1');
  const browser = { connection: 'keep-alive' };
  t.is(kindOf(browser), 'allowed');
  t.is(kindOf({ connection: 'Keep-Alive, Upgrade' }), 'allowed');
  t.is(kindOf({ ...browser, origin: 'https://example.com' }), 'elsewhere');
  t.is(kindOf({ ...browser, referer: 'https://example.com/-/admin/login' }), 'elsewhere');
  t.is(kindOf({ ...browser, origin: 'http://127.0.0.1:8787', referer: 'http://127.0.0.1:8787/' }), 'allowed');
  t.is(kindOf({ ...browser, origin: 'null' }), 'allowed', 'the check of forms refuses it');
});

const PUBLIC = { publicOrigin: 'https://admin.example.com:8443', trustedProxies: [] };

test('with admin.public others get in at its host over HTTPS alone, by the word of a proxy on this machine', (t) => {
  const of = (...asked: Parameters<typeof request>) => createAccess(PUBLIC)(request(...asked));
  t.deepEqual(of('127.0.0.1', HTTPS), {
    kind: 'allowed',
    isSecure: true,
    origin: 'https://admin.example.com:8443',
    network: '203.0.113.7',
  });
  t.is(of('127.0.0.1', { ...HTTPS, host: 'Admin.Example.com:443' }).kind, 'allowed');
  t.is(of('127.0.0.1', { ...HTTPS, host: 'example.com' }).kind, 'elsewhere', 'the site’s host');
  t.is(of('203.0.113.7', HTTPS).kind, 'plain', 'it says so of itself');
  t.is(of('127.0.0.1', { ...HTTPS, 'x-forwarded-proto': 'http' }).kind, 'plain');
  t.is(
    of('127.0.0.1', { ...HTTPS, 'x-forwarded-proto': 'https, http' }).kind,
    'plain',
    'the last one is the proxy’s',
  );
  t.is(of('192.168.1.9', LOCAL).kind, 'elsewhere');
  t.like(of('127.0.0.1', { ...HTTPS, 'x-forwarded-for': '198.51.100.1, 203.0.113.7' }), {
    network: '203.0.113.7',
  });
  t.like(of('127.0.0.1', { ...HTTPS, 'x-forwarded-for': 'nonsense' }), { network: '127.0.0.1' });
  t.like(of('127.0.0.1', LOCAL), { isSecure: false, origin: 'http://localhost:8787' });
});

test('what a private address says of whom it speaks for is believed of trusted proxies alone', (t) => {
  const kindOf = (address: string, trustedProxies: readonly string[]) =>
    createAccess({ ...PUBLIC, trustedProxies })(request(address, HTTPS)).kind;
  for (const address of ['172.17.0.1', '10.0.0.1', '192.168.1.9', 'fd00::1', '::ffff:172.18.0.3'])
    t.is(kindOf(address, []), 'plain', address);
  const trusted = ['172.18.0.0/16', '10.0.0.1', 'fd00::/8'];
  for (const address of ['172.18.0.3', '::ffff:172.18.0.3', '10.0.0.1', 'fd00::1'])
    t.is(kindOf(address, trusted), 'allowed', address);
  for (const address of ['172.17.0.1', '10.0.0.2', 'fc00::1'])
    t.is(kindOf(address, trusted), 'plain', address);
});

test('behind several trusted proxies, the client is the last address that is none of theirs', (t) => {
  const accessOf = createAccess({ ...PUBLIC, trustedProxies: ['172.18.0.0/16', '2001:db8:ffff::/48'] });
  const of = (forwardedFor: string, proto = 'https') =>
    accessOf(request('127.0.0.1', { ...HTTPS, 'x-forwarded-for': forwardedFor, 'x-forwarded-proto': proto }));
  for (const [forwardedFor, network] of [
    ['198.51.100.1, 203.0.113.7, 172.18.0.3', '203.0.113.7'],
    ['203.0.113.7, 172.18.0.3:55012, 172.18.0.4', '203.0.113.7'],
    ['203.0.113.9:4711', '203.0.113.9'],
    ['[2001:db8::1]:443', '2001:db8:0:0'],
    ['2001:db8::1, [2001:db8:ffff::2]', '2001:db8:0:0'],
    ['172.18.0.9, 172.18.0.3', '172.18.0.9'],
    ['unknown, 172.18.0.3', '127.0.0.1'],
  ] as const)
    t.like(of(forwardedFor), { kind: 'allowed', network }, forwardedFor);
  t.is(of('203.0.113.7, 172.18.0.3', 'https, http').kind, 'allowed', 'from proxy to proxy');
  t.is(of('203.0.113.7, 172.18.0.3', 'https').kind, 'allowed');
  t.is(of('203.0.113.7, 172.18.0.3', 'http, https').kind, 'plain');
  t.is(of('172.18.0.3, 203.0.113.7', 'https, http').kind, 'plain', 'the client says that it is a proxy');
});

test('all addresses that one machine has are one network', (t) => {
  t.is(networkOf('::ffff:203.0.113.9'), '203.0.113.9');
  t.is(networkOf('203.0.113.9'), '203.0.113.9');
  t.is(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2');
  t.is(networkOf('2001:db8:1:2::9'), '2001:db8:1:2');
  t.is(networkOf('2001:db8::9'), '2001:db8:0:0');
  t.is(networkOf('::1'), '0:0:0:0');
});
