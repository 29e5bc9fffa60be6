import { signedRequests } from './deliveries.js';
import { count, medianOf, milliseconds, type Row, table } from './figures.js';
import { type Load, load, once } from './load.js';
import { makeSite, type Receiver, startBare, startOurs } from './receivers.js';
import type { Workspace } from './workspace.js';

const CONNECTIONS = 32;
const ROUNDS = 9;
const SECONDS = 3;
const WARM_UP = 6_000;
/** More than any receiver here takes in one leg; the same requests for all, as each leg has a fresh folder. */
const MOST = 24_000;

interface Leg extends Load {
  readonly stopMs: number;
}

const SIDES = ['bare', 'off', 'on'] as const;
type Side = (typeof SIDES)[number];
type Round = Readonly<Record<Side, Leg>>;

/** Durable publishes a second, against the bare receiver: without plugins, and with git and site. */
export async function publish(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  const requests = signedRequests(0, MOST);
  const start: Record<Side, () => Promise<Receiver>> = {
    bare: () => startBare(workspace.fresh('bare')),
    off: () => startOurs(makeSite(workspace.fresh('off'), { plugins: false })),
    on: () => startOurs(makeSite(workspace.fresh('on'), { plugins: true })),
  };
  const legs: Record<Side, Leg[]> = { bare: [], off: [], on: [] };
  for (let round = 0; round < ROUNDS; round++) {
    // What one leaves for the disk to do is borne by the next: each is the first as often as the others.
    for (const side of [...SIDES.slice(round % 3), ...SIDES.slice(0, round % 3)])
      legs[side].push(await leg(requests, start[side]));
    const rates = SIDES.map((side) => count(legs[side].at(-1)?.perSecond ?? 0));
    console.error(`publish ${round + 1}/${ROUNDS}: ${rates.join(', ')}/s`);
  }
  const rounds = legs.bare.flatMap((bare, round): Round[] => {
    const [off, on] = [legs.off[round], legs.on[round]];
    return off && on ? [{ bare, off, on }] : [];
  });
  const rows: Row[] = [
    row('durable publishes, git and site off', rounds, (round) => round.off, 0.7),
    row('durable publishes, git and site on', rounds, (round) => round.on),
  ];
  const stop = medianOf(rounds, (round) => round.on.stopMs);
  const text = [
    table([`${CONNECTIONS} connections`, 'ours', 'bare'], rows),
    '',
    `With git and site on, a stop right after the load took ${milliseconds(stop)}.`,
  ].join('\n');
  return { text, rows };
}

function row(what: string, rounds: readonly Round[], side: (round: Round) => Leg, goal?: number): Row {
  return {
    what,
    ours: figure(rounds, side),
    against: figure(rounds, (round) => round.bare),
    ratio: medianOf(rounds, (round) => side(round).perSecond / round.bare.perSecond),
    ...(goal !== undefined && { goal: { kind: 'at least', value: goal } as const }),
  };
}

function figure(rounds: readonly Round[], side: (round: Round) => Leg): string {
  const perSecond = medianOf(rounds, (round) => side(round).perSecond);
  const p99 = medianOf(rounds, (round) => side(round).p99);
  return `${count(perSecond)}/s, p99 ${milliseconds(p99)}`;
}

async function leg(requests: readonly Buffer[], start: () => Promise<Receiver>): Promise<Leg> {
  const receiver = await start();
  const { port } = receiver;
  await load({ port, connections: CONNECTIONS, seconds: SECONDS, next: once(requests.slice(0, WARM_UP)) });
  const result = await load({
    port,
    connections: CONNECTIONS,
    seconds: SECONDS,
    next: once(requests.slice(WARM_UP)),
  });
  return { ...result, stopMs: await receiver.stop() };
}
