import test from 'ava';
import { type Asked, isLocal } from '../../../../src/app/server/live-reload.js';

const asked = (remoteAddress: string | undefined, headers: Asked['headers'] = { host: 'localhost:8787' }) =>
  isLocal({ headers, httpVersion: '1.1', socket: { remoteAddress } as Asked['socket'] });

test('a request from this machine, for a name of this machine, is local', (t) => {
  for (const address of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])
    t.true(asked(address), address);
});

test('a request from another machine is not local, whatever its Host says', (t) => {
  for (const address of [
    '192.0.2.7',
    '::ffff:192.0.2.7',
    '2001:db8::1',
    '::127.0.0.1',
    'fe80::1',
    '10.127.0.0',
    undefined,
  ])
    t.false(asked(address), address);
});

test('a request that has passed through a proxy is not local', (t) => {
  t.false(asked('127.0.0.1', { host: 'localhost', 'x-forwarded-for': '192.0.2.7' }));
  t.false(asked('127.0.0.1', { host: 'garden.example' }));
});
