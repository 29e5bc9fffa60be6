import fs from 'node:fs';
import { join } from 'node:path';
import { makeRemote } from '../support/clones.js';
import { signedLookups, signedRequests } from './deliveries.js';
import { count, medianOf, milliseconds, type Row, table } from './figures.js';
import { forever, type Load, load, once } from './load.js';
import { type Receiver, startOurs } from './receivers.js';
import type { Workspace } from './workspace.js';

const LEVELS = ['disk', 'commit', 'push'] as const;
type Level = (typeof LEVELS)[number];

const ROUNDS = 3;
const SECONDS = 3;
const CONNECTIONS = 48;
const WARM_UP = 60;

/** The goals for the median of one publish at a time, in milliseconds. */
const ALONE_MS = { commit: 80, push: 150 };

/** What one level did in one round. */
interface Leg {
  readonly alone: Load;
  readonly many: Load;
  readonly lookups: Load;
}

/** What a durability level costs, and what several machines on one remote store together. */
export async function durability(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  const rounds: (Record<Level, Leg> & { three: Pick<Load, 'perSecond'> })[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const legs = {
      disk: await leg(workspace, 'disk'),
      commit: await leg(workspace, 'commit'),
      push: await leg(workspace, 'push'),
    };
    const three = await threeMachines(workspace);
    rounds.push({ ...legs, three });
    const said = LEVELS.map(
      (level) => `${level} ${milliseconds(legs[level].alone.p50)}, ${count(legs[level].many.perSecond)}/s`,
    );
    console.error(`durability ${round}/${ROUNDS}: ${said.join('; ')}; three ${count(three.perSecond)}/s`);
  }
  const goals = (['commit', 'push'] as const).map((level): Row => {
    const ms = medianOf(rounds, (round) => round[level].alone.p50);
    return {
      what: `a publish alone, durability ${level}`,
      ours: milliseconds(ms),
      against: `${ALONE_MS[level]} ms, the goal`,
      ratio: ms / ALONE_MS[level],
      goal: { kind: 'at most', value: 1 },
    };
  });
  const rows = LEVELS.map(
    (level): Row => ({
      what: `durability ${level}`,
      ours: `${count(medianOf(rounds, (round) => round[level].many.perSecond))}/s`,
      against: milliseconds(medianOf(rounds, (round) => round[level].lookups.p50)),
    }),
  );
  rows.push({
    what: 'three machines on one remote, durability push',
    ours: `${count(medianOf(rounds, ({ three }) => three.perSecond))}/s`,
    against: '',
  });
  const text = [
    table(['one at a time', 'median', 'against'], goals),
    '',
    table([`${CONNECTIONS} connections`, 'publishes', 'a lookup alone'], rows),
  ].join('\n');
  return { text, rows: goals };
}

let made = 0;

/** Requests that no receiver of this run has had. */
function fresh(most: number): Buffer[] {
  made += most;
  return signedRequests(made - most, most);
}

async function leg(workspace: Workspace, level: Level): Promise<Leg> {
  const folder = workspace.fresh(level);
  const site = makeRemote(folder, undefined, { durability: level }).clone('site');
  const receiver = await startOurs(site);
  try {
    await publish(receiver, 1, WARM_UP);
    const alone = await publish(receiver, 1, 2_000);
    const many = await publish(receiver, CONNECTIONS, level === 'disk' ? 12_000 : 5_000);
    const { port } = receiver;
    const next = forever(signedLookups(someUrls(site)));
    return { alone, many, lookups: await load({ port, connections: 1, seconds: SECONDS, next }) };
  } finally {
    await receiver.stop();
  }
}

/** The URLs of some articles of a site. */
function someUrls(site: string): string[] {
  const names = fs.readdirSync(join(site, 'content'), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.md')).slice(0, 50);
  return files.map(
    (name) => /^url: "(.*)"$/m.exec(fs.readFileSync(join(site, 'content', name), 'utf8'))?.[1] ?? '',
  );
}

function publish({ port }: Receiver, connections: number, most: number): Promise<Load> {
  return load({ port, connections, seconds: SECONDS, next: once(fresh(most)) });
}

async function threeMachines(workspace: Workspace): Promise<Pick<Load, 'perSecond'>> {
  const folder = workspace.fresh('three');
  const { clone } = makeRemote(folder);
  const receivers = await Promise.all(['a', 'b', 'c'].map((name) => startOurs(clone(name))));
  try {
    for (const receiver of receivers) await publish(receiver, 1, WARM_UP);
    const loads = await Promise.all(
      receivers.map((receiver) => publish(receiver, CONNECTIONS / receivers.length, 2_000)),
    );
    return { perSecond: loads.reduce((sum, one) => sum + one.perSecond, 0) };
  } finally {
    for (const receiver of receivers) await receiver.stop();
  }
}
