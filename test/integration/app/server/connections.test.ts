import { once } from 'node:events';
import fs from 'node:fs';
import net, { type Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Router from '@koa/router';
import test, { type ExecutionContext } from 'ava';
import type { ServerOptions } from '../../../../src/app/server/server.js';
import { bareServer } from '../../../support/bare-server.js';
import { article } from '../../../support/events.js';
import { type Receiver, STORE_ONLY, sharedReceiver, startReceiver } from '../../../support/receiver.js';
import { publicationBytes, sendThenRead } from '../../../support/sockets.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

const GET = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** A connection of which nothing is read before `text`. */
interface Client {
  readonly socket: Socket;
  isClosed(): boolean;
  /** Reads to the end. */
  text(): Promise<string>;
}

async function connect(port: number, bytes = '', localAddress = '127.0.0.1'): Promise<Client> {
  const socket = net.connect({ port, host: '127.0.0.1', localAddress });
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.pause();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  if (bytes !== '') socket.write(bytes);
  return {
    socket,
    isClosed: () => socket.closed,
    text: async () => {
      let text = '';
      socket.setEncoding('latin1').on('data', (part: string) => {
        text += part;
      });
      socket.resume();
      await closed;
      return text;
    },
  };
}

/** Many connections, opened a hundred at a time; closed after the test. */
async function connectMany(
  t: ExecutionContext,
  port: number,
  count: number,
  bytes: string,
): Promise<Client[]> {
  const clients: Client[] = [];
  t.teardown(() => {
    for (const { socket } of clients) socket.destroy();
  });
  while (clients.length < count)
    clients.push(...(await Promise.all(Array.from({ length: 100 }, () => connect(port, bytes)))));
  return clients;
}

/** A server in this process, whose plugin has the given routes. */
async function startServer(t: ExecutionContext, options: Partial<ServerOptions> = {}) {
  const server = bareServer(tempDir(t), options);
  t.teardown(() => server.close({ unfinishedMs: 0, wholeMs: 0 }));
  return { server, port: await server.listen(0, '127.0.0.1') };
}

/** Puts a file where the receiver serves it. */
function serve({ dir }: Receiver, name: string, bytes: number): void {
  fs.mkdirSync(join(dir, 'public'), { recursive: true });
  fs.writeFileSync(join(dir, 'public', name), Buffer.alloc(bytes, 'x'));
}

/** Publishes an article on a connection of its own; fetch may take one that is just being closed to make room. */
async function publish({ port }: Receiver): Promise<number> {
  const { head, body } = publicationBytes(article(), 'Connection: close');
  return (await sendThenRead(port, head, [Buffer.from(body)])).status;
}

const descriptors = ({ pid }: Receiver) => fs.readdirSync(`/proc/${pid}/fd`).length;

function megabytes({ pid }: Receiver, what: 'VmRSS' | 'VmHWM'): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${what}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1_000;
}

// Half-sent headers and bodies on 1,000 connections are attackers in `npm run torture`.
const shared = sharedReceiver(test, STORE_ONLY);

/** The receiver for the tests that run one after the other, without the connections of the test before. */
async function quietReceiver(): Promise<Receiver> {
  const receiver = shared();
  await until('the connections of the test before are closed', () => descriptors(receiver) < 100);
  return receiver;
}

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
  const client = await connect(port, GET('/never').repeat(1_500));
  await client.text();
  t.true(client.isClosed());
  t.is(handled, 1);
});

test('400 and 417: a request without a Host, or with an expectation that nobody knows, is refused', async (t) => {
  const { port } = await startServer(t);
  t.regex(
    await (await connect(port, 'GET / HTTP/1.1\r\n\r\n')).text(),
    /^HTTP\/1\.1 400 [\s\S]*Connection: close/,
  );
  t.regex(
    await (
      await connect(port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: tea\r\n\r\n')
    ).text(),
    /^HTTP\/1\.1 417 /,
  );
  const unread = await connect(port, `${GET('/')}GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n`);
  const statuses = [...(await unread.text()).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  t.deepEqual(statuses, ['404', '400'], 'the refusal closes the connection');
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
  server.http.timeout = 200;
  const waiting = await connect(port, 'GET /later HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const reader = await connect(port, GET('/large'));
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
  const clients: Client[] = [];
  for (let n = 0; n < 12; n++) {
    const asked = once(server.http, 'request');
    clients.push(await connect(port, GET('/large')));
    await asked;
  }
  const waiting = () => [...sockets].reduce((sum, { writableLength }) => sum + writableLength, 0);
  await until('at most 64 MB wait', () => waiting() <= 64_000_000);
  t.true(sockets.size >= 2, 'no more than needed are cut off');
  for (const { socket } of clients) socket.destroy();
});

test.serial(
  'twenty connections with 2,000 unread requests each cost little memory, and deliveries are answered',
  async (t) => {
    const receiver = await startReceiver(t, STORE_ONLY);
    serve(receiver, 'feed.json', 900_000);
    const before = megabytes(receiver, 'VmRSS');
    const files = descriptors(receiver);
    const clients: Client[] = [];
    for (let n = 0; n < 20; n++) clients.push(await connect(receiver.port, GET('/feed.json').repeat(2_000)));
    t.is(await publish(receiver), 200);
    for (const { socket } of clients) socket.resume();
    await until('all of these connections are closed', () => clients.every(({ isClosed }) => isClosed()));
    await until('no descriptor is left', () => descriptors(receiver) <= files + 2);
    const grown = megabytes(receiver, 'VmHWM') - before;
    // It was 2,400 MB and more.
    t.true(grown < 200, `the receiver has grown by ${Math.round(grown)} MB`);
  },
);

test.serial(
  '200-published: a delivery is answered beside 1,000 connections that do not read a file',
  async (t) => {
    const receiver = await quietReceiver();
    serve(receiver, 'film.bin', 10_000_000);
    await connectMany(t, receiver.port, 1_000, GET('/film.bin'));
    for (let n = 0; n < 5; n++) t.is(await publish(receiver), 200);
    t.true(descriptors(receiver) <= 2_100, `${descriptors(receiver)} descriptors`);
  },
);
