import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { draftOf } from '../../src/article/article.js';
import { encode } from '../support/plain-files.js';
import { articleData, signedEvent, signedLookups, signedRequests } from './deliveries.js';
import { count, type Goal, medianOf, milliseconds, type Row, table } from './figures.js';
import { type Load, load, once } from './load.js';
import { makeSite, type Receiver, startOurs } from './receivers.js';
import type { Workspace } from './workspace.js';

/** The site against which the others are measured, all of whose articles are updated. */
const FEW = { articles: 100, folders: 1 };
const LARGE = [
  { articles: 20_000, folders: 1 },
  { articles: 100_000, folders: 1 },
  { articles: 20_000, folders: 60 },
  { articles: 4_000, folders: 4_000 },
];
const ROUNDS = 7;
const WARM_UP = 1;
const UPDATERS = 4;
const PUBLISHES = 300;
const LOOKUPS = 200;

/** One site in one round. */
interface Leg {
  readonly updates: Load;
  /** Beside the updates. */
  readonly publishes: Load;
  /** Of URLs that no article has. */
  readonly lookups: Load;
}

interface Site {
  readonly what: string;
  readonly receiver: Receiver;
  readonly legs: Leg[];
  /** Those of the first articles, by number, before any update. */
  readonly revisions: readonly string[];
  /** How many updates the first articles have had together. */
  updates: number;
  publishes: number;
}

/** Whether updates, publishes beside them, and lookups cost more as a folder grows, or the number of folders. */
export async function scale(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  const few = await startSite(workspace.fresh('few'), FEW);
  const large: Site[] = [];
  for (const size of LARGE) large.push(await startSite(workspace.fresh('large'), size));
  const all = [few, ...large];
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    for (const site of round % 2 === 0 ? all : all.toReversed()) {
      const leg = await measure(site);
      if (round >= WARM_UP) site.legs.push(leg);
    }
    console.error(`scale ${round + 1}/${WARM_UP + ROUNDS}: ${all.map(summary).join('; ')}`);
  }
  for (const { receiver } of all) await receiver.stop();
  const tables = large.map(({ what, legs }) => {
    const rows = rowsOf(legs, few.legs);
    return { rows, text: table([what, 'ours', few.what], rows) };
  });
  return { text: tables.map(({ text }) => text).join('\n\n'), rows: tables.flatMap(({ rows }) => rows) };
}

function rowsOf(ours: readonly Leg[], few: readonly Leg[]): Row[] {
  const rounds = ours.flatMap((leg, round) => {
    const against = few[round];
    return against === undefined ? [] : [{ leg, against }];
  });
  const row = (
    what: string,
    figure: (leg: Leg) => number,
    show: (value: number) => string,
    goal: Goal,
  ): Row => ({
    what,
    ours: show(medianOf(ours, figure)),
    against: show(medianOf(few, figure)),
    ratio: medianOf(rounds, ({ leg, against }) => figure(leg) / figure(against)),
    goal,
  });
  const atMost = { kind: 'at most', value: 1.5 } as const;
  return [
    row(
      `updates at ${UPDATERS} connections`,
      ({ updates }) => updates.perSecond,
      (value) => `${count(value)}/s`,
      { kind: 'at least', value: 0.67 },
    ),
    row('p99 of a publish beside them', ({ publishes }) => publishes.p99, milliseconds, atMost),
    row('lookup of an unknown URL, median', ({ lookups }) => lookups.p50, milliseconds, atMost),
  ];
}

function summary({ legs }: Site): string {
  const leg = legs.at(-1);
  if (leg === undefined) return '';
  const { updates, publishes, lookups } = leg;
  return `${count(updates.perSecond)}/s, ${milliseconds(publishes.p99)}, ${milliseconds(lookups.p50)}`;
}

async function startSite(folder: string, size: typeof FEW): Promise<Site> {
  const { articles, folders } = size;
  const site = makeSite(folder, { plugins: false });
  const config = { git: false, site: false, articles: { file: ':slug.md' } };
  fs.writeFileSync(join(site, 'pressmark.config.json'), JSON.stringify(config));
  const revisions: string[] = [];
  for (let n = 0; n < articles; n++) {
    const data = shortArticle(n);
    const { text, article } = encode({ ...draftOf(data), url: urlOf(data), updated: null });
    const path = join(site, 'content', folders === 1 ? '' : `folder-${n % folders}`, `${data.slug}.md`);
    if (n < folders) fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, text);
    if (n < FEW.articles) revisions.push(article.revision);
  }
  execFileSync('sync'); // what the seeding left to be written must not be written during the measurement
  const what = `${count(articles)} articles in ${count(folders)} ${folders === 1 ? 'folder' : 'folders'}`;
  return { what, receiver: await startOurs(site), legs: [], revisions, updates: 0, publishes: 0 };
}

/** Short, so that 100,000 of them find room. */
function shortArticle(n: number) {
  const data = articleData(1_000_000 + n, '2026-11-19T08:00:00Z');
  return { ...data, content_html: `<p>${data.title}</p>`, content_markdown: `${data.title}\n` };
}

function urlOf({ slug }: { slug: string }): string {
  return `https://example.com/articles/${slug}/`;
}

async function measure(site: Site): Promise<Leg> {
  const { port } = site.receiver;
  const nothing = Array.from({ length: LOOKUPS }, (_, n) => `https://example.com/articles/nothing-${n}/`);
  const lookups = await load({
    port,
    connections: 1,
    seconds: 60,
    status: 404,
    next: once(signedLookups(nothing)),
  });
  const requests = signedRequests(site.publishes, PUBLISHES);
  site.publishes += PUBLISHES;
  let isOver = false;
  const [publishes, updates] = await Promise.all([
    load({ port, connections: 1, seconds: 120, next: once(requests) }).finally(() => {
      isOver = true;
    }),
    load({ port, connections: UPDATERS, seconds: 120, next: () => (isOver ? undefined : nextUpdate(site)) }),
  ]);
  return { updates, publishes, lookups };
}

/** The articles in turn: none is updated again before its last update was answered. */
function nextUpdate(site: Site): Buffer {
  const n = site.updates % FEW.articles;
  const round = Math.floor(site.updates / FEW.articles);
  site.updates += 1;
  const data = shortArticle(n);
  return signedEvent('article.updated', {
    ...data,
    id: `draft-${n}-${round + 1}`,
    title: `${data.title}, ${round + 1}`,
    target_id: data.id,
    target_url: urlOf(data),
    base_revision_id: round === 0 ? site.revisions[n] : `draft-${n}-${round}`,
    revision_id: `draft-${n}-${round + 1}`,
  });
}
