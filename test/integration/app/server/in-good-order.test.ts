import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { loadSettings } from '../../../../src/config/load.js';
import { bareServer } from '../../../support/bare-server.js';
import { articleFiles, readStored } from '../../../support/content.js';
import { article, type PublishedData } from '../../../support/events.js';
import { type Receiver, STORE_ONLY, sharedReceiver } from '../../../support/receiver.js';
import { startHere } from '../../../support/receiver-here.js';
import { SECRET, signature } from '../../../support/signer.js';
import { publicationBytes } from '../../../support/sockets.js';
import { tempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

const receiver = sharedReceiver(test, { ...STORE_ONLY, env: { PRESSMARK_SECRET: '' } });

const secretOf = ({ dir }: Receiver) =>
  /^PRESSMARK_SECRET=(.+)\n$/.exec(fs.readFileSync(join(dir, '.env'), 'utf8'))?.[1] ?? '';

test.serial(
  'a start without a secret makes one that only its owner can read, uses it, and keeps it',
  async (t) => {
    const { dir, log, post, stderr } = receiver();
    const warnings = log.filter(({ msg }) => msg.includes('there was no signing secret'));
    t.is(warnings.length, 1);
    t.regex(warnings[0]?.msg ?? '', /PRESSMARK_SECRET in \.env/);
    t.is(fs.statSync(join(dir, '.env')).mode & 0o777, 0o600);
    t.true(fs.readFileSync(join(dir, '.gitignore'), 'utf8').split('\n').includes('.env'));
    const secret = secretOf(receiver());
    t.regex(secret, /^[\w-]{43}$/);
    t.false(`${JSON.stringify(log)}${stderr()}`.includes(secret), 'the log does not contain it');
    t.is((await post('article.published', article(), { secret })).status, 200);
    const { secrets } = await loadSettings(dir, {}, { PRESSMARK_SECRET: '' });
    t.deepEqual(secrets, [secret], 'the next start finds it and makes none');
  },
);

test.serial(
  'SIGTERM: each request that has arrived whole by then is stored and answered, and its connection closed',
  async (t) => {
    const { port, dir, signal, stop, log } = receiver();
    const client = () => rawClient(port, secretOf(receiver()));
    const keptAlive = await Promise.all(Array.from({ length: 3 }, client));
    for (const client of keptAlive) client.send(article());
    await until('each kept-alive connection has had an answer', () =>
      keptAlive.every(({ answers }) => answers().length === 1),
    );
    t.true(keptAlive.every(({ answers }) => /\r\nConnection: keep-alive\r\n/.test(answers()[0] ?? '')));

    // While the receiver stands still, requests arrive: on connections that it has seen and on some that it has not. They are
    // few, so that this takes no five seconds on a busy machine: then the receiver closes connections on which nothing came.
    signal('SIGSTOP');
    const fresh = await Promise.all(Array.from({ length: 3 }, client));
    const clients = [...keptAlive, ...fresh];
    const sent = clients.map(({ send }) => send(article()));
    const pipelined = await client();
    sent.push(pipelined.send(article()), pipelined.send(article()), pipelined.send(article()));
    const ended = stop('SIGTERM');
    signal('SIGCONT');
    t.is(await ended, 0);
    await Promise.all([...clients, pipelined].map(({ closed }) => closed));

    for (const { answers } of clients)
      t.regex(answers().at(-1) ?? '', /^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Connection: close\r\n/);
    t.deepEqual(
      keptAlive.map(({ answers }) => answers().length),
      keptAlive.map(() => 2),
    );
    t.deepEqual(
      pipelined.answers().map((answer) => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]),
      ['200', '200', '200'],
    );
    const stored = new Set(articleFiles(dir).map((path) => readStored(path).article.id));
    t.deepEqual(
      sent.filter(({ id }) => !stored.has(id)),
      [],
    );
    t.is(log.at(-1)?.msg, 'stopped');
  },
);

test('503-stopping: what arrives while a receiver stops is refused and not stored; what has begun is answered', async (t) => {
  const { port, dir, close } = await startHere(t, STORE_ONLY);
  const [slow, late] = [await rawClient(port), await rawClient(port)];
  // A request that has begun keeps the receiver from ending at once.
  const { head, body } = publicationBytes(article());
  slow.write(head + body.slice(0, 10));
  late.send(article());
  await until('the first delivery is answered', () => late.answers().length === 1);
  const ended = close();
  await until('it accepts no connection any more', () =>
    rawClient(port).then(
      ({ end }) => end(),
      () => true,
    ),
  );
  // What is sent on the open connection by now is late, or finds it closed.
  const { id } = late.send(article());
  await late.closed;
  for (const answer of late.answers().slice(1))
    t.regex(answer, /^HTTP\/1\.1 503 [\s\S]*Connection: close[\s\S]*stopping/);
  slow.write(body.slice(10));
  await slow.closed;
  t.regex(slow.answers()[0] ?? '', /^HTTP\/1\.1 200 [\s\S]*Connection: close/);
  await ended;
  t.false(articleFiles(dir).some((path) => readStored(path).article.id === id));
});

test('a client that never finishes its request does not keep the server from closing', async (t) => {
  const server = bareServer(tempDir(t), {
    webhook: (context) => once(context.req, 'end'), // answers nothing before it has the whole body
  });
  const socket = net.connect(await server.listen(0, '127.0.0.1'), '127.0.0.1');
  const cutOff = once(socket, 'close');
  socket.on('error', () => undefined);
  const received = once(server.http, 'request');
  socket.write('POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc');
  await received;
  await server.close({ unfinishedMs: 100, wholeMs: 60_000 });
  await cutOff;
  t.false(server.http.listening);
});

/** A client that sends deliveries on one connection, and may send the next one before it has an answer. */
async function rawClient(port: number, secret = SECRET) {
  const socket = net.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  socket.on('error', () => undefined);
  const write = (bytes: string) => void socket.write(bytes);
  return {
    /** Sends a publication, and returns it. */
    send(data: PublishedData): PublishedData {
      const { head, body } = publicationBytes(data);
      write(head.replace(/(?<=X-Service-Signature: ).*/, signature(body, secret)) + body);
      return data;
    },
    write,
    /** The answers so far; the last one may not be whole. */
    answers: () => text.split(/(?=HTTP\/1\.1 \d)/).filter((answer) => answer !== ''),
    /** Closes the connection. @returns false */
    end(): boolean {
      socket.destroy();
      return false;
    },
    closed: new Promise((resolve) => socket.once('close', resolve)),
  };
}
