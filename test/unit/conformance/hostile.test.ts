import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { hasFailed } from '../../../src/conformance/outcome.js';
import { type ConformanceOptions, checkReceiver, type ReceiverReport } from '../../../src/conformance/run.js';
import type { Clock } from '../../../src/sender/clock.js';
import { optionsFor, withoutPauses } from '../../support/conformance/checked.js';
import { virtualClock } from '../../support/virtual-clock.js';

/** Checks a server that does this with every connection. Its clock stands still: where no answer will come, the test lets the time pass. */
async function report(
  t: ExecutionContext,
  act: (socket: Socket) => void,
  over: Partial<ConformanceOptions> = {},
): Promise<ReceiverReport> {
  const server = net.createServer((socket) => {
    socket.unref(); // where a test fails, it stays open
    socket.on('error', () => socket.destroy()); // the checker hangs up on it
    socket.once('data', () => act(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => server.close());
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`);
  const found = await checkReceiver(optionsFor(url, { clock: withoutPauses(virtualClock(0)), ...over }));
  t.true(hasFailed(found));
  t.true(found.outcomes.every(({ result }) => result !== 'error'));
  return found;
}

const gotOf = ({ outcomes }: ReceiverReport, id: string) =>
  outcomes.find(({ rule }) => rule.id === id)?.got ?? '';
const answer = (head: string, body = '') =>
  `HTTP/1.1 ${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;

const TIMEOUT_MS = 15_000;

test('a receiver that never answers is not reachable, and is asked no further', async (t) => {
  const clock = virtualClock(0);
  const found = await report(t, () => clock.pass(TIMEOUT_MS), { clock });
  t.is(gotOf(found, 'reachable'), 'no answer (no whole answer within 15 s)');
  t.is(found.requests, 1);
});

test('an answer of 10 MB is read to the limit and no further', async (t) => {
  const body = `{"received":true,"x":"${'x'.repeat(10_000_000)}"}`;
  const found = await report(t, (socket) => socket.end(answer('200 OK', body)), {
    only: ['answer-sizes'],
  });
  t.is(found.version, 1);
  t.regex(gotOf(found, 'answer-sizes'), /^at least 1\d{6} bytes$/);
});

test('a server that does not answer in HTTP, or redirects in circles, is a finding of one rule', async (t) => {
  const longHead = `HTTP/1.1 200 OK\r\nX-Long: ${'z'.repeat(100_000)}`;
  for (const [bytes, id, got] of [
    ['', 'reachable', /no answer \(/],
    ['HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"rec', 'reachable', /no answer \(/],
    [answer('307 Go\r\nLocation: /webhook'), 'test-no-redirect', /^307, .* to \/webhook$/],
    [answer('200 OK', '{"received":tru'), 'error-shape-401', /\{"received":tru/],
    ['SSH-2.0-OpenSSH_9.2\r\n', 'reachable', /no answer \(Parse Error/],
    [longHead, 'reachable', /no answer \(Parse Error: Header overflow/],
  ] as const) {
    const act = (socket: Socket) => void (bytes === '' ? socket.destroy() : socket.end(bytes));
    t.regex(gotOf(await report(t, act), id), got, bytes.slice(0, 80));
  }
});

const CONNECTED = answer(
  '200 OK',
  '{"received":true,"contract_version":3,"capabilities":["article.published","article.lookup","article.updated"]}',
);

/** A clock whose pauses between attempts are over at once, and on which no answer is late. */
const IMPATIENT: Clock = {
  now: () => 0,
  wait: (ms) => (ms < 1_000 ? Promise.resolve() : new Promise(() => undefined)),
};

test('of a receiver that ends in the middle of a run, one rule fails, and later ones are not checked', async (t) => {
  let count = 0;
  const act = (socket: Socket) => void (++count < 12 ? socket.end(CONNECTED) : socket.destroy());
  const found = await report(t, act, { clock: IMPATIENT });
  const at = found.outcomes.findIndex(({ got }) => got?.includes('to each webhook.test after it'));
  const stopped = found.outcomes[at];
  t.is(stopped?.result, 'failed');
  t.regex(stopped?.rule.hint ?? '', /log/);
  t.true(found.outcomes.slice(0, at).every(({ got }) => !got?.includes('no answer')));
  const later = found.outcomes.slice(at + 1);
  t.true(later.length > 100);
  t.deepEqual(
    [...new Set(later.map(({ result, why }) => `${result}: ${why?.replace(/ \(.*\)/, '')}`))],
    [`not checked: the receiver stopped answering at ${stopped?.rule.id}`],
  );
});

test('a receiver that does not listen is an error, not a report', async (t) => {
  await t.throwsAsync(checkReceiver(optionsFor(new URL('http://127.0.0.1:1/webhook'))), {
    message:
      /cannot be reached: .*no program listens at this host and port .*ECONNREFUSED.*; start the receiver, or correct the URL$/,
  });
});
