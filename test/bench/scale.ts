import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { draftOf } from '../../src/article/article.js';
import { encode } from '../support/plain-files.js';
import { articleData, signedRequests } from './deliveries.js';
import { count, medianOf, milliseconds, quantile, type Row, table } from './figures.js';
import { folders } from './folders.js';
import { load, once } from './load.js';
import { makeSite, type Receiver, startOurs } from './receivers.js';
import type { Workspace } from './workspace.js';

const SMALL = 1_000;
const LARGE = 20_000;
const ROUNDS = 7;
const CONNECTIONS = 4;
/** A round's publishes go to the two sizes in turn, a slice at a time, each size being the first in every other. */
const SLICES = 20;
const WARM_UP = 2;
const PER_SLICE = 100;

/** Whether deliveries cost more as a site, a folder or the number of folders grows. */
export async function scale(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  const rounds: { readonly small: number; readonly large: number }[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const small = await startOurs(seed(workspace.fresh('small'), SMALL));
    const large = await startOurs(seed(workspace.fresh('large'), LARGE));
    const p99 = await publishInTurn(small, large);
    await small.stop();
    await large.stop();
    rounds.push(p99);
    console.error(`scale ${round}/${ROUNDS}: p99 ${milliseconds(p99.small)}, ${milliseconds(p99.large)}`);
  }
  const rows: Row[] = [
    {
      what: `p99 of a publish at ${CONNECTIONS} connections`,
      ours: milliseconds(medianOf(rounds, ({ large }) => large)),
      against: milliseconds(medianOf(rounds, ({ small }) => small)),
      ratio: medianOf(rounds, ({ large, small }) => large / small),
      goal: { kind: 'at most', value: 1.5 },
    },
  ];
  const heads = ['stored articles', count(LARGE), count(SMALL)] as const;
  const inFolders = await folders(workspace);
  return { text: `${table(heads, rows)}\n\n${inFolders.text}`, rows: [...rows, ...inFolders.rows] };
}

/** A site of `articles` files, over five years of months as a real one would have them. */
export function seed(folder: string, articles: number): string {
  const site = makeSite(folder, { plugins: false });
  for (let n = 0; n < articles; n++) {
    const month = n % 60;
    const [year, mm] = [2020 + Math.floor(month / 12), String((month % 12) + 1).padStart(2, '0')];
    const data = articleData(1_000_000 + n, `${year}-${mm}-01T08:00:00Z`);
    const url = `https://example.com/articles/${data.slug}/`;
    const { text } = encode({ ...draftOf(data), url, updated: null });
    const path = join(site, 'content', 'articles', String(year), mm, `${data.slug}.md`);
    if (n < 60) fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, text);
  }
  execFileSync('sync'); // what the seeding left to be written must not be written during the measurement
  return site;
}

async function publishInTurn(small: Receiver, large: Receiver): Promise<{ small: number; large: number }> {
  const requests = signedRequests(0, (WARM_UP + SLICES) * PER_SLICE);
  const sides = [small, large].map(({ port }) => ({ port, seen: [] as number[] }));
  for (let slice = 0; slice < WARM_UP + SLICES; slice++) {
    const part = requests.slice(slice * PER_SLICE, (slice + 1) * PER_SLICE);
    for (const { port, seen } of slice % 2 === 0 ? sides : sides.toReversed()) {
      const { latencies } = await load({ port, connections: CONNECTIONS, seconds: 30, next: once(part) });
      if (slice >= WARM_UP) seen.push(...latencies);
    }
  }
  const [inSmall = Number.NaN, inLarge = Number.NaN] = sides.map(({ seen }) => quantile(seen, 0.99));
  return { small: inSmall, large: inLarge };
}
