import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import {
  type ConformanceOptions,
  checkReceiver,
  hasFailed,
  type Report,
} from '../../../../src/sender/conformance/run.js';
import { optionsFor } from '../../../support/conformance/checked.js';

/** A server that does this with every connection, after its first bytes. */
async function startHostile(t: ExecutionContext, act: (socket: Socket) => void): Promise<URL> {
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()); // the checker hangs up on it
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', () => act(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`);
}

/** A short timeout only where no answer will come: on a busy machine an answer takes its time. */
async function report(
  t: ExecutionContext,
  act: (socket: Socket) => void,
  { timeoutMs = 15_000, ...over }: Partial<ConformanceOptions> = {},
): Promise<Report> {
  const url = await startHostile(t, act);
  const found = await checkReceiver(optionsFor(url, { timeoutMs, maxMs: 60_000, ...over }));
  t.true(hasFailed(found));
  t.true(found.outcomes.every(({ result }) => result !== 'error'));
  return found;
}

const gotOf = ({ outcomes }: Report, id: string) => outcomes.find(({ rule }) => rule.id === id)?.got ?? '';
const answer = (head: string, body = '') =>
  `HTTP/1.1 ${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;

/** Rules that are enough to see how large answers are dealt with. */
const LARGE = [
  'test-answer-size',
  'publish-answer-size',
  'publish-accepted',
  'lookup-not-acknowledged',
  'signature-missing',
];

test('one that never answers', async (t) => {
  const found = await report(t, () => undefined, { timeoutMs: 500 });
  t.is(gotOf(found, 'reachable'), 'no answer (no whole answer within 0.5 s)');
  t.true(found.requests < 10);
});

test('one that closes every connection', async (t) => {
  t.regex(gotOf(await report(t, (socket) => socket.destroy()), 'reachable'), /no answer \(/);
});

test('one that begins an answer and closes', async (t) => {
  const begin = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"rec';
  t.regex(gotOf(await report(t, (socket) => socket.end(begin)), 'reachable'), /no answer \(/);
});

test('one that answers a byte at a time, for ever', async (t) => {
  const found = await report(
    t,
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
      const timer = setInterval(() => socket.write(' '), 50);
      socket.on('close', () => clearInterval(timer));
    },
    { timeoutMs: 500 },
  );
  t.regex(gotOf(found, 'reachable'), /no whole answer within/);
});

test('one that answers 10 MB', async (t) => {
  const body = `{"received":true,"x":"${'x'.repeat(10_000_000)}"}`;
  const found = await report(t, (socket) => socket.end(answer('200 OK', body)), { only: LARGE });
  t.is(found.version, 1);
  t.regex(gotOf(found, 'test-answer-size'), /^at least 1\d{6} bytes$/);
});

test('one that answers without an end', async (t) => {
  const found = await report(
    t,
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const more = () => {
        while (!socket.destroyed && socket.write(`10000\r\n${'y'.repeat(65_536)}\r\n`));
      };
      socket.on('drain', more);
      more();
    },
    { only: LARGE },
  );
  t.regex(gotOf(found, 'test-answer-size'), /^at least/);
});

test('one that redirects in circles', async (t) => {
  const found = await report(t, (socket) =>
    socket.end(answer('307 Temporary Redirect\r\nLocation: /webhook')),
  );
  t.regex(gotOf(found, 'test-no-redirect'), /^307, a redirect to \/webhook$/);
});

test('one that redirects to somewhere that is none', async (t) => {
  const found = await report(t, (socket) => socket.end(answer('301 Moved\r\nLocation: http://[::')));
  t.regex(gotOf(found, 'test-no-redirect'), /^301/);
});

test('one that answers everything with invalid JSON', async (t) => {
  const found = await report(t, (socket) => socket.end(answer('200 OK', '{"received":tru')));
  t.is(found.version, 1);
  t.regex(gotOf(found, 'error-shape-401'), /\{"received":tru/);
});

test('one that answers everything with JSON of other types', async (t) => {
  for (const body of [
    'null',
    '[]',
    '"x"',
    '{"target":[],"capabilities":{},"contract_version":[3],"url":7,"error":[]}',
  ])
    t.true(hasFailed(await report(t, (socket) => socket.end(answer('200 OK', body)))), body);
});

test('one that speaks no HTTP', async (t) => {
  const found = await report(t, (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
  t.regex(gotOf(found, 'reachable'), /no answer \(Parse Error/);
});

test('one that sends a head without an end', async (t) => {
  const found = await report(t, (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nX-Long: ${'z'.repeat(100_000)}`);
  });
  t.regex(gotOf(found, 'reachable'), /no answer \(Parse Error: Header overflow/);
});

test('one that asks for another protocol', async (t) => {
  const head = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';
  const found = await report(t, (socket) => socket.write(head));
  t.is(gotOf(found, 'reachable'), 'no answer (the connection was closed without an answer)');
});

test('one that is slow: when the time for the run is over, no request begins', async (t) => {
  const slow = (socket: Socket) =>
    void setTimeout(() => socket.end(answer('200 OK', '{"received":true}')), 50);
  const url = await startHostile(t, slow);
  const { outcomes, requests } = await checkReceiver(optionsFor(url, { maxMs: 300 }));
  t.true(requests <= 6);
  t.is(outcomes.at(-1)?.result, 'not checked');
  t.true(outcomes.some(({ why }) => why === 'the time for the run is over; --max-time gives it more'));
});

test('one that breaks off in the middle of a run: what follows is told, and the run ends', async (t) => {
  let count = 0;
  const found = await report(t, (socket) => {
    if (++count < 5) socket.end(answer('401 Unauthorized', '{"error":"no"}'));
    else socket.destroy();
  });
  t.true(found.outcomes.length > 200);
});

test('nobody there at all is an error of its own', async (t) => {
  const url = await startHostile(t, () => undefined);
  const closed = net.createServer();
  closed.listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  url.port = String(port);
  await t.throwsAsync(checkReceiver(optionsFor(url)), {
    message: /cannot be reached: .*ECONNREFUSED.*is the receiver running there\?/,
  });
});
