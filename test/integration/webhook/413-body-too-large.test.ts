import test from 'ava';
import { articleFiles } from '../../support/content.js';
import { article, envelope } from '../../support/events.js';
import { STORE_ONLY, sharedReceiver } from '../../support/receiver.js';
import { signature } from '../../support/signer.js';
import { sendSlowly, sendThenRead } from '../../support/sockets.js';

const receiver = sharedReceiver(test, STORE_ONLY);

const BODY = Buffer.from(
  JSON.stringify(envelope('article.published', article({ content_html: 'x'.repeat(3_000_000) }))),
);
const SIGNED = { 'X-Service-Signature': signature(BODY) };

function pieces(size: number): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < BODY.length; at += size) parts.push(BODY.subarray(at, at + size));
  return parts;
}

function isRefusal(text: string): boolean {
  return /1000000 bytes/.test(JSON.parse(text).error);
}

test('fetch can read the answer', async (t) => {
  for (let n = 0; n < 5; n++) {
    const { status, text } = await receiver().raw(BODY, SIGNED);
    t.is(status, 413);
    t.true(isRefusal(text));
  }
});

test('fetch can read the answer to a body without a length', async (t) => {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces(60_000)) controller.enqueue(piece);
      controller.close();
    },
  });
  const response = await fetch(`${receiver().origin}/webhook`, {
    method: 'POST',
    body,
    duplex: 'half',
    headers: SIGNED,
  });
  t.is(response.status, 413);
  t.true(isRefusal(await response.text()));
});

for (const [how, headers] of [
  ['with a length', { ...SIGNED, 'Content-Length': BODY.length }],
  ['chunked', SIGNED],
] as const) {
  test(`a slow client of node:http that still sends can read the answer, ${how}`, async (t) => {
    const answer = await sendSlowly(receiver().port, pieces(50_000), headers, 5);
    t.is(answer.status, 413);
    t.true(isRefusal(answer.body));
  });
}

test('a client that sends everything before it reads can read the answer', async (t) => {
  const head = (more: string) =>
    `POST /webhook HTTP/1.1\r\nHost: x\r\nX-Service-Signature: ${signature(BODY)}\r\n${more}\r\n\r\n`;
  const plain = await sendThenRead(receiver().port, head(`Content-Length: ${BODY.length}`), [BODY]);
  t.is(plain.status, 413);
  t.true(isRefusal(plain.body));

  const chunks = [
    ...pieces(100_000).map((piece) =>
      Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
    ),
    Buffer.from('0\r\n\r\n'),
  ];
  const chunked = await sendThenRead(receiver().port, head('Transfer-Encoding: chunked'), chunks);
  t.is(chunked.status, 413);
});

test.after('nothing was stored', (t) => {
  t.deepEqual(articleFiles(receiver().dir), []);
});
