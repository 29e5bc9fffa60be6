import test from 'ava';
import { type Asked, isLocal } from '../../../src/host/http/local-request.js';

const asked = (
  remoteAddress: string | undefined,
  headers: Asked['headers'] = { host: 'localhost:8787' },
  httpVersion = '1.1',
) => isLocal({ headers, httpVersion, socket: { remoteAddress, localPort: 8787 } as Asked['socket'] });

test('a request from this machine, for a name of this machine and its own port, is local', (t) => {
  for (const address of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])
    t.true(asked(address), address);
  for (const host of ['localhost', 'garden.localhost', '[::1]'])
    t.true(asked('127.0.0.1', { host: `${host}:8787` }), host);
});

test('a request from another machine is not local, whatever its Host says', (t) => {
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '::127.0.0.1', '10.127.0.0', undefined])
    t.false(asked(address), address);
});

test('a request that has passed through a proxy is not local', (t) => {
  t.false(asked('127.0.0.1', undefined, '1.0'), 'as nginx asks without further settings');
  for (const [name, value] of [
    ['x-forwarded-for', '203.0.113.7'],
    ['forwarded', 'for=203.0.113.7'],
    ['via', '1.1 proxy'],
    ['fly-client-ip', '203.0.113.7'],
    ['cloudfront-viewer-address', '203.0.113.7:443'],
  ] as const)
    t.false(asked('127.0.0.1', { host: 'localhost:8787', [name]: value }), name);
  t.false(asked('127.0.0.1', { host: 'garden.example' }));
  for (const host of ['localhost', '127.0.0.1:443', 'localhost.garden.example:8787', undefined])
    t.false(asked('127.0.0.1', { host }), host);
});
