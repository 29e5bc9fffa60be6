import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Router from '@koa/router';
import test, { type ExecutionContext } from 'ava';
import type { ServerOptions } from '../../../../src/app/server/server.js';
import { bareServer } from '../../../support/bare-server.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

const GET = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** Opens a connection on which nothing is read before `text`, which reads to the end. */
async function connect(port: number, bytes: string) {
  const socket = net.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.pause();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(bytes);
  const text = async () => {
    let text = '';
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part;
    });
    socket.resume();
    await closed;
    return text;
  };
  return { socket, text };
}

/** A server in this process, whose plugin has the given routes. */
async function startServer(t: ExecutionContext, options: Partial<ServerOptions> = {}) {
  const server = bareServer(tempDir(t), options);
  t.teardown(() => server.close({ unfinishedMs: 0, wholeMs: 0 }));
  return { server, port: await server.listen(0, '127.0.0.1') };
}

// Thousands of connections and requests that nobody reads are attackers in `npm run torture`.

test('requests that are sent ahead on one connection are answered one after the other, in their order', async (t) => {
  let running = 0;
  let most = 0;
  const router = new Router();
  router.get('/slow/:n', async (context) => {
    most = Math.max(most, ++running);
    await nextTurn();
    running--;
    context.body = `answer ${context.params.n};`;
  });
  const { port } = await startServer(t, { routers: [router] });
  const numbers = Array.from({ length: 15 }, (_, n) => n);
  const last = 'GET /slow/last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const client = await connect(port, numbers.map((n) => GET(`/slow/${n}`)).join('') + last);
  const text = await client.text();
  t.deepEqual(
    [...text.matchAll(/answer (\w+);/g)].map(([, n]) => n),
    [...numbers.map(String), 'last'],
  );
  t.is(most, 1);
});

test('a packet of thousands of requests closes its connection, and no more than the first is answered', async (t) => {
  const router = new Router();
  let handled = 0;
  router.get('/never', () => {
    handled++;
    return new Promise(() => undefined);
  });
  const { port } = await startServer(t, { routers: [router] });
  await (await connect(port, GET('/never').repeat(1_500))).text();
  t.is(handled, 1);
});

test('400: a request without a Host is refused, which closes the connection', async (t) => {
  const { port } = await startServer(t);
  const bare = 'GET / HTTP/1.1\r\n\r\n';
  const { text } = await connect(port, GET('/') + bare + bare);
  const statuses = [...(await text()).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  t.deepEqual(statuses, ['404', '400']);
});

test('a client that does not read its answer is cut off, and one that waits for its answer is not', async (t) => {
  const router = new Router();
  let answer = () => undefined as unknown;
  router.get('/large', (context) => {
    context.body = Buffer.alloc(30_000_000);
  });
  router.get('/later', async (context) => {
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    context.body = 'at last';
  });
  const { server, port } = await startServer(t, { routers: [router] });
  const sockets: Socket[] = [];
  server.http.on('connection', (socket: Socket) => sockets.push(socket));
  const asking = async (bytes: string) => {
    const asked = once(server.http, 'request');
    const client = await connect(port, bytes);
    await asked;
    return client;
  };
  const waiting = await asking('GET /later HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const reader = await asking(GET('/large'));
  // Only now: on a machine that stands still, a request that has not been read yet would be late, too.
  server.http.timeout = 200;
  for (const socket of sockets) socket.setTimeout(server.http.timeout);
  await until('the client that does not read is cut off', async () => {
    const count = await new Promise((resolve) => server.http.getConnections((_, n) => resolve(n)));
    return count === 1;
  });
  reader.socket.destroy();
  answer();
  t.regex(await waiting.text(), /at last$/);
});

test('the bytes that wait for slow readers are bounded: the slowest are cut off', async (t) => {
  const router = new Router();
  router.get('/large', (context) => {
    context.body = Buffer.alloc(20_000_000);
  });
  const { server, port } = await startServer(t, { routers: [router] });
  const sockets = new Set<Socket>();
  server.http.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const clients: Socket[] = [];
  for (let n = 0; n < 12; n++) {
    const asked = once(server.http, 'request');
    clients.push((await connect(port, GET('/large'))).socket);
    await asked;
  }
  const waiting = () => [...sockets].reduce((sum, { writableLength }) => sum + writableLength, 0);
  await until('at most 64 MB wait', () => waiting() <= 64_000_000);
  t.true(sockets.size >= 2, 'no more than needed are cut off');
  for (const socket of clients) socket.destroy();
});
