import { once } from 'node:events';
import fs from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { pino } from 'pino';
import { closeServer, createServer } from '../../../src/app/server.js';
import { loadSettings } from '../../../src/config/load.js';
import { articleFiles, debris, readStored } from '../../support/content.js';
import { article, type PublishedData } from '../../support/events.js';
import { type Receiver, STORE_ONLY, sharedReceiver, startReceiver } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

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

test.serial('/healthz answers 503 while articles cannot be stored, and 200 again afterwards', async (t) => {
  const { origin, dir, post } = receiver();
  const health = async () => {
    const response = await fetch(`${origin}/healthz`);
    return { status: response.status, body: (await response.json()) as { ok: boolean; error?: string } };
  };
  t.deepEqual(await health(), { status: 200, body: { ok: true } });
  fs.rmSync(join(dir, 'content'), { recursive: true });
  // A verdict stands for a second.
  await until(
    '/healthz reports that the content folder is gone',
    async () => (await health()).status === 503,
  );
  const { ok, error } = (await health()).body;
  t.deepEqual([ok, error], [false, 'articles cannot be stored: ENOENT: no such file or directory']);
  // The next publication makes the folder again.
  t.is((await post('article.published', article(), { secret: secretOf(receiver()) })).status, 200);
  await until('/healthz reports that articles can be stored', async () => (await health()).status === 200);
});

test.serial(
  'SIGINT ends a receiver with exit code 0, after plugins and store have been closed',
  async (t) => {
    const { log, stderr, stop } = receiver();
    t.is(await stop('SIGINT'), 0);
    t.is(log.at(-1)?.msg, 'stopped');
    t.is(stderr(), '');
  },
);

test('SIGTERM under load ends a receiver with exit code 0: what was acknowledged is stored, nothing is half done', async (t) => {
  const busy = await startReceiver(t);
  let sent = 0;
  const ends: End[] = [];
  const published = publishUntilGone(
    busy,
    () => {
      sent++;
      return article();
    },
    ends,
  );
  await until('twenty publications are under way or answered', () => sent >= 20);
  t.deepEqual(ends, [], 'before the stop every answer is a 200');
  t.is(await busy.stop('SIGTERM'), 0);
  const acknowledged = await published;
  t.deepEqual([...new Set(ends)], ['no answer'], 'the stop refuses nothing');
  t.true(acknowledged.length > 0);
  const stored = new Set(articleFiles(busy.dir).map((path) => readStored(path).article.id));
  t.deepEqual(
    acknowledged.filter(({ data }) => !stored.has(data.id)),
    [],
  );
  t.deepEqual(debris(busy.dir), []);
  t.is(busy.log.at(-1)?.msg, 'stopped');
  t.is(busy.stderr(), '');
});

test('a client that never finishes its request does not keep the server from closing', async (t) => {
  const server = createServer({
    webhook: (context) => once(context.req, 'end'), // answers nothing before it has the whole body
    router: undefined,
    health: () => undefined,
    details: () => ({}),
    statusToken: undefined,
    outputDir: tempDir(t),
    basePath: '',
    liveReload: undefined,
    endpoint: '/webhook',
    log: pino({ level: 'silent' }),
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  const cutOff = once(socket, 'close');
  socket.on('error', () => undefined);
  const received = once(server, 'request');
  socket.write('POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc');
  await received;
  await closeServer(server, 100);
  await cutOff;
  t.false(server.listening);
});

/** What was acknowledged, and the answer it was acknowledged with. */
interface Acknowledged {
  readonly data: PublishedData;
  readonly text: string;
}

/** A status other than 200, or none as the connection broke. */
type End = number | 'no answer';

/**
 * Sends deliveries at full speed, several at a time, until the receiver is gone.
 *
 * @param make the next delivery.
 * @param ends takes what each of the several ends with.
 * @returns what was acknowledged before the end.
 */
async function publishUntilGone(
  { post }: Receiver,
  make: () => PublishedData,
  ends: End[],
  lanes = 4,
): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  const lane = async () => {
    for (;;) {
      const data = make();
      try {
        const { status, text } = await post('article.published', data);
        if (status !== 200) {
          ends.push(status);
          return;
        }
        acknowledged.push({ data, text });
      } catch {
        ends.push('no answer'); // the connection broke: the receiver is gone
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return acknowledged;
}
