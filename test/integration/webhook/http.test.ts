import fs from 'node:fs';
import net from 'node:net';
import test from 'ava';
import { answerOf } from '../../support/client.js';
import { article, envelope, type PublishedData, testData } from '../../support/events.js';
import { onLinux } from '../../support/full-disk.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';
import { startHere } from '../../support/receiver-here.js';
import { SECRET, signature } from '../../support/signer.js';
import { publicationBytes, sendThenRead } from '../../support/sockets.js';
import { until } from '../../support/until.js';

const OTHER_SECRET = 'the-old-secret-123456';

// In a process, as its memory is looked at. Two live secrets, as while a secret is being rotated: that changes nothing else.
const receiver = sharedReceiver(test, {
  ...STORE_ONLY,
  env: { PRESSMARK_SECRET: `${SECRET}, ${OTHER_SECRET}` },
});

const TEST_BODY = JSON.stringify(envelope('webhook.test', testData()));
const SIGNED = `X-Service-Signature: ${signature(TEST_BODY)}`;
/** Has the form of a signature. */
const FORGED = `X-Service-Signature: sha256=${'5'.repeat(64)}`;

const head = (...lines: string[]) =>
  ['POST /webhook HTTP/1.1', 'Host: localhost', ...lines, '', ''].join('\r\n');

/** A connection that stays open, and what has come on it. */
function open(port: number, t: { teardown(dispose: () => unknown): void }) {
  const socket = net.connect(port, '127.0.0.1').setEncoding('utf8');
  const state = { text: '', closed: false };
  socket.on('data', (text: string) => {
    state.text += text;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    state.closed = true;
  });
  t.teardown(() => socket.destroy());
  return { socket, state };
}

test('200-trailing-slash: the webhook answers by itself, with and without a slash and a query, not by a redirect; during a rotation, both secrets are accepted', async (t) => {
  for (const [path, secret] of [
    ['/webhook', SECRET],
    ['/webhook/', OTHER_SECRET],
    ['/webhook?from=service', SECRET],
    ['/webhook/?from=service', SECRET],
  ] as const) {
    const headers = { 'X-Service-Signature': signature(TEST_BODY, secret) };
    const request = { method: 'POST', body: TEST_BODY, redirect: 'manual', headers } as const;
    const { status, json } = await answerOf(await fetch(receiver().origin + path, request));
    t.deepEqual([status, json.contract_version], [200, 3], path);
  }
});

test('405-method: methods other than POST are refused, and the answer allows POST', async (t) => {
  for (const method of ['GET', 'HEAD', 'PUT', 'OPTIONS']) {
    const body = method === 'GET' || method === 'HEAD' ? null : '{}';
    const headers = { 'X-Service-Signature': signature(body ?? '') };
    const response = await fetch(`${receiver().origin}/webhook`, { method, body, headers });
    t.deepEqual([response.status, response.headers.get('allow')], [405, 'POST'], method);
    const error = `${method} is not accepted here; POST signed events`;
    t.is(await response.text(), method === 'HEAD' ? '' : JSON.stringify({ error }));
  }
});

test('401-signature-refused: without a signature, or with one that cannot be one, a request is answered before its body has come', async (t) => {
  for (const signed of ['X-Other: 1', 'X-Service-Signature: sha256=abc']) {
    const { socket, state } = open(receiver().port, t);
    socket.write(head('Content-Length: 1000000', signed));
    await until('the answer arrives', () => state.text.includes('"error"'));
    t.regex(state.text, /^HTTP\/1\.1 401 /);
    t.regex(state.text, /\r\nConnection: close\r\n/);
  }
});

test('401-signature-refused: a body in chunks of one byte without a signature is not read to its end', async (t) => {
  const { socket, state } = open(receiver().port, t);
  socket.write(head('Transfer-Encoding: chunked'));
  socket.write('1\r\nx\r\n'.repeat(20_000));
  await until('the connection is closed', () => state.closed);
  t.regex(state.text, /^HTTP\/1\.1 401 /);
});

test('200-expect-continue: a client that waits for 100 Continue is answered', async (t) => {
  const { socket, state } = open(receiver().port, t);
  socket.write(head('Expect: 100-continue', `Content-Length: ${TEST_BODY.length}`, SIGNED));
  await until('the receiver wants the body', () => state.text.startsWith('HTTP/1.1 100 Continue\r\n\r\n'));
  socket.write(TEST_BODY);
  await until('the answer arrives', () => state.text.includes('capabilities'));
  t.regex(state.text, /\r\n\r\nHTTP\/1\.1 200 /);
});

onLinux(
  '503-receiver-busy: half-sent bodies take a bounded memory, and a signed delivery is answered beside them',
  async (t) => {
    const { port, pid, post } = receiver();
    const megabytes = () =>
      Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_000;
    const before = megabytes();
    const half = Buffer.alloc(999_999, ' ');
    const [first, ...others] = Array.from({ length: 90 }, () => {
      const one = open(port, t);
      one.socket.write(head('Content-Length: 1000000', FORGED));
      one.socket.write(half);
      return one;
    });
    const refused = () => [first, ...others].filter((one) => one?.state.text.startsWith('HTTP/1.1 503 '));
    await until('74 of 90 are refused, so that the others take 16 MB', () => refused().length >= 74);
    t.is((await post('article.published', article())).status, 200);
    t.regex(refused()[0]?.state.text ?? '', /\r\nRetry-After: 60\r\n/);
    // 16 MB, as much again that waits for the garbage collector, and some more.
    t.true(megabytes() < before + 150, `${before} MB, then ${megabytes()} MB`);
  },
);

test('400-body-aborted: of malformed requests, no byte is logged, and no more than a line or two', async (t) => {
  const own = await startHere(t, STORE_ONLY);
  const filler = 'unverified '.repeat(5_000);
  const chunk = `${filler.length.toString(16)}\r\n${filler}\r\n`;
  for (let n = 0; n < 20; n++) {
    const { socket, state } = open(own.port, t);
    socket.write(`${head('Transfer-Encoding: chunked', FORGED)}${chunk}not a size\r\n`);
    await until('the connection is closed', () => state.closed);
  }
  t.is((await own.raw(TEST_BODY)).status, 200);
  await until('it is logged', () => own.log.some(({ outcome }) => outcome === 'BODY_ABORTED'));
  await own.close();
  const log = JSON.stringify(own.log);
  t.false(log.includes('unverified') || log.includes('rawPacket'));
  t.true(log.length < 5_000, `${log.length} characters`);
  t.deepEqual(
    own.log.filter(({ level }) => level > 40),
    [],
  );
});

test.serial(
  '413-body-too-large: a client that sends everything before it reads can read the answer',
  async (t) => {
    // More than the buffers of the system hold: the client is still sending when the answer comes.
    const large = Buffer.alloc(16_000_000, ' ');
    const answer = await sendThenRead(receiver().port, head(`Content-Length: ${large.length}`, FORGED), [
      large,
    ]);
    const body = '{"error":"body is over 1000000 bytes, the most that is accepted"}';
    t.deepEqual(answer, { status: 413, body });
  },
);

test('200-published-sender-hangs-up: an article whose sender hangs up before the answer is stored, and its retry is answered', async (t) => {
  const data = article();
  await sendAndHangUp(data);
  const delivered = () => receiver().log.filter(({ id }) => id === data.id);
  await until('the delivery whose sender has hung up is logged', () => delivered().length > 0);
  t.like(delivered()[0], { msg: 'delivery', outcome: 'stored', status: 200 });
  t.is((await receiver().post('article.published', data)).status, 200);
  await until('the retry is logged', () => delivered().length > 1);
  t.like(delivered()[1], { msg: 'delivery', outcome: 'known', status: 200 });
});

/** Sends a delivery, and hangs up without reading anything. */
function sendAndHangUp(data: PublishedData): Promise<void> {
  const { head, body } = publicationBytes(data);
  return new Promise((resolve, reject) => {
    const socket = net.connect(receiver().port, '127.0.0.1').once('error', reject).once('close', resolve);
    socket.write(head + body, () => socket.destroy());
  });
}
