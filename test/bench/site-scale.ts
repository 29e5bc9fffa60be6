import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CORPUS_URL, corpus, corpusArticle } from './corpus.js';
import { articleData, signedLookups, signedRequests } from './deliveries.js';
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

const [pressmark] = GENERATORS;

/** One size of a site. */
interface Size {
  readonly articles: number;
  readonly site: string;
  readonly buildSeconds: number;
  readonly receiver: Receiver;
  /** From the 200 of each publish to its page on the disk, in milliseconds. */
  readonly pages: number[];
}

/** Whether a site costs more as it grows: full build, and from a publish's 200 to its page. */
export async function siteScale(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  const sizes: Size[] = [];
  for (const articles of SIZES) sizes.push(await prepare(workspace.fresh(`site-${articles}`), articles));
  execFileSync('sync'); // nor what the builds have left
  for (let n = 0; n < WARM_UP + PUBLISHES; n++) {
    // The disk still works for the one before when the next one is measured; so each follows each other once.
    for (const size of [...sizes.slice(n % sizes.length), ...sizes.slice(0, n % sizes.length)]) {
      const page = await publishToPage(size, n);
      if (n >= WARM_UP) size.pages.push(page);
    }
  }
  const lookups = sizes[1] === undefined ? undefined : await lookupsDuringBuild(sizes[1]);
  for (const { receiver } of sizes) await receiver.stop();

  const p99 = ({ pages }: Size) => quantile(pages, 0.99);
  const text = [
    '| articles | full build | page, median | page, p99 |',
    '|---|---|---|---|',
    ...sizes.map(
      (size) =>
        `| ${count(size.articles)} | ${size.buildSeconds.toFixed(2)} s | ${milliseconds(median(size.pages))} | ${milliseconds(p99(size))} |`,
    ),
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
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const buildSeconds = (performance.now() - started) / 1_000;
  const receiver = await startOurs(site);
  await settled(site);
  console.error(`site-scale ${count(articles)}: build ${buildSeconds.toFixed(1)} s`);
  return { articles, site, buildSeconds, receiver, pages: [] };
}

/** Publishes an article, and waits for its page. @returns how long that took after the answer, in milliseconds. */
async function publishToPage({ site, receiver }: Size, n: number): Promise<number> {
  await wait(PAUSE_MS);
  const number = 5_000_000 + n;
  const { slug } = articleData(number, '');
  const page = join(site, 'public/articles', slug, 'index.html');
  const { port } = receiver;
  const next = onceEach(signedRequests(number, 1));
  await load({ port, connections: 1, seconds: 60, next });
  const answered = performance.now();
  while (!fs.existsSync(page)) {
    if (performance.now() - answered > 60_000) throw new Error(`${page} has not come`);
    await wait(0.5);
  }
  return performance.now() - answered;
}

/** The p99 of signed lookups while a change of a template has every page built anew. */
async function lookupsDuringBuild({ site, articles, receiver: { port } }: Size): Promise<number> {
  const slugs = Array.from({ length: 500 }, (_, n) => corpusArticle(n, articles).slug);
  const requests = signedLookups(slugs.map((slug) => `${CORPUS_URL}/articles/${slug}/`));
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

/** Waits until the builder has saved what it has built. */
async function settled(site: string): Promise<void> {
  const [state, marker] = ['site.json', 'site.building'].map((name) => join(site, '.pressmark', name));
  while (!fs.existsSync(String(state)) || fs.existsSync(String(marker))) await wait(100);
}
