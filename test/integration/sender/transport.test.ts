import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import test from 'ava';
import { exchange, type Outgoing, redirectTarget } from '../../../src/sender/delivery/transport.js';
import { reply, startEndpoint } from '../../support/endpoint.js';

const LONG: Pick<Outgoing, 'headers' | 'timeoutMs'> = { headers: {}, timeoutMs: 60_000 };
const body = Buffer.from('{"one":"ü"}');

/** A server that speaks bytes instead of HTTP. */
async function startRaw(
  t: { teardown(dispose: () => unknown): void },
  serve: (socket: net.Socket) => void,
): Promise<string> {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => serve(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

test('a redirect is followed once, with the same method and the same bytes; a second one is not, nor a 303, nor any without leave', async (t) => {
  for (const status of [301, 302, 307, 308]) {
    const { url, origin, got } = await startEndpoint(t, (request, response) =>
      reply(request.path === '/last' ? 200 : status, 'here', { location: '/last' })(request, response),
    );
    const answer = await exchange({ ...LONG, url, body, redirects: 1 });
    t.deepEqual([answer.status, answer.url], [200, `${origin}/last`]);
    t.deepEqual(
      got.map((one) => [one.method, one.path, one.body.toString()]),
      ['/hook', '/last'].map((path) => ['POST', path, body.toString()]),
      String(status),
    );
  }
  const { url, got } = await startEndpoint(t, (request, response) =>
    reply(302, '', { location: `${request.path}x` })(request, response),
  );
  const twice = await exchange({ ...LONG, url, body, redirects: 1 });
  t.deepEqual([twice.status, got.map(({ path }) => path)], [302, ['/hook', '/hookx']]);
  t.is(twice.redirectRefused, 'no further redirect is followed; register the final URL');
  const none = await exchange({ ...LONG, url, body });
  t.deepEqual([none.status, got.length], [302, 3]);
  t.is(none.redirectRefused, 'no redirect is followed; register the final URL');
  const other = await startEndpoint(t, reply(303, '', { location: '/last' }));
  const see = await exchange({ ...LONG, url: other.url, body, redirects: 1 });
  t.deepEqual([see.status, other.got.length], [303, 1]);
  t.regex(see.redirectRefused ?? '', /^it asks for a GET/);
});

test('a redirect from https to http, to nowhere, to a file or with credentials is not followed', (t) => {
  const from = 'https://r.example/hook';
  for (const url of ['https://r.example/hook/', 'https://www.r.example/hook'])
    t.deepEqual(redirectTarget(from, url), { url });
  t.deepEqual(redirectTarget('http://r.example/hook', '/hook/'), { url: 'http://r.example/hook/' });
  t.deepEqual(redirectTarget('http://r.example/hook', from), { url: from });
  t.is(
    redirectTarget(from, 'http://r.example/hook').refused,
    '"http://r.example/hook" leads from https to http',
  );
  t.regex(redirectTarget(from, undefined).refused ?? '', /no Location/);
  for (const location of ['http://', 'file:///etc/passwd', 'http://me:too@127.0.0.1/'])
    t.regex(redirectTarget(from, location).refused ?? '', /is not an http\(s\) URL without credentials/);
});

test('an answer is read up to 1,000,000 bytes', async (t) => {
  for (const [size, incomplete] of [
    [1_000_000, undefined],
    [1_000_001, 'is over 1,000,000 bytes'],
  ] as const) {
    const { url } = await startEndpoint(t, reply(200, 'x'.repeat(size)));
    const answer = await exchange({ ...LONG, url, body });
    t.deepEqual([answer.status, answer.body.length, answer.incomplete], [200, 1_000_000, incomplete]);
  }
});

test('an answer that breaks off, or never ends, is incomplete', async (t) => {
  const begun = 'HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"rec';
  const broken = await exchange({ ...LONG, url: await startRaw(t, (socket) => socket.end(begun)), body });
  t.deepEqual([broken.status, broken.body.toString(), broken.incomplete], [200, '{"rec', 'broke off']);
  const url = await startRaw(t, (socket) => void socket.write(begun));
  const endless = await exchange({ ...LONG, url, body, timeoutMs: 15_000 });
  t.is(endless.incomplete, 'was not complete within 15 s');
});

test('the time allowed covers the redirect too', async (t) => {
  const { url } = await startEndpoint(t, (request, response) => {
    if (request.path === '/hook') reply(302, '', { location: '/hangs' })(request, response);
  });
  await t.throwsAsync(exchange({ ...LONG, url, body, redirects: 1, timeoutMs: 15_000 }), {
    code: 'UNREACHABLE',
    message: /hangs cannot be reached: no answer within 15 s/,
  });
});

test('a receiver that does not answer in HTTP, does not listen or does not exist cannot be reached, and the error says why', async (t) => {
  const raw = (serve: (socket: net.Socket) => void) => startRaw(t, serve);
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';
  for (const [url, message] of [
    [
      await raw((socket) => socket.destroy()),
      /closed without an answer \(.*\); look at the log of the receiver/,
    ],
    [
      await raw((socket) => socket.end('SSH-2.0-hello\r\n')),
      /the answer is not HTTP \(HPE_.*\); write https:\/\//,
    ],
    [await raw((socket) => socket.end(upgrade)), /closed without an answer; look at the log of the receiver/],
    [
      'http://127.0.0.1:1/',
      /no program listens at this host and port \(connect ECONNREFUSED .*\); start the receiver, or correct/,
    ],
    [
      'http://nobody.invalid/',
      /there is no host with this name \(.*ENOTFOUND|the name of the host could not be looked up now \(.*EAI_AGAIN/,
    ],
  ] as const)
    await t.throwsAsync(exchange({ ...LONG, url, body }), { code: 'UNREACHABLE', message });
});

test('a request is sent once, on its own connection, also where the server offers to keep it', async (t) => {
  const urls: string[] = [];
  const server = http.createServer((request, response) => {
    urls.push(request.url ?? '');
    // From the second request on a worker that ends when it has read the whole article.
    request.resume().on('end', () => {
      if (urls.length === 1) response.writeHead(200, { connection: 'keep-alive' }).end('ok');
      else request.socket.destroy();
    });
  });
  let connections = 0;
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  t.is((await exchange({ ...LONG, url: `${url}1`, body })).status, 200);
  await t.throwsAsync(exchange({ ...LONG, url: `${url}2`, body }), { code: 'UNREACHABLE' });
  t.deepEqual([urls, connections], [['/1', '/2'], 2]);
});
