import { fork } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { quantile } from '../bench/figures.js';
import { gitIn, makeRepository } from '../support/clones.js';
import { articleFiles, edit, readStored } from '../support/content.js';
import { article, update } from '../support/events.js';
import { createRandom, type Random } from '../support/random.js';
import { launch, type Receiver } from '../support/receiver.js';
import { withTeardown } from '../support/teardown.js';
import { expectEqual, expectNone, expectNoneSoon, expectTrue } from './expect.js';
import { runFor } from './lanes.js';
import { megabytesOf } from './processes.js';
import { doubled } from './repository.js';
import type { Attack, Counts, Scenario } from './scenario.js';

/** What issue and README promise for a machine with two processors (docs/reliability.md). */
const MOST_P99_MS = 500;
const MOST_MEGABYTES = 400;
/** After the attackers have gone, this many more descriptors than before them may be open: of pages and of git. */
const MORE_DESCRIPTORS = 20;
/** Deliveries before the first measurement, so that threads, caches and connections that stay are there. */
const WARM_UP_MS = 3_000;
/** The attackers have opened their connections after this time; from then on the number of descriptors is compared. */
const OPENING_MS = 60_000;
/** Never more than this many: 1,000 connections, some that are being closed, and the files that these are sent. */
const MOST_DESCRIPTORS = 2_500;
/** The pauses between two deliveries of one lane: about ten publications and three updates per second. */
const PAUSES_MS = { publish: 100, update: 300, edit: 1_000, visit: 50 };
const SAMPLED_MS = 250;
/** A delivery is given up after this time (contract: Limits). */
const LONGEST_ANSWER_MS = 30_000;

export const soak: Scenario = {
  name: 'soak',
  promise: `While strangers attack, signed deliveries are answered within ${MOST_P99_MS} ms (p99), and memory, descriptors and processes stay bounded.`,
  weight: 2,
  run: (attack) => withTeardown((t) => soakSite(attack, t)),
};

/** An acknowledged article. Only one lane updates it. */
interface Known {
  readonly id: string;
  readonly url: string;
  html: string;
}

/** Where the article of a test is: all have the same date, and their slug is the last segment of the URL. */
function pathOf(dir: string, { url }: Known): string {
  return join(dir, 'content/articles/2026/11', `${new URL(url).pathname.split('/').at(-2)}.md`);
}

interface Sample {
  readonly megabytes: number;
  readonly descriptors: number;
  readonly processes: number;
}

async function soakSite(
  { dir: root, deadline, seed, note }: Attack,
  t: { teardown(dispose: () => unknown): void },
): Promise<Counts> {
  const dir = join(root, 'site');
  makeRepository(dir, {});
  const receiver = await launch(dir);
  t.teardown(() => receiver.kill('SIGKILL'));
  const work = createWork(receiver, seed);

  await runFor(WARM_UP_MS, work.lanes);
  const before = sampleOf(receiver);
  note(`before the attack: ${JSON.stringify(before)}`);

  const attackers = await startAttackers(receiver.port);
  t.teardown(() => attackers.kill());
  work.latencies.length = 0;
  const samples: Sample[] = [];
  await runFor(Math.max(5_000, deadline - performance.now()), (isOver) => [
    ...work.lanes(isOver),
    (async () => {
      for (; !isOver(); await setTimeout(SAMPLED_MS)) {
        const sample = sampleOf(receiver);
        samples.push(sample);
        if (samples.length % 40 === 1) note(`${work.latencies.length} deliveries, ${JSON.stringify(sample)}`);
      }
    })(),
  ]);
  const attacks = await attackers.stop();
  note(`attacks: ${JSON.stringify(attacks)}`);

  const { latencies } = work;
  const p99 = quantile(latencies, 0.99);
  const most = (what: keyof Sample, some = samples) => Math.max(...some.map((sample) => sample[what]));
  note(`p50 ${quantile(latencies, 0.5)} ms, p99 ${p99} ms, longest ${Math.max(...latencies)} ms`);
  expectNone(work.refused, 'a signed delivery should be accepted');
  expectTrue(
    p99 <= MOST_P99_MS,
    `99 of 100 signed deliveries should be answered within ${MOST_P99_MS} ms; they took up to ${Math.round(p99)} ms`,
  );
  expectTrue(
    most('megabytes') <= MOST_MEGABYTES,
    `the receiver should use at most ${MOST_MEGABYTES} MB of memory; it used ${Math.round(most('megabytes'))} MB`,
  );
  expectTrue(
    most('descriptors') <= MOST_DESCRIPTORS,
    `the receiver should use at most ${MOST_DESCRIPTORS} descriptors; it used ${most('descriptors')}`,
  );
  const open = samples.slice(OPENING_MS / SAMPLED_MS);
  const half = Math.ceil(open.length / 2);
  const [early, late] = [most('descriptors', open.slice(0, half)), most('descriptors', open.slice(half))];
  expectTrue(
    open.length < 2 || late <= early * 1.1 + MORE_DESCRIPTORS,
    `the number of descriptors should stay constant; it grew from ${early} to ${late}`,
  );
  await expectNoneSoon(() => {
    const { descriptors, processes } = sampleOf(receiver);
    const isConstant = descriptors <= before.descriptors + MORE_DESCRIPTORS && processes <= before.processes;
    return isConstant ? [] : [{ before, after: { descriptors, processes } }];
  }, 'descriptors and processes should be as many after the attack as before it');

  await requireWhole(dir, receiver, work.articles);
  return {
    deliveries: latencies.length,
    articles: work.articles.length,
    visits: work.visits(),
    medianMs: Math.round(quantile(latencies, 0.5)),
    p99Ms: Math.round(p99),
    mostMegabytes: Math.round(most('megabytes')),
    mostDescriptors: most('descriptors'),
    ...attacks,
  };
}

/** The lanes of the service, the owner and the visitors. */
function createWork(receiver: Receiver, seed: number) {
  const articles: Known[] = [];
  const latencies: number[] = [];
  const refused: string[] = [];
  let visits = 0;

  async function deliver(event: string, data: unknown) {
    const began = performance.now();
    try {
      const answer = await Promise.race([
        receiver.post(event, data),
        setTimeout(LONGEST_ANSWER_MS, 'late' as const, { ref: false }),
      ]);
      latencies.push(performance.now() - began);
      if (answer === 'late') refused.push(`${event}: no answer within ${LONGEST_ANSWER_MS / 1_000} s`);
      else if (answer.status === 200) return answer.json;
      else refused.push(`${event}: ${answer.status} ${answer.text}`);
    } catch (error) {
      // A connection that was refused or reset: the service would send the delivery again, much later.
      latencies.push(Number.POSITIVE_INFINITY);
      if (!(error instanceof TypeError)) throw error;
    }
    return undefined;
  }

  async function publish(): Promise<void> {
    const data = article();
    const answer = await deliver('article.published', data);
    if (answer !== undefined) articles.push({ id: data.id, url: answer.url, html: data.content_html });
  }

  async function change(known: Known): Promise<void> {
    const found = await deliver('article.lookup', { target_url: known.url });
    if (found === undefined) return;
    const data = update({
      target_id: known.id,
      target_url: known.url,
      base_revision_id: found.target.revision_id,
    });
    if ((await deliver('article.updated', data)) !== undefined) known.html = data.content_html;
  }

  /** An article of the half that is updated as it is, or of the half that the owner edits before. */
  function pickFrom(half: 0 | 1, random: Random): Known | undefined {
    const some = articles.filter((_, index) => index % 2 === half);
    return some.length === 0 ? undefined : random.pick(some);
  }

  const lanes = (isOver: () => boolean): Promise<void>[] => {
    const lane = async (name: keyof typeof PAUSES_MS, act: (random: Random) => Promise<void>) => {
      const random = createRandom(`soak ${name} ${articles.length}`, seed);
      for (; !isOver(); await setTimeout(PAUSES_MS[name])) await act(random);
    };
    return [
      lane('publish', publish),
      lane('update', async (random) => {
        const known = pickFrom(0, random);
        if (known !== undefined) await change(known);
      }),
      lane('edit', async (random) => {
        const known = pickFrom(1, random);
        if (known === undefined) return;
        const path = pathOf(receiver.dir, known);
        const [title = ''] = /^title: .*$/m.exec(fs.readFileSync(path, 'utf8')) ?? [];
        edit(path, title, `title: "Bees, edited at ${Math.round(performance.now())}"`);
        await change(known);
      }),
      lane('visit', async (random) => {
        const page =
          articles.length > 0 && random.chance(0.5) ? new URL(random.pick(articles).url) : undefined;
        try {
          await (await fetch(`${receiver.origin}${page?.pathname ?? '/'}`)).arrayBuffer();
          visits++;
        } catch (error) {
          // Under attack, a visitor may be refused; a delivery may not.
          if (!(error instanceof TypeError)) throw error;
        }
      }),
    ];
  };
  return { articles, latencies, refused, lanes, visits: () => visits };
}

/** Requires each acknowledged article: its file, its text, its commit and its page. */
async function requireWhole(dir: string, receiver: Receiver, articles: readonly Known[]): Promise<void> {
  const files = new Map(articleFiles(dir).map((path) => [readStored(path).article.id, path]));
  expectEqual(files.size, articleFiles(dir).length, 'each article should be stored once');
  expectNone(doubled(articles.map(({ url }) => url)), 'each article should have a URL of its own');
  expectNone(
    articles.filter(({ id, html }) => {
      const path = files.get(id);
      return path === undefined || readStored(path).article.contentHtml !== html;
    }),
    'each acknowledged article should have its last content',
  );
  await expectNoneSoon(() => {
    const status = gitIn(dir, 'status', '--porcelain', '--', 'content');
    return status === '' ? [] : [status];
  }, 'git should commit each article');
  await expectNoneSoon(
    () =>
      articles.filter(({ id, url }) => {
        const page = join(dir, 'public', new URL(url).pathname, 'index.html');
        return !fs.existsSync(page) || !fs.readFileSync(page, 'utf8').includes(`svc:item:${id}`);
      }),
    'each article should have its page',
  );
  expectEqual(await receiver.stop(), 0, 'a receiver should end with 0 on SIGTERM');
}

function sampleOf({ pid }: Receiver): Sample {
  return {
    megabytes: megabytesOf({ pid }),
    descriptors: fs.readdirSync(`/proc/${pid}/fd`).length,
    processes: fs
      .readdirSync(`/proc/${pid}/task`)
      .flatMap((task) => childrenOf(`/proc/${pid}/task/${task}/children`)).length,
  };
}

function childrenOf(path: string): string[] {
  try {
    return fs.readFileSync(path, 'utf8').split(' ').filter(Boolean);
  } catch {
    return []; // the thread has ended meanwhile
  }
}

/** The attackers in a process of their own, so that their work does not count as time of a delivery. */
async function startAttackers(port: number) {
  const child = fork(new URL('attackers.js', import.meta.url), [String(port)]);
  await once(child, 'spawn');
  return {
    kill: () => child.kill('SIGKILL'),
    stop: async (): Promise<Counts> => {
      const counts = once(child, 'message');
      child.send('stop');
      const [sum] = (await counts) as [Counts];
      await once(child, 'exit');
      return sum;
    },
  };
}
