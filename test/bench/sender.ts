import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { DEFAULT_SERVICE } from '../../src/contract/service.js';
import { makeConnector, saveConnector } from '../../src/sender/connectors.js';
import { queued } from '../../src/sender/delivery/delivery.js';
import { envelopeBytes, envelopeOf, eventHeaders } from '../../src/sender/delivery/send-event.js';
import { type Entry, entryId } from '../../src/sender/queue/entry.js';
import { openQueue } from '../../src/sender/queue/queue.js';
import { stateOf } from '../../src/sender/state.js';
import { articleData, SECRET } from './deliveries.js';
import { count, medianOf, type Row, table } from './figures.js';
import { makeSite, startOurs } from './receivers.js';
import type { Workspace } from './workspace.js';

const WORKER = fileURLToPath(new URL('sender-worker.js', import.meta.url));
const ROUNDS = 5;
const ARTICLES = 2_000;
/** As many as `publish` queues at a time. */
const AT_A_TIME = 64;
/** As many as a worker sends to one receiver at a time. */
const CONNECTIONS = 8;

/** Deliveries a second. */
interface Round {
  readonly worker: number;
  readonly autocannon: number;
  /** Articles queued a second, each of them on the disk. */
  readonly queueing: number;
}

/**
 * Deliveries a second of the worker, each attempt of which is on the disk before and after it, against a load
 * generator that keeps nothing, at as many connections and with the same articles.
 */
export async function sender(workspace: Workspace): Promise<{ text: string; rows: Row[] }> {
  const rounds: Round[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const plain = await shoot(workspace);
    const { worker, queueing } = await work(workspace);
    rounds.push({ worker, autocannon: plain, queueing });
    console.error(
      `sender ${round}/${ROUNDS}: ${count(worker)}, ${count(plain)}/s; queued ${count(queueing)}/s`,
    );
  }
  const rows: Row[] = [
    {
      what: `deliveries of ${count(ARTICLES)} articles`,
      ours: `${count(medianOf(rounds, ({ worker }) => worker))}/s`,
      against: `${count(medianOf(rounds, (one) => one.autocannon))}/s`,
      ratio: medianOf(rounds, (one) => one.worker / one.autocannon),
    },
  ];
  const queueing = count(medianOf(rounds, (one) => one.queueing));
  const text = [
    table([`${CONNECTIONS} connections`, 'worker', 'autocannon'], rows),
    '',
    `Articles queued before that, each of them on the disk: ${queueing}/s.`,
  ].join('\n');
  return { text, rows };
}

/** A receiver in a fresh folder, for one leg. */
async function withReceiver<T>(workspace: Workspace, use: (url: string) => Promise<T>): Promise<T> {
  const receiver = await startOurs(makeSite(workspace.fresh('receiver'), { plugins: false }));
  try {
    return await use(`http://127.0.0.1:${receiver.port}/webhook`);
  } finally {
    await receiver.stop();
  }
}

function payload(n: number, moment: string) {
  return envelopeOf('article.published', articleData(n, moment), moment);
}

function shoot(workspace: Workspace): Promise<number> {
  return withReceiver(workspace, async (url) => {
    const moment = new Date().toISOString();
    // Signed beforehand, which the worker does as it goes.
    const requests = Array.from({ length: ARTICLES }, (_, n) => {
      const body = envelopeBytes(payload(n, moment));
      const headers = eventHeaders('article.published', body, { secret: SECRET, service: DEFAULT_SERVICE });
      return { method: 'POST', path: '/webhook', headers, body };
    });
    let next = 0;
    const setupRequest = () => {
      const request = requests[next++ % ARTICLES];
      if (request === undefined) throw new Error('there are no requests');
      return request;
    };
    const result = await autocannon({
      ...{ url, connections: CONNECTIONS, amount: ARTICLES },
      requests: [{ setupRequest }],
    });
    if (result['2xx'] !== ARTICLES) throw new Error(`autocannon: ${JSON.stringify(result)}`);
    return ARTICLES / result.duration;
  });
}

function work(workspace: Workspace): Promise<{ worker: number; queueing: number }> {
  return withReceiver(workspace, async (url) => {
    const state = stateOf(workspace.fresh('sender'));
    const input = { name: 'bench', url, secret: SECRET, author: '', application: 'Bench', tracking: null };
    await saveConnector(state, makeConnector(state, input));
    const now = Date.now();
    const entries = Array.from({ length: ARTICLES }, (_, n): Entry => {
      const record = queued(url, payload(n, new Date(now).toISOString()), now);
      return {
        id: entryId('bench', `bench-${n}`),
        connector: 'bench',
        source: '',
        liveUrl: null,
        note: null,
        answer: null,
        mayBeStored: false,
        refused: null,
        record,
      };
    });
    const queue = openQueue({ state });
    const started = performance.now();
    for (let at = 0; at < ARTICLES; at += AT_A_TIME) await queue.add(entries.slice(at, at + AT_A_TIME));
    const queueing = ARTICLES / ((performance.now() - started) / 1000);
    queue.close();
    const output = execFileSync(process.execPath, [WORKER, state.dir, String(CONNECTIONS)], {
      encoding: 'utf8',
    });
    const { delivered, seconds } = JSON.parse(output) as { delivered: number; seconds: number };
    if (delivered !== ARTICLES) throw new Error(`the worker delivered ${delivered}`);
    return { worker: ARTICLES / seconds, queueing };
  });
}
