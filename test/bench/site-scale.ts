import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { sign } from '../../src/contract/signature.js';
import { corpusArticle } from './corpus.js';
import { articleData, SECRET, signedRequests } from './deliveries.js';
import { count, median, milliseconds, quantile, type Row } from './figures.js';
import { GENERATORS, writeSite } from './generators.js';
import { forever, load, once as onceEach } from './load.js';
import { type Receiver, startOurs } from './receivers.js';
import type { Workspace } from './workspace.js';

/** Smaller sizes for a try: `PRESSMARK_BENCH_SIZES=100,1000,10000`. */
const SIZES = (process.env.PRESSMARK_BENCH_SIZES ?? '1000,10000,100000').split(',').map(Number);

/** Publishes that are timed at each size, after those that warm up. */
const PUBLISHES = 300;

/** Up to this size a page is to be there within the time of the goal. */
const GOAL_SIZE = 10_000;

const WARM_UP = 20;

/** Between two publishes: lone changes are what is promised. */
const PAUSE_MS = 100;

/** Some seconds after a start, the memory is given back that reading the site has taken. */
const GIVEN_BACK_MS = 5_000;

const [pressmark] = GENERATORS;

/** One size of a site. */
interface Size {
  readonly articles: number;
  readonly site: string;
  readonly buildSeconds: number;
  readonly buildMegabytes: number;
  readonly startMs: number;
  /** The first publish right after the start: until its 200, and from there to its page on the disk. */
  readonly first: Timing;
  readonly megabytes: number;
  readonly receiver: Receiver;
}

/** One publish, in milliseconds. */
interface Timing {
  readonly answer: number;
  readonly page: number;
}

/** Whether a site costs more as it grows: full build, memory, start-up, and from a publish's 200 to its page. */
export async function siteScale(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  const sizes: Size[] = [];
  for (const articles of SIZES) sizes.push(await prepare(workspace.fresh(`site-${articles}`), articles));
  execFileSync('sync'); // nor what the builds have left
  const latencies = new Map(sizes.map((size) => [size, [] as number[]]));
  const answers = new Map(sizes.map((size) => [size, [] as number[]]));
  for (let n = 0; n < WARM_UP + PUBLISHES; n++) {
    // The disk still works for the one before when the next one is measured; so each follows each other once.
    for (const size of [...sizes.slice(n % sizes.length), ...sizes.slice(0, n % sizes.length)]) {
      const { answer, page } = await publishToPage(size, n + 1);
      if (n < WARM_UP) continue;
      latencies.get(size)?.push(page);
      answers.get(size)?.push(answer);
    }
  }
  const lookups = sizes[1] === undefined ? undefined : await lookupsDuringBuild(sizes[1]);
  for (const { receiver } of sizes) await receiver.stop();

  const p99 = (size: Size) => quantile(latencies.get(size) ?? [], 0.99);
  const lines = sizes.map((size) =>
    [
      count(size.articles),
      `${size.buildSeconds.toFixed(2)} s`,
      `${count(size.buildMegabytes)} MB`,
      milliseconds(size.startMs),
      `${count(size.megabytes)} MB`,
      milliseconds(size.first.answer),
      milliseconds(size.first.page),
      milliseconds(median(answers.get(size) ?? [])),
      milliseconds(median(latencies.get(size) ?? [])),
      milliseconds(p99(size)),
    ].join(' | '),
  );
  const heads =
    '| articles | full build | its memory | start, warm | memory then | first answer | its page | answer, median | page, median | page, p99 |';
  const text = [
    heads,
    '|---|---|---|---|---|---|---|---|---|---|',
    ...lines.map((line) => `| ${line} |`),
  ].join('\n');
  const rows: Row[] = [
    ...sizes
      .filter(({ articles }) => articles <= GOAL_SIZE)
      .map((size) => atMost(`p99 from the 200 to the page at ${count(size.articles)} in ms`, p99(size), 50)),
    ...(lookups === undefined ? [] : [atMost('p99 of a lookup during a full build in ms', lookups, 50)]),
  ];
  const goals = rows.map(({ what, ratio }) => `- ${what}: ${ratio?.toFixed(2)}`);
  return { text: [text, '', ...goals].join('\n'), rows };
}

function atMost(what: string, figure: number, value: number): Row {
  return { what, ours: '', against: '', ratio: figure, goal: { kind: 'at most', value } };
}

async function prepare(site: string, articles: number): Promise<Size> {
  writeSite(site, pressmark, corpus(articles));
  execFileSync('sync'); // what the seeding left to be written must not be written during the measurement
  const [command, ...args] = pressmark.command(site);
  const started = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  let buildMegabytes = 0;
  const sampling = setInterval(() => {
    buildMegabytes = Math.max(buildMegabytes, peakMegabytes(child.pid));
  }, 20);
  await ended;
  const buildSeconds = (performance.now() - started) / 1_000;
  clearInterval(sampling);

  const cold = await startOurs(site); // reads all articles, and writes the catalog's snapshot at its end
  await settled(site);
  await cold.stop();
  const receiver = await startOurs(site);
  const unfinished = { articles, site, buildSeconds, buildMegabytes, receiver, startMs: receiver.startMs };
  const first = await publishToPage({ site, receiver }, 0, 0);
  await settled(site);
  await wait(GIVEN_BACK_MS);
  const size = { ...unfinished, first, megabytes: receiver.memory() };
  console.error(
    `site-scale ${count(articles)}: build ${buildSeconds.toFixed(1)} s, ${count(buildMegabytes)} MB, start ${milliseconds(size.startMs)}, first answer ${milliseconds(first.answer)}, its page ${milliseconds(first.page)}, ${count(size.megabytes)} MB`,
  );
  return size;
}

/** Publishes an article, and waits for its page on the disk. */
async function publishToPage(
  { site, receiver }: Pick<Size, 'site' | 'receiver'>,
  n: number,
  pauseMs = PAUSE_MS,
): Promise<Timing> {
  await wait(pauseMs);
  const number = 5_000_000 + n;
  const { slug } = articleData(number, '');
  const page = join(site, 'public/articles', slug, 'index.html');
  const { port } = receiver;
  const next = onceEach(signedRequests(number, 1));
  const sent = performance.now();
  await load({ port, connections: 1, seconds: 60, next });
  const answered = performance.now();
  while (!fs.existsSync(page)) {
    if (performance.now() - answered > 60_000) throw new Error(`${page} has not come`);
    await wait(0.5);
  }
  return { answer: answered - sent, page: performance.now() - answered };
}

/** The p99 of signed lookups while a change of a template has every page built anew. */
async function lookupsDuringBuild({ site, articles, receiver: { port } }: Size): Promise<number> {
  const requests = Array.from({ length: 500 }, (_, n) => lookup(corpusArticle(n, articles).slug));
  const page = join(site, 'public/articles', corpusArticle(articles - 1, articles).slug, 'index.html');
  const before = fs.statSync(page).ino;
  fs.mkdirSync(join(site, 'templates/partials'), { recursive: true });
  const begun = performance.now();
  fs.writeFileSync(join(site, 'templates/partials/footer.eta'), '<footer>Another one</footer>\n');
  const next = forever(requests);
  let isOver = false;
  const watching = (async () => {
    while (fs.statSync(page).ino === before && performance.now() - begun < 120_000) await wait(5);
    isOver = true;
  })();
  const { latencies } = await load({
    port,
    connections: 4,
    seconds: 120,
    next: () => (isOver ? undefined : next()),
  });
  await watching;
  return quantile(latencies, 0.99);
}

function lookup(slug: string): Buffer {
  const data = { target_url: `https://example.com/articles/${slug}/` };
  const timestamp = '2026-11-19T08:00:00Z';
  const body = Buffer.from(JSON.stringify({ event: 'article.lookup', timestamp, contract_version: 2, data }));
  const head = [
    'POST /webhook HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `X-Service-Signature: ${sign(body, SECRET)}`,
  ].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body]);
}

/** Waits until the builder has saved what it has built. */
async function settled(site: string): Promise<void> {
  const [state, marker] = ['site.json', 'site.building'].map((name) => join(site, '.pressmark', name));
  while (!fs.existsSync(String(state)) || fs.existsSync(String(marker))) await wait(100);
}

function peakMegabytes(pid: number | undefined): number {
  try {
    const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
  } catch {
    return 0; // it has ended
  }
}

function* corpus(articles: number) {
  for (let n = 0; n < articles; n++) yield corpusArticle(n, articles);
}
