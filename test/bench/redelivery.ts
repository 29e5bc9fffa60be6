import { signedRequests } from './deliveries.js';
import { count, medianOf, milliseconds, type Row, table } from './figures.js';
import { forever, type Load, load, once } from './load.js';
import { makeSite, type Receiver, startBare, startOurs } from './receivers.js';
import type { Workspace } from './workspace.js';

const CONNECTIONS = 32;
const ROUNDS = 11;
const SECONDS = 2;
const ARTICLES = 500;

interface Round {
  readonly bare: Load;
  readonly ours: Load;
}

/** Requests a second for articles that are stored already, against a receiver that stores nothing at all. */
export async function redelivery(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  const requests = signedRequests(0, ARTICLES);
  const rounds: Round[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    // Each is the first in every other round.
    const before = round % 2 === 0 ? await oursIn(workspace, requests) : undefined;
    const bare = await leg(requests, () => startBare());
    const ours = before ?? (await oursIn(workspace, requests));
    rounds.push({ bare, ours });
    console.error(`redelivery ${round}/${ROUNDS}: ${count(bare.perSecond)}, ${count(ours.perSecond)}/s`);
  }
  const rows: Row[] = [
    {
      what: `redeliveries of ${ARTICLES} articles`,
      ours: figure(rounds, (round) => round.ours),
      against: figure(rounds, (round) => round.bare),
      ratio: medianOf(rounds, ({ ours, bare }) => ours.perSecond / bare.perSecond),
      goal: { kind: 'at least', value: 0.75 },
    },
  ];
  return { text: table([`${CONNECTIONS} connections`, 'ours', 'bare, storing nothing'], rows), rows };
}

function oursIn(workspace: Workspace, requests: readonly Buffer[]): Promise<Load> {
  return leg(requests, () => startOurs(makeSite(workspace.fresh('again'), { plugins: false })));
}

function figure(rounds: readonly Round[], side: (round: Round) => Load): string {
  const perSecond = medianOf(rounds, (round) => side(round).perSecond);
  const p99 = medianOf(rounds, (round) => side(round).p99);
  return `${count(perSecond)}/s, p99 ${milliseconds(p99)}`;
}

async function leg(requests: readonly Buffer[], start: () => Promise<Receiver>): Promise<Load> {
  const receiver = await start();
  const { port } = receiver;
  await load({ port, connections: CONNECTIONS, seconds: 30, next: once(requests) });
  await load({ port, connections: CONNECTIONS, seconds: 1, next: forever(requests) });
  const result = await load({ port, connections: CONNECTIONS, seconds: SECONDS, next: forever(requests) });
  await receiver.stop();
  return result;
}
