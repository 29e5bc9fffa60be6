import net from 'node:net';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { answerOf } from '../../support/client.js';
import { articleFiles } from '../../support/content.js';
import { article, envelope, type PublishedData, testData } from '../../support/events.js';
import { STORE_ONLY } from '../../support/receiver.js';
import { sharedHere } from '../../support/receiver-here.js';
import { SECRET, signature } from '../../support/signer.js';
import { publicationBytes, sendThenRead } from '../../support/sockets.js';
import { until } from '../../support/until.js';

const OTHER_SECRET = 'the-old-secret-123456';

// Two live secrets, as while a secret is being rotated: that changes nothing else.
const receiver = sharedHere(test, {
  ...STORE_ONLY,
  env: { PRESSMARK_SECRET: `${SECRET}, ${OTHER_SECRET}` },
});

const TEST_BODY = JSON.stringify(envelope('webhook.test', testData()));

function postTo(path: string): Promise<Response> {
  const headers = { 'X-Service-Signature': signature(TEST_BODY) };
  return fetch(receiver().origin + path, { method: 'POST', body: TEST_BODY, redirect: 'manual', headers });
}

test('200-trailing-slash: the webhook answers by itself, with and without a slash and a query, not by a redirect', async (t) => {
  for (const path of ['/webhook', '/webhook/', '/webhook?from=service', '/webhook/?from=service']) {
    const { status, json } = await answerOf(await postTo(path));
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

test('401-signature-refused: while a secret is being rotated, both secrets are accepted, and no other', async (t) => {
  const statusOf = async (secret: string) =>
    (await receiver().raw(TEST_BODY, { 'X-Service-Signature': signature(TEST_BODY, secret) })).status;
  for (const [secret, status] of [
    [SECRET, 200],
    [OTHER_SECRET, 200],
    ['a-third-secret-123456', 401],
    [`${SECRET}, ${OTHER_SECRET}`, 401],
  ] as const)
    t.is(await statusOf(secret), status, secret);
});

const BODY = JSON.stringify(envelope('article.published', article()));

test('401-signature-refused: a body that a proxy or an editor has changed is called that within 200 characters, and no secret is blamed', async (t) => {
  for (const [body, headers, words] of [
    [gzipSync(BODY), { 'Content-Encoding': 'gzip' }, /Content-Encoding \\?"gzip\\?"/],
    [gzipSync(BODY), {}, /compressed \(gzip\)/],
    [`\ufeff${BODY}`, {}, /byte order mark/],
  ] as const) {
    const { status, text } = await receiver().raw(body, {
      ...headers,
      'X-Service-Signature': signature(BODY),
    });
    t.is(status, 401);
    t.regex(text.slice(0, 200), words);
    t.notRegex(text, /secret/);
  }
});

test('400: a signed body that begins with a byte order mark, is compressed, or lacks a field is refused in these words, and nothing is written', async (t) => {
  const { title: _, ...untitled } = article();
  for (const [body, error] of [
    [`\ufeff${BODY}`, 'the body begins with a byte order mark (EF BB BF); send it without'],
    [gzipSync(BODY), 'the body is compressed (gzip); let no proxy compress it'],
    [JSON.stringify(envelope('article.published', untitled)), 'data.title is missing; it must be a string'],
  ] as const) {
    const { status, json } = await receiver().raw(body);
    t.deepEqual([status, json.error], [400, error]);
  }
  t.false(articleFiles(receiver().dir).some((path) => path.includes(untitled.id)));
});

test('415-content-encoding: an encoded body is refused by the name of its encoding; identity is accepted; without a signature it is a 401', async (t) => {
  const { raw } = receiver();
  const body = gzipSync(BODY);
  for (const encoding of ['gzip', 'x-unknown', 'gzip, identity']) {
    const { status, json } = await raw(body, { 'Content-Encoding': encoding });
    t.is(status, 415);
    t.is(json.error, `Content-Encoding "${encoding}" is not supported; send the body as it is`);
  }
  t.is((await raw(TEST_BODY, { 'Content-Encoding': 'Identity' })).status, 200);
  t.is((await raw(body, { 'Content-Encoding': 'gzip', 'X-Service-Signature': undefined })).status, 401);
});

const TOO_LARGE = '{"error":"body is over 1000000 bytes, the most that is accepted"}';
// More than the buffers of the system hold: the client is still sending when the answer comes.
const LARGE = Buffer.from(
  JSON.stringify(envelope('article.published', article({ content_html: 'x'.repeat(16_000_000) }))),
);
test.serial(
  '413-body-too-large: a client that sends everything before it reads can read the answer',
  async (t) => {
    const lines = [...['POST /webhook HTTP/1.1', 'Host: x'], `Content-Length: ${LARGE.length}`];
    const head = [...lines, `X-Service-Signature: ${signature(LARGE)}`, '', ''].join('\r\n');
    const answer = await sendThenRead(receiver().port, head, [LARGE]);
    t.deepEqual(answer, { status: 413, body: TOO_LARGE });
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
