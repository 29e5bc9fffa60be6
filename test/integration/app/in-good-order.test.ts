import fs from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { articleFiles, debris } from '../../support/content.js';
import { article } from '../../support/events.js';
import { startReceiver } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { until } from '../../support/until.js';
import { publishUntilGone } from '../../support/workload.js';

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} ends it in good order: what was acknowledged is there, nothing is half done, exit 0`, async (t) => {
    const receiver = await startReceiver(t);
    const { dir, post } = receiver;
    await post('article.published', article());
    const published = publishUntilGone(receiver, () => article());
    const code = await receiver.stop(signal);
    const acknowledged = await published;
    t.is(code, 0);
    t.true(articleFiles(dir).length > acknowledged.length);
    t.deepEqual(debris(dir), []);
    t.is(receiver.stderr(), '');
  });
}

test('a client that never finishes its request does not keep the receiver from ending in good order', async (t) => {
  const receiver = await startReceiver(t);
  const socket = net.connect(receiver.port, '127.0.0.1');
  socket.on('error', () => undefined); // it is cut off in the end
  socket.write('POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc');
  t.is((await receiver.post('article.published', article())).status, 200);
  t.is(await receiver.stop(), 0);
  t.is(receiver.log.at(-1)?.msg, 'stopped', 'plugins and store have been closed');
});

test('/healthz tells that articles cannot be stored', async (t) => {
  const { origin, dir } = await startReceiver(t);
  t.is((await fetch(`${origin}/healthz`)).status, 200);
  // A verdict stands for a second; and the builder, which starts beside, may make the folder once more.
  await until(async () => {
    fs.rmSync(join(dir, 'content'), { recursive: true, force: true });
    return (await fetch(`${origin}/healthz`)).status === 503;
  });
  t.pass();
});

test('settings of the environment, of .env and of the config, in this order', async (t) => {
  const first = await startReceiver(t);
  fs.writeFileSync(
    join(first.dir, '.env'),
    `PRESSMARK_SECRET=${SECRET}\nPRESSMARK_SITE_URL=https://env-file.example\n`,
  );
  fs.writeFileSync(
    join(first.dir, 'pressmark.config.json'),
    JSON.stringify({
      siteUrl: 'https://config.example',
      articles: { permalink: '/:year/:slug/', file: ':slug.md' },
    }),
  );
  const unset = { PRESSMARK_SECRET: undefined, PRESSMARK_SITE_URL: undefined };
  const second = await startReceiver(t, { dir: first.dir, env: unset });
  const answer = await second.post('article.published', article({ slug: 'where' }));
  t.is(answer.json.url, 'https://env-file.example/2026/where/');
  t.true(fs.existsSync(join(first.dir, 'content/where.md')));
});

test('a secret that is set to nothing in the environment is made once, and used', async (t) => {
  const first = await startReceiver(t, { env: { PRESSMARK_SECRET: '' } });
  const { dir } = first;
  await first.stop();
  const warnings = first.log.filter(({ msg }) => msg.includes('there was no signing secret'));
  t.is(warnings.length, 1);
  t.regex(warnings[0]?.msg ?? '', /PRESSMARK_SECRET in \.env/);
  t.is(fs.statSync(join(dir, '.env')).mode & 0o777, 0o600);
  t.true(fs.readFileSync(join(dir, '.gitignore'), 'utf8').split('\n').includes('.env'));
  const env = fs.readFileSync(join(dir, '.env'), 'utf8');
  const secret = /^PRESSMARK_SECRET=(.+)\n$/.exec(env)?.[1];
  t.truthy(secret);
  t.false(`${JSON.stringify(first.log)}${first.stderr()}`.includes(secret ?? ''), 'and not told in the log');

  const second = await startReceiver(t, { dir, env: { PRESSMARK_SECRET: '' } });
  t.is(fs.readFileSync(join(dir, '.env'), 'utf8'), env);
  t.false(second.log.some(({ msg }) => msg.includes('there was no signing secret')));
  t.is(
    (await second.post('article.published', article(), secret === undefined ? {} : { secret })).status,
    200,
  );
});
