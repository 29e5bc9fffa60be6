import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { draftOf } from '../../src/article/article.js';
import { encode } from '../support/plain-files.js';
import { articleData, signedEvent, signedLookups, signedRequests } from './deliveries.js';
import { count, medianOf, milliseconds, type Row, table } from './figures.js';
import { type Load, load, once } from './load.js';
import { makeSite, type Receiver, startOurs } from './receivers.js';
import type { Workspace } from './workspace.js';

const FEW = 100;
const MANY = [20_000, 100_000] as const;
const FOLDERS = 4_000;
const ROUNDS = 7;
const UPDATERS = 4;
const PUBLISHES = 300;
const LOOKUPS = 200;
const WARM_UP = 1;

/** One site in one round. */
interface Leg {
  readonly updates: Load;
  /** Beside the updates. */
  readonly publishes: Load;
  readonly unknown: Load;
}

interface Site {
  readonly receiver: Receiver;
  readonly legs: Leg[];
  /** Those of the first articles, by number, before any update. */
  readonly revisions: readonly string[];
  /** How many updates each article has had. */
  updates: number;
  publishes: number;
}

/** Whether updates, publishes beside them, and lookups cost more as a folder grows, or the number of folders. */
export async function folders(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  const few = await startSite(workspace.fresh('few'), FEW, 1);
  const sites = [
    {
      what: `${count(MANY[0])} articles in one folder`,
      site: await startSite(workspace.fresh('20k'), MANY[0], 1),
    },
    {
      what: `${count(MANY[1])} articles in one folder`,
      site: await startSite(workspace.fresh('100k'), MANY[1], 1),
    },
    {
      what: `${count(FOLDERS)} folders of one article`,
      site: await startSite(workspace.fresh('folders'), FOLDERS, FOLDERS),
    },
  ];
  const all = [few, ...sites.map(({ site }) => site)];
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    for (const site of round % 2 === 0 ? all : all.toReversed()) {
      const leg = await measure(site);
      if (round >= WARM_UP) site.legs.push(leg);
    }
    console.error(`folders ${round + 1}/${WARM_UP + ROUNDS}: ${all.map(summary).join('; ')}`);
  }
  for (const { receiver } of all) await receiver.stop();
  const tables = sites.map(({ what, site }) => {
    const rows = rowsOf(site.legs, few.legs);
    return { rows, text: table([what, 'ours', `${FEW} in one folder`], rows) };
  });
  return { text: tables.map(({ text }) => text).join('\n\n'), rows: tables.flatMap(({ rows }) => rows) };
}

function rowsOf(ours: readonly Leg[], few: readonly Leg[]): Row[] {
  const rounds = ours.flatMap((leg, round) => {
    const against = few[round];
    return against === undefined ? [] : [{ leg, against }];
  });
  const row = (what: string, figure: (leg: Leg) => number, show: (value: number) => string): Row => ({
    what,
    ours: show(medianOf(ours, figure)),
    against: show(medianOf(few, figure)),
    ratio: medianOf(rounds, ({ leg, against }) => figure(leg) / figure(against)),
  });
  const perSecond = (value: number) => `${count(value)}/s`;
  return [
    {
      ...row(`updates at ${UPDATERS} connections`, ({ updates }) => updates.perSecond, perSecond),
      goal: { kind: 'at least', value: 0.77 },
    },
    {
      ...row('p99 of a publish beside them', ({ publishes }) => publishes.p99, milliseconds),
      goal: { kind: 'at most', value: 1.3 },
    },
    row('lookup of an unknown URL, median', ({ unknown }) => unknown.p50, milliseconds),
  ];
}

function summary({ legs }: Site): string {
  const leg = legs.at(-1);
  if (leg === undefined) return '';
  const { updates, publishes, unknown } = leg;
  return `${count(updates.perSecond)}/s, ${milliseconds(publishes.p99)}, ${milliseconds(unknown.p50)}`;
}

async function startSite(folder: string, articles: number, inFolders: number): Promise<Site> {
  const site = makeSite(folder, { plugins: false });
  const config = { git: false, site: false, articles: { file: ':slug.md' } };
  fs.writeFileSync(join(site, 'pressmark.config.json'), JSON.stringify(config));
  const revisions: string[] = [];
  for (let n = 0; n < articles; n++) {
    const data = shortArticle(n);
    const { text, article } = encode({ ...draftOf(data), url: urlOf(data), updated: null });
    const path = join(site, 'content', inFolders === 1 ? '' : `folder-${n % inFolders}`, `${data.slug}.md`);
    if (n < inFolders) fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, text);
    if (n < FEW) revisions.push(article.revision);
  }
  execFileSync('sync'); // what the seeding left to be written must not be written during the measurement
  return { receiver: await startOurs(site), legs: [], revisions, updates: 0, publishes: 0 };
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
  const unknown = await load({
    port,
    connections: 1,
    seconds: 60,
    status: 404,
    next: once(signedLookups(nothing)),
  });
  const publishes = signedRequests(site.publishes, PUBLISHES);
  site.publishes += PUBLISHES;
  let isOver = false;
  const [beside, updates] = await Promise.all([
    load({ port, connections: 1, seconds: 120, next: once(publishes) }).finally(() => {
      isOver = true;
    }),
    load({ port, connections: UPDATERS, seconds: 120, next: () => (isOver ? undefined : nextUpdate(site)) }),
  ]);
  return { updates, publishes: beside, unknown };
}

/** The articles in turn: none is updated again before its last update was answered. */
function nextUpdate(site: Site): Buffer {
  const n = site.updates % FEW;
  const round = Math.floor(site.updates / FEW);
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
