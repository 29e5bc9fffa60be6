import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import test from 'ava';
import { isFromThisMachine } from '../../../src/app/local-request.js';

function requestFrom(
  remoteAddress: string | undefined,
  headers: Record<string, string> = {},
): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress });
  const request = new IncomingMessage(socket);
  request.httpVersion = '1.1';
  Object.assign(request.headers, { host: 'localhost:8787', ...headers });
  return request;
}

test('a request comes from this machine if its connection does, and no proxy hands it on', (t) => {
  for (const address of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])
    t.true(isFromThisMachine(requestFrom(address)), address);
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '10.0.0.1', '::2', '127.example', undefined])
    t.false(isFromThisMachine(requestFrom(address)), address);
  t.false(isFromThisMachine(requestFrom('127.0.0.1', { 'x-forwarded-for': '192.0.2.1' })));
  t.false(isFromThisMachine(requestFrom('127.0.0.1', { host: 'example.com' })));
  const old = requestFrom('127.0.0.1');
  old.httpVersion = '1.0';
  t.false(isFromThisMachine(old), 'nginx, where it is not configured');
});
