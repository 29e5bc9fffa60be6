import net from 'node:net';
import test from 'ava';
import { article, envelope } from '../../support/events.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { signature } from '../../support/signer.js';
import { until } from '../../support/until.js';

test('a sender that hangs up before the answer: the article is stored, and its retry is answered', async (t) => {
  const receiver = await startReceiver(t, { storeOnly: true });
  const data = article({ id: 'hung-up' });
  await sendAndHangUp(receiver, JSON.stringify(envelope('article.published', data)));
  const line = await logged(receiver, 'delivery');
  t.like(line, { id: 'hung-up', outcome: 'stored', status: 200 });
  const retry = await receiver.post('article.published', data);
  t.is(retry.status, 200);
  t.like(await logged(receiver, 'delivery', 1), { id: 'hung-up', outcome: 'known', status: 200 });
});

test('a sender that hangs up within the body: nothing is stored, and the receiver goes on', async (t) => {
  const receiver = await startReceiver(t, { storeOnly: true });
  const data = article({ id: 'cut-off' });
  const text = JSON.stringify(envelope('article.published', data));
  await sendAndHangUp(receiver, text, text.slice(0, -10));
  t.like(await logged(receiver, 'delivery refused'), { outcome: 'BODY_ABORTED', status: 400 });
  t.is((await receiver.post('article.published', data)).status, 200);
  t.like(await logged(receiver, 'delivery'), { id: 'cut-off', outcome: 'stored' });
});

/** Sends a delivery, or the part of it that is given, and closes the connection without waiting for anything. */
function sendAndHangUp({ port }: Receiver, whole: string, sent = whole): Promise<void> {
  const head = [
    'POST /webhook HTTP/1.1',
    'Host: localhost',
    `Content-Length: ${Buffer.byteLength(whole)}`,
    `X-Service-Signature: ${signature(whole)}`,
  ].join('\r\n');
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1').once('error', reject).once('close', resolve);
    socket.write(`${head}\r\n\r\n${sent}`, () => socket.destroy());
  });
}

async function logged({ log }: Receiver, msg: string, nth = 0) {
  const lines = () => log.filter((line) => line.msg === msg);
  await until(() => lines().length > nth);
  return lines()[nth] ?? null;
}
