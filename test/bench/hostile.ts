import { once } from 'node:events';
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Client, createClient } from '../support/client.js';
import { articleFiles } from '../support/content.js';
import { article, type PublishedData, update } from '../support/events.js';
import { generatorSite } from '../support/generator-site.js';
import { HOSTILE_TEXTS } from '../support/hostile.js';
import { SECRET } from './deliveries.js';
import { milliseconds, type Row } from './figures.js';
import type { ReaderFigures } from './hostile-readers.js';
import { makeSite, type Receiver, startOurs } from './receivers.js';
import type { Workspace } from './workspace.js';

const SITES = ['plain', 'hugo', 'jekyll', 'eleventy', 'astro'] as const;

/** The whole body may have 1,000,000 bytes, and JSON escapes some characters. */
const BODY_BYTES = 960_000;
/** Nothing may hold the answering thread for longer, in milliseconds. */
const LIMIT_MS = 50;
const SHOWN = 12;
const LOOP_DELAY = new URL('loop-delay.js', import.meta.url);

interface Step {
  readonly what: string;
  readonly status: number;
  /** The time that the answering thread worked on the delivery; no single stop can be longer. */
  readonly workMs: number;
  readonly totalMs: number;
  /** The longest time for which that thread did nothing else. */
  readonly stopMs: number;
  /** The longest answer of /healthz meanwhile. */
  readonly healthMs: number;
}

/**
 * What deliveries with hostile articles near the limit cost the thread that answers: the table of the worst; and how the
 * time of each reader of articles and pages grows with their length. What the thread
 * works on a delivery is the processor's time, in which other programs on the machine do not count. Only on Linux.
 */
export async function hostile(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  const only = process.env.PRESSMARK_BENCH_HOSTILE?.split(',');
  const steps: Step[] = [];
  for (const site of SITES.filter((name) => only === undefined || only.includes(name))) {
    const before = steps.length;
    steps.push(...(await stepsOf(site, workspace)));
    const worst = steps.slice(before).toSorted((a, b) => b.workMs - a.workMs)[0];
    console.error(`hostile ${site}: ${worst?.what} ${milliseconds(worst?.workMs ?? 0)}`);
  }
  const worst = steps.toSorted((a, b) => b.stopMs - a.stopMs);
  const lines = worst.slice(0, SHOWN).map(({ what, status, workMs, stopMs, totalMs, healthMs }) => {
    const times = [workMs, stopMs, totalMs, healthMs].map(milliseconds);
    return `| ${[what, status, ...times].join(' | ')} |`;
  });
  const readers = await readerFigures();
  const long = steps.filter(({ stopMs }) => stopMs > LIMIT_MS).length;
  const text = [
    `| the worst of ${steps.length} hostile deliveries | status | answering thread | its longest stop | until the answer | /healthz beside it |`,
    '|---|---|---|---|---|---|',
    ...lines,
    '',
    `${long} of ${steps.length} held the answering thread for more than ${LIMIT_MS} ms.`,
    '',
    readers.text,
  ].join('\n');
  return { text, rows: readers.rows };
}

async function stepsOf(site: (typeof SITES)[number], workspace: Workspace): Promise<Step[]> {
  const dir = workspace.fresh(`hostile-${site}`);
  if (site === 'plain') makeSite(dir, { plugins: false });
  else generatorSite(dir, site, { config: site === 'jekyll' ? { articles: JEKYLL } : {} });
  const delayFile = join(dir, '..', `loop-delay-${site}`);
  const receiver = await startOurs(dir, {
    LOOP_DELAY_FILE: delayFile,
    NODE_OPTIONS: `--import=${LOOP_DELAY.href}`,
  });
  const client = createClient(`http://localhost:${receiver.port}/webhook`, { secret: SECRET });
  const steps: Step[] = [];
  const measured = async (what: string, deliver: () => Promise<{ status: number; text: string }>) => {
    await longestStop(receiver, delayFile);
    const step = await measure(receiver, deliver);
    steps.push({ what: `${site}: ${what}`, ...step, stopMs: await longestStop(receiver, delayFile) });
  };
  await client.post('article.published', article());
  for (const [name, data] of hostileArticles()) await deliverAll(client, dir, name, data, measured);
  await receiver.stop();
  return steps;
}

/** The longest stop of the answering thread since the last call, in milliseconds. */
async function longestStop(receiver: Receiver, file: string): Promise<number> {
  fs.rmSync(file, { force: true });
  receiver.signal('SIGUSR2');
  while (!fs.existsSync(file)) await wait(5);
  return Number(fs.readFileSync(file, 'utf8'));
}

const JEKYLL = { file: '_posts/:year-:month-:day-:slug.md', permalink: '/posts/:slug/' };

type Measured = (what: string, deliver: () => Promise<{ status: number; text: string }>) => Promise<void>;

/** Publishes an article, looks it up after an edit, and updates it. */
async function deliverAll(
  client: Client,
  dir: string,
  name: string,
  data: PublishedData,
  measured: Measured,
): Promise<void> {
  let url = '';
  await measured(`publication, ${name}`, async () => {
    const answer = await client.post('article.published', data);
    url = answer.json.url;
    return answer;
  });
  if (url === undefined) return;
  const path = articleFiles(dir).find((file) => file.includes(data.slug));
  if (path !== undefined) {
    fs.appendFileSync(path, '\nAn edit.\n');
    await wait(300); // the watcher has read it
    await measured(`lookup after an edit, ${name}`, () => client.post('article.lookup', { target_url: url }));
  }
  const stale = update({ target_id: data.id, target_url: url, base_revision_id: 'none' });
  const { current_revision_id: base = '' } = (await client.post('article.updated', stale)).json;
  const { content_html, content_markdown, title, tags } = data;
  const target = { target_id: data.id, target_url: url, base_revision_id: base };
  const request = update(target, { content_html, content_markdown, title, tags });
  await measured(`update, ${name}`, () => client.post('article.updated', request));
  if (path !== undefined) fs.rmSync(path);
}

function* hostileArticles(): Generator<[name: string, data: PublishedData]> {
  for (const [name, text] of Object.entries(HOSTILE_TEXTS)) {
    const long = fitting(text);
    yield [`Markdown of ${name}`, article({ content_html: '', content_markdown: long })];
    yield [`HTML of ${name}`, article({ content_html: long, content_markdown: '' })];
  }
  const many = Array.from({ length: 80_000 }, (_, n) => `t${n}`);
  yield ['80,000 tags', article({ tags: many })];
  yield ['one long tag', article({ tags: ['a'.repeat(BODY_BYTES)] })];
  yield ['a long title', article({ title: 'a'.repeat(BODY_BYTES) })];
  yield ['a title of line separators', article({ title: '\u2028'.repeat(BODY_BYTES / 3) })];
  yield ['a description of template tags', article({ meta_description: '{{<'.repeat(BODY_BYTES / 3) })];
  yield ['JSON-LD of line ends', article({ json_ld: `a${'\n'.repeat(BODY_BYTES / 2)}` })];
  yield ['an image of percent signs', article({ featured_image_url: '%'.repeat(BODY_BYTES) })];
}

/** The longest of its kind that fits into a body. */
function fitting(text: (length: number) => string): string {
  const sample = text(10_000);
  const bytes = Buffer.byteLength(JSON.stringify(sample)) / sample.length;
  return text(Math.floor(BODY_BYTES / bytes) - 3_000);
}

async function measure(
  receiver: Receiver,
  deliver: () => Promise<{ status: number; text: string }>,
): Promise<Omit<Step, 'what' | 'stopMs'>> {
  let isOver = false;
  let healthMs = 0;
  const watch = async () => {
    while (!isOver) {
      const start = performance.now();
      // Kept alive, a connection may be used again just as the receiver closes it because it was idle.
      const headers = { Connection: 'close' };
      await (await fetch(`http://localhost:${receiver.port}/healthz`, { headers })).text();
      healthMs = Math.max(healthMs, performance.now() - start);
      await wait(50);
    }
  };
  const [workBefore, start] = [receiver.workMs(), performance.now()];
  const watching = watch();
  const { status } = await deliver();
  const totalMs = performance.now() - start;
  const workMs = receiver.workMs() - workBefore;
  isOver = true;
  await watching;
  return { status, workMs, totalMs, healthMs };
}

/**
 * Measures the readers in a thread with much room for new objects: else a long text's outlive their generation, and the time
 * of the collector, which copies them, seems to be the reader's.
 */
async function readerFigures(): Promise<ReaderFigures> {
  const worker = new Worker(new URL('./hostile-readers.js', import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: 1_024, maxOldGenerationSizeMb: 4_096 },
  });
  const [figures] = (await once(worker, 'message')) as [ReaderFigures];
  return figures;
}
