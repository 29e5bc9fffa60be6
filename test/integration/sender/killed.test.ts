import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { openQueue } from '../../../src/sender/queue.js';
import { stateOf } from '../../../src/sender/state.js';
import { compressedClock } from '../../support/compressed-clock.js';
import { articleFiles, debris, readStored } from '../../support/content.js';
import { startFlakyProxy } from '../../support/flaky-proxy.js';
import { bareEnvironment, launch, PROGRAM, run, STORE_ONLY } from '../../support/receiver.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

/** How many articles; `PRESSMARK_TEST_ARTICLES=1000` is what the claim is about. */
const ARTICLES = Number(process.env.PRESSMARK_TEST_ARTICLES ?? 60);
/** Each of them takes a worker, every other one the receiver too. */
const KILLS = ARTICLES < 200 ? 4 : 10;
const WORKER = fileURLToPath(new URL('worker-to-kill.js', import.meta.url));

/** A process that is killed when the test ends, if not before. */
function start(t: { teardown(dispose: () => unknown): void }, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, args, {
    env: { ...bareEnvironment(), PRESSMARK_SECRET: SECRET },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await ended;
  }
}

test(`${ARTICLES} articles, three requests in ten failing, everything killed again and again: each is there once`, async (t) => {
  t.timeout(240_000);
  const began = Date.now();
  const [site, agency, clockFolder] = [tempDir(t), tempDir(t), tempDir(t)];
  const leaps = join(clockFolder, 'leaps');
  const clock = compressedClock(began, leaps);
  fs.mkdirSync(join(agency, 'posts'));
  for (let n = 0; n < ARTICLES; n++)
    fs.writeFileSync(join(agency, `posts/${n}.md`), `---\ntitle: Post ${n}\n---\nThe text of post ${n}.\n`);

  let receiver = await launch(site, STORE_ONLY);
  t.teardown(() => receiver.kill('SIGKILL'));
  const proxy = await startFlakyProxy(t, 20_261_119);
  proxy.target = receiver.origin;
  const connected = await run(['connect', 'garden', proxy.url, '--secret', SECRET, '--dir', agency]);
  t.is(connected.code, 0, connected.stderr);
  proxy.failing = 0.3;

  const publish = [PROGRAM, 'publish', join(agency, 'posts'), '--dir', agency];
  const first = start(t, ...publish);
  await until(() => proxy.got.length > ARTICLES / 4);
  await kill(first);
  // The same command again queues what is missing, and is done when each article was tried.
  await once(start(t, ...publish), 'exit');

  const work = () => start(t, WORKER, agency, String(began), leaps);
  const workers = [work(), work()];
  const queue = openQueue({ state: stateOf(agency), now: clock.now });
  t.teardown(queue.close);
  let kills = 0;
  for (;;) {
    await pause(200);
    const records = [...queue.list()].map(({ id, record }) => ({ id, ...record }));
    if (kills < KILLS) {
      const victim = kills++ % 2;
      await kill(workers[victim] as ChildProcess);
      workers[victim] = work();
      if (victim === 1) {
        await receiver.kill('SIGKILL');
        receiver = await launch(site, STORE_ONLY);
        proxy.target = receiver.origin;
      }
    } else if (records.every(({ status }) => status === 'success')) break;
    // A few are unlucky six times; their owner has them sent again.
    for (const { id, status } of records) if (status === 'failed') await queue.retry(id);
    // While nothing is due and nothing is being sent, hours need not be waited for.
    const next = Math.min(
      ...records.map(({ nextRetryAt }) => (nextRetryAt === null ? Infinity : Date.parse(nextRetryAt))),
    );
    if (Number.isFinite(next) && records.every(({ status }) => status !== 'sending'))
      clock.leap(Math.max(0, next - clock.now()));
  }
  await Promise.all(workers.map(kill));

  const stored = articleFiles(site).map((path) => readStored(path).article);
  t.is(stored.length, ARTICLES);
  const titles = stored.map(({ title }) => title).sort();
  t.deepEqual(titles, Array.from({ length: ARTICLES }, (_, n) => `Post ${n}`).sort());
  const urls = new Map(stored.map(({ id, url }) => [id, url]));
  for (const { record, liveUrl } of queue.list())
    t.is(liveUrl, urls.get(String(record.payload.data.id)) ?? 'not stored');
  for (const [id, bodies] of proxy.bodies) t.is(bodies.size, 1, `${id}: a retry differs`);
  t.true(proxy.got.length > ARTICLES * 1.2, 'something has failed, or nothing was shown');
  t.deepEqual(
    debris(site).filter((name) => !name.endsWith('.undo')),
    [],
  );
});
