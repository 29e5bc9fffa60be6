import fs from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { pino } from 'pino';
import { type Connector, makeConnector, saveConnector } from '../../src/sender/connectors.js';
import { queued } from '../../src/sender/delivery/delivery.js';
import { envelopeOf } from '../../src/sender/delivery/send-event.js';
import { type Entry, newEntry } from '../../src/sender/queue/entry.js';
import { openQueue, type Queue } from '../../src/sender/queue/queue.js';
import { createWorker, type WorkerOptions } from '../../src/sender/queue/worker.js';
import { refresh } from '../../src/sender/refresh.js';
import { type SenderState, stateOf } from '../../src/sender/state.js';
import { type Answering, startEndpoint } from './endpoint.js';
import { article } from './events.js';
import { SECRET } from './signer.js';
import type { Teardown } from './teardown.js';
import { tempDir } from './temp-dir.js';
import { virtualClock } from './virtual-clock.js';

/** The start time of the tests' virtual clocks. */
export const T0 = Date.parse('2026-11-19T08:00:00Z');

/** The fields of a delivery record that describe its progress. */
export const standing = ({ record }: Entry) =>
  [record.status, record.attempts, record.lastStatusCode, record.lastError] as const;

/** A log whose lines a test can read. */
export function testLog() {
  const lines: { level: number; msg: string }[] = [];
  return { lines, log: pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) }) };
}

/** A queue entry of an article that was queued at `now`. */
export function makeEntry(connector: Pick<Connector, 'name' | 'url'>, id: string, now = T0): Entry {
  const timestamp = new Date(now).toISOString();
  const data = { ...article({ id, title: `Title of ${id}`, published_at: timestamp }) };
  const payload = envelopeOf('article.published', data, timestamp);
  return newEntry(connector.name, `${id}.md`, queued(connector.url, payload, now));
}

/** Makes a sender's folder with a connector to `url`. */
export async function connected(
  t: Teardown,
  url: string,
  name = 'garden',
): Promise<{ state: SenderState; connector: Connector }> {
  const state = stateOf(tempDir(t));
  const connector = makeConnector(state, {
    name,
    url,
    secret: SECRET,
    author: '',
    application: 'The Garden',
    tracking: null,
  });
  await saveConnector(state, connector);
  return { state, connector };
}

/** Opens a queue that is closed after the test. */
export function testQueue(t: Teardown, state: SenderState, now: () => number): Queue {
  const queue = openQueue({ state, now });
  t.teardown(queue.close);
  return queue;
}

/** A sender whose clock is virtual, with `bees.md`, and a receiver that answers as the test says. */
export async function senderTo(t: ExecutionContext, answer: Answering) {
  const endpoint = await startEndpoint(t, answer);
  const { state, connector } = await connected(t, endpoint.url);
  const clock = virtualClock(T0);
  const queue = testQueue(t, state, clock.now);
  const { lines, log } = testLog();
  const path = join(state.dir, 'bees.md');
  fs.writeFileSync(path, '---\ntitle: Bees, anew\n---\nNew text.\n');
  return {
    ...{ endpoint, state, connector, clock, queue, lines, path },
    /** Queues articles with these ids. */
    add: (...ids: string[]) => queue.add(ids.map((id) => makeEntry(connector, id))),
    worker: (over: Partial<WorkerOptions> = {}) => {
      const worker = createWorker({ state, queue, log, clock, ...over });
      t.teardown(worker.stop);
      return worker;
    },
    refresh: (url: string, force = false, file = path) =>
      refresh({ state, queue, connector, url, path: file, clock, force }),
  };
}
