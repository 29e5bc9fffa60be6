import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
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
  const rounds: (Record<Level, Leg> & { three: Load })[] = [];
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
  const against = (
    what: string,
    side: (leg: Leg) => Load,
    figure: (load: Load) => string,
    of: (load: Load) => number,
  ) =>
    (['commit', 'push'] as const).map(
      (level): Row => ({
        what: `${what}, durability ${level}`,
        ours: figure(
          middle(
            rounds.map((round) => side(round[level])),
            of,
          ),
        ),
        against: figure(
          middle(
            rounds.map((round) => side(round.disk)),
            of,
          ),
        ),
        ratio: medianOf(rounds, (round) => of(side(round[level])) / of(side(round.disk))),
      }),
    );
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
  const latency = ({ p50, p99 }: Load) => `${milliseconds(p50)}, p99 ${milliseconds(p99)}`;
  const speed = ({ perSecond, p99 }: Load) => `${count(perSecond)}/s, p99 ${milliseconds(p99)}`;
  const rows = [
    ...against(
      'a publish alone',
      ({ alone }) => alone,
      latency,
      ({ p50 }) => p50,
    ),
    ...against(
      `publishes at ${CONNECTIONS} connections`,
      ({ many }) => many,
      speed,
      ({ perSecond }) => perSecond,
    ),
    ...against(
      'a lookup alone',
      ({ lookups }) => lookups,
      latency,
      ({ p50 }) => p50,
    ),
  ];
  const machines: Row = {
    what: `publishes at ${CONNECTIONS} connections`,
    ours: speed(
      middle(
        rounds.map(({ three }) => three),
        ({ perSecond }) => perSecond,
      ),
    ),
    against: speed(
      middle(
        rounds.map(({ push }) => push.many),
        ({ perSecond }) => perSecond,
      ),
    ),
    ratio: medianOf(rounds, ({ three, push }) => three.perSecond / push.many.perSecond),
  };
  const text = [
    table(['durability', 'this level', 'disk'], rows),
    '',
    table(['one at a time', 'median', 'against'], goals),
    '',
    table(['one remote, durability push', 'three machines', 'one machine'], [machines]),
  ].join('\n');
  return { text, rows: [...rows, ...goals, machines] };
}

/** The round in the middle, by this figure. */
function middle(loads: readonly Load[], of: (load: Load) => number): Load {
  const sorted = loads.toSorted((a, b) => of(a) - of(b));
  const one = sorted[Math.floor(sorted.length / 2)];
  if (one === undefined) throw new Error('nothing was measured');
  return one;
}

let made = 0;

/** Requests that no receiver of this run has had. */
function fresh(most: number): Buffer[] {
  made += most;
  return signedRequests(made - most, most);
}

async function leg(workspace: Workspace, level: Level): Promise<Leg> {
  const folder = workspace.fresh(level);
  const site = clone(makeRemote(folder), join(folder, 'site'), level);
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

async function threeMachines(workspace: Workspace): Promise<Load> {
  const folder = workspace.fresh('three');
  const remote = makeRemote(folder);
  const receivers = await Promise.all(
    ['a', 'b', 'c'].map((name) => startOurs(clone(remote, join(folder, name), 'push'))),
  );
  try {
    for (const receiver of receivers) await publish(receiver, 1, WARM_UP);
    const loads = await Promise.all(
      receivers.map((receiver) => publish(receiver, CONNECTIONS / receivers.length, 2_000)),
    );
    const requests = loads.reduce((sum, one) => sum + one.requests, 0);
    const perSecond = loads.reduce((sum, one) => sum + one.perSecond, 0);
    const slowest = loads.toSorted((a, b) => b.p99 - a.p99)[0];
    if (slowest === undefined) throw new Error('nothing was measured');
    return { ...slowest, requests, perSecond };
  } finally {
    for (const receiver of receivers) await receiver.stop();
  }
}

/** A bare remote with one commit. */
function makeRemote(folder: string): string {
  const remote = join(folder, 'remote.git');
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', remote);
  const first = join(folder, 'first');
  git(folder, 'clone', '--quiet', remote, first);
  fs.writeFileSync(join(first, '.gitignore'), 'public/\n.pressmark/\npressmark.config.json\n');
  git(first, 'add', '.');
  git(
    first,
    '-c',
    'user.name=Bench',
    '-c',
    'user.email=bench@example.org',
    'commit',
    '--quiet',
    '-m',
    'First',
  );
  git(first, 'push', '--quiet', 'origin', 'HEAD:main');
  return remote;
}

function clone(remote: string, site: string, durability: Level): string {
  git(join(site, '..'), 'clone', '--quiet', remote, site);
  fs.writeFileSync(join(site, 'pressmark.config.json'), JSON.stringify({ site: false, durability }));
  return site;
}

function git(folder: string, ...args: string[]): void {
  execFileSync('git', args, { cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] });
}
