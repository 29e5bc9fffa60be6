import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import {
  isPrivateAddress,
  isPrivateHost,
  type PublicRequest,
  publicFetch,
} from '../../../../src/deploy/live/public-fetch.js';

const GET: PublicRequest = { method: 'GET', allowPrivate: false, maxBytes: 100_000, timeoutMs: 10_000 };

async function serve(t: ExecutionContext, handler: http.RequestListener): Promise<number> {
  const server = http.createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

// IANA's special-purpose registries, and what people write to get past a check of these.
for (const address of [
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
])
  test(`${address} is not a public address`, (t) => {
    t.true(isPrivateAddress(address));
  });

for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])
  test(`${address} is a public address`, (t) => {
    t.false(isPrivateAddress(address));
  });

for (const url of [
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://017700000001/',
  'http://127.1/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://169.254.169.254/latest/meta-data/',
])
  test(`${url} is not fetched`, async (t) => {
    const { hostname } = new URL(url);
    t.true(isPrivateHost(hostname));
    await t.throwsAsync(publicFetch(new URL(url), GET), {
      code: 'UNREACHABLE',
      message: /not a public address|could not be resolved/,
    });
  });

test('a name that leads to a private address is not fetched, nor one that also has a public address', async (t) => {
  for (const addresses of [['10.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['::ffff:10.0.0.1']]) {
    const resolve = () => Promise.resolve(addresses.map((address) => ({ address, family: 4 })));
    await t.throwsAsync(publicFetch(new URL('https://garden.example/'), { ...GET, resolve }), {
      code: 'UNREACHABLE',
      message: /which is not a public address/,
    });
  }
});

test('a name that means another address at the next moment is asked once, and the connection goes to what was checked', async (t) => {
  let isReached = false;
  const port = await serve(t, (_, response) => {
    isReached = true;
    response.end();
  });
  let asked = 0;
  const resolve = () => {
    asked++;
    return Promise.resolve([{ address: asked === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 }]);
  };
  const request = { ...GET, allowPrivate: true, resolve };
  await t.throwsAsync(publicFetch(new URL(`http://garden.example:${port}/`), request), {
    code: 'UNREACHABLE',
  });
  t.is(asked, 1);
  t.false(isReached);
});

test('a redirect is an answer, and is not followed', async (t) => {
  const port = await serve(t, (_, response) => {
    response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end();
  });
  const answer = await publicFetch(new URL(`http://127.0.0.1:${port}/`), { ...GET, allowPrivate: true });
  t.is(answer.status, 302);
});

test('an answer is read decompressed, and no further than it may be long', async (t) => {
  const port = await serve(t, (request, response) => {
    if (request.url === '/zipped')
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('text'));
    else if (request.url === '/bomb')
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(10_000_000)));
    else response.end(Buffer.alloc(200_000));
  });
  const get = (path: string) =>
    publicFetch(new URL(`http://127.0.0.1:${port}${path}`), { ...GET, allowPrivate: true });
  t.is((await get('/zipped')).text, 'text');
  await t.throwsAsync(get('/bomb'), { code: 'UNREACHABLE', message: /larger than 0.1 MB/ });
  await t.throwsAsync(get('/long'), { code: 'UNREACHABLE', message: /larger than 0.1 MB/ });
});

test('a server that does not answer is given up', async (t) => {
  const port = await serve(t, () => undefined);
  const request = { ...GET, allowPrivate: true, timeoutMs: 200 };
  await t.throwsAsync(publicFetch(new URL(`http://127.0.0.1:${port}/secret`), request), {
    code: 'UNREACHABLE',
    message: '127.0.0.1 did not answer within 0.2 s',
  });
});

test('no other protocol is spoken', async (t) => {
  await t.throwsAsync(publicFetch(new URL('file:///etc/passwd'), GET), { code: 'UNREACHABLE' });
});
