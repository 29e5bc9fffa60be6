import { type ChildProcess, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { MAX_ATTEMPTS } from '../../../src/contract/limits.js';
import { articleFiles, debris, readStored } from '../../support/content.js';
import { startEndpoint } from '../../support/endpoint.js';
import { runHere } from '../../support/in-process.js';
import { createRandom, type Random } from '../../support/random.js';
import { bareEnvironment, launch, STORE_ONLY } from '../../support/receiver.js';
import { launchHere } from '../../support/receiver-here.js';
import { connected, testQueue } from '../../support/sender.js';
import { SECRET } from '../../support/signer.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';
import { fileClock } from './file-clock.js';

const ARTICLES = 20;
/** The share of requests that the network lets fail, and how many of one article at most; a few articles have these. */
const FAILING = 0.3;
const MOST_FAILURES = 3;
const MINUTE_MS = 60_000;
const WORKER = fileURLToPath(new URL('worker-to-kill.js', import.meta.url));

type Test = { teardown(dispose: () => unknown): void };

/** A process that is killed when the test ends, if not before. */
function start(t: Test, ...args: string[]): ChildProcess {
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

/**
 * A proxy that lets requests fail in four ways: before or after the receiver has them, with an answer or with a
 * connection that breaks. Which ones depends on the seed and the article, never on the order in which they come.
 */
async function startFlakyProxy(t: Test) {
  /** Whoever comes while the receiver is down waits for the next one. */
  let target: Promise<string> = new Promise(() => undefined);
  let open = 0;
  const bodies = new Map<string, Set<string>>();
  const fates = new Map<string, { random: Random; failures: number }>();

  const { url, got } = await startEndpoint(t, async ({ headers, body }, response) => {
    const { data } = JSON.parse(body.toString()) as { data: { id: string; title: string } };
    bodies.set(data.id, (bodies.get(data.id) ?? new Set()).add(hash('sha256', body)));
    const fate = fates.get(data.id) ?? { random: createRandom(`proxy ${data.title}`), failures: 0 };
    fates.set(data.id, fate);
    const isUnlucky = data.title.endsWith('7');
    const fails = fate.failures < MOST_FAILURES && (isUnlucky || fate.random.chance(FAILING));
    const way = fails ? fate.random.integer(0, 4) : undefined;
    if (fails) fate.failures++;
    if (way === 0) return response.writeHead(503).end('too busy');
    if (way === 1) return response.destroy();
    open++;
    try {
      const kept = Object.entries(headers).filter(([name]) => /^(content-type|x-service)/.test(name));
      const answer = await fetch(`${await target}/webhook`, {
        ...{ method: 'POST', headers: Object.fromEntries(kept) as Record<string, string> },
        body: new Uint8Array(body),
      });
      const text = await answer.text();
      if (way === 2) return response.destroy();
      if (way === 3) return response.writeHead(504).end('no answer in time');
      return response.writeHead(answer.status).end(text);
    } catch {
      return response.destroy(); // the receiver was killed
    } finally {
      open--;
    }
  });

  return {
    ...{ url, got, bodies },
    /** How many requests are at the receiver, or wait for it. */
    open: () => open,
    failures: () => [...fates.values()].reduce((sum, { failures }) => sum + failures, 0),
    leadTo: <Started extends { readonly origin: string }>(receiver: Promise<Started>) => {
      target = receiver.then(({ origin }) => origin);
      return receiver;
    },
  };
}

test('with three requests in ten failing and workers and receiver killed, the schedule alone delivers each article once', async (t) => {
  const site = tempDir(t);
  const proxy = await startFlakyProxy(t);
  const { state } = await connected(t, proxy.url);
  const agency = state.dir;
  fs.mkdirSync(join(agency, 'posts'));
  for (let n = 0; n < ARTICLES; n++)
    fs.writeFileSync(join(agency, `posts/${n}.md`), `---\ntitle: Post ${n}\n---\nThe text of post ${n}.\n`);

  const receiver = await proxy.leadTo(launch(site, STORE_ONLY));
  t.teardown(() => receiver.kill('SIGKILL'));

  // That a killed publish goes on is in test/integration/cli/moving-a-blog.
  await runHere(['publish', join(agency, 'posts'), '--dir', agency], { PRESSMARK_SECRET: SECRET });

  const time = join(tempDir(t), 'time');
  fs.writeFileSync(time, String(Date.now()));
  const clock = fileClock(time);
  const queue = testQueue(t, state, clock.now);
  const records = () => [...queue.list()].map(({ record }) => record);
  /** What was being sent when its process was killed, with the moment at which it counts as stuck. */
  const cutOff = new Set<string>();
  const sending = () =>
    [...queue.list()]
      .filter(({ record }) => record.status === 'sending')
      .map(({ id, record }) => `${id} ${record.nextRetryAt}`);
  const noteCutOff = () => {
    for (const one of sending()) cutOff.add(one);
  };
  /**
   * While nothing is being sent, minute after minute passes; hours in which nothing is due pass at once. What a living
   * worker sends must not count as stuck, however slow the machine is.
   */
  const passTime = () => {
    if (proxy.open() > 0 || sending().some((one) => !cutOff.has(one))) return;
    const next = records().flatMap(({ nextRetryAt: at }) => (at === null ? [] : [Date.parse(at)]));
    if (next.length > 0) clock.pass(Math.max(0, Math.min(...next) - clock.now()) + MINUTE_MS);
  };

  const work = () => start(t, WORKER, agency, time);
  const workers = [work(), work()];
  const sent = proxy.got.length;
  const moment = createRandom('killed').integer(1, 8);
  await until('the workers send what is due', () => {
    passTime();
    return proxy.got.length >= sent + moment;
  });
  await Promise.all([...workers.map(kill), receiver.kill('SIGKILL')]);
  noteCutOff();
  const next = await proxy.leadTo(launchHere(site));
  t.teardown(next.close);
  const last = work();

  await until('every delivery is settled by the schedule', () => {
    passTime();
    return records().every(({ status }) => status === 'success' || status === 'failed');
  });
  await kill(last);

  const undelivered = records().filter(({ status }) => status !== 'success');
  t.deepEqual(
    undelivered.map(({ status, attempts, payload }) => [payload.data.title, status, attempts]),
    [],
  );
  t.true(records().every(({ attempts }) => attempts <= MAX_ATTEMPTS));
  const stored = articleFiles(site).map((path) => readStored(path).article);
  t.is(stored.length, ARTICLES);
  const titles = stored.map(({ title }) => title).sort();
  t.deepEqual(titles, Array.from({ length: ARTICLES }, (_, n) => `Post ${n}`).sort());
  const urls = new Map(stored.map(({ id, url }) => [id, url]));
  for (const { record, liveUrl } of queue.list())
    t.is(liveUrl, urls.get(String(record.payload.data.id)) ?? 'not stored');
  for (const [id, bodies] of proxy.bodies) t.is(bodies.size, 1, `${id}: a retry differs`);
  t.true(proxy.failures() > 0);
  t.deepEqual(
    (await debris(site)).filter((name) => !name.endsWith('.undo')),
    [],
  );
});
