import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_SERVICE } from '../../src/contract/service.js';
import { envelopeOf, postEvent } from '../../src/sender/delivery/send-event.js';
import { articleData, SECRET } from './deliveries.js';
import { count, median, medianOf, milliseconds, type Row, table } from './figures.js';
import { makeSite, startListen, startOurs } from './receivers.js';
import type { Workspace } from './workspace.js';

const ROUNDS = 5;
const A_SECOND = 200;
const DELIVERIES = 1_000;
/** `listen` may add so much to a delivery at the median, in milliseconds. */
const ALLOWED_MS = 5;

/**
 * What `pressmark listen --forward-to` adds to a delivery: the sender's own transport posts articles to a receiver of
 * ours, 200 a second whatever becomes of them, straight and by way of `listen`, in turn.
 */
export async function listen(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  const receiver = await startOurs(makeSite(workspace.fresh('receiver'), { plugins: false }));
  const straight = `http://127.0.0.1:${receiver.port}/webhook`;
  const listener = await startListen(workspace.fresh('listen'), straight);
  const between = `http://127.0.0.1:${listener.port}/`;
  const rounds: { straight: number; between: number }[] = [];
  let next = 0;
  const leg = async (url: string) => {
    const times = await timesOf(url, next);
    next += DELIVERIES;
    return median(times);
  };
  try {
    await leg(straight); // both have been in use then
    await leg(between);
    for (let round = 1; round <= ROUNDS; round++) {
      const one = { straight: await leg(straight), between: await leg(between) };
      rounds.push(one);
      console.error(
        `listen ${round}/${ROUNDS}: ${milliseconds(one.straight)}, by way of listen ${milliseconds(one.between)}`,
      );
    }
  } finally {
    await listener.stop();
    await receiver.stop();
  }
  const added = medianOf(rounds, (one) => one.between - one.straight);
  const rows: Row[] = [
    {
      what: `a delivery at ${count(A_SECOND)} a second, ${milliseconds(medianOf(rounds, (one) => one.straight))} without listen`,
      ours: milliseconds(added),
      against: milliseconds(ALLOWED_MS),
      ratio: added / ALLOWED_MS,
      goal: { kind: 'at most', value: 1 },
    },
  ];
  return { text: table(['median', 'listen adds', 'allowed'], rows), rows };
}

/** How long each delivery took, in milliseconds. */
async function timesOf(url: string, first: number): Promise<number[]> {
  const moment = new Date().toISOString();
  const started = performance.now();
  const deliveries: Promise<number>[] = [];
  for (let n = 0; n < DELIVERIES; n++) {
    const ahead = started + (n * 1000) / A_SECOND - performance.now();
    if (ahead > 0) await pause(ahead);
    deliveries.push(timeOf(url, first + n, moment));
  }
  return Promise.all(deliveries);
}

async function timeOf(url: string, n: number, moment: string): Promise<number> {
  const envelope = envelopeOf('article.published', articleData(n, moment), moment);
  const started = performance.now();
  const { status } = await postEvent({ url, secret: SECRET, service: DEFAULT_SERVICE }, envelope);
  if (status !== 200) throw new Error(`${url} answered ${status}`);
  return performance.now() - started;
}
