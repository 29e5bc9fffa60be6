import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { Connector } from '../../../src/sender/connectors.js';
import { queued } from '../../../src/sender/delivery/delivery.js';
import { envelopeOf } from '../../../src/sender/delivery/send-event.js';
import type { Entry } from '../../../src/sender/queue/entry.js';
import { createWorker } from '../../../src/sender/queue/worker.js';
import type { SenderState } from '../../../src/sender/state.js';
import { reply, startEndpoint } from '../../support/endpoint.js';
import { update } from '../../support/events.js';
import { connected, makeEntry, T0, testLog, testQueue } from '../../support/sender.js';
import { until } from '../../support/until.js';
import { virtualClock } from '../../support/virtual-clock.js';

const DAY = 86_400_000;
const URL = 'https://r.example/hook';

/** A refresh of `article` from the file `source`, made so many days before T0. */
function refreshOf(
  connector: Connector,
  id: string,
  article: string,
  source: string,
  daysAgo: number,
): Entry {
  const at = T0 - daysAgo * DAY;
  const target = { target_id: article, target_url: `https://g.example/${article}/`, base_revision_id: 'r' };
  const data = { ...update(target, { id }) };
  const payload = envelopeOf('article.updated', data, new Date(at).toISOString());
  return { ...makeEntry(connector, id, at), source, record: queued(connector.url, payload, at) };
}

/** Records of every kind, settled as they say. */
async function memory(t: { teardown(dispose: () => void): void }, state: SenderState, connector: Connector) {
  let now = T0;
  const queue = testQueue(t, state, () => now);
  const settled: readonly (readonly [Entry, 'success' | 'failed' | 'pending'])[] = [
    [makeEntry(connector, 'old-publication', T0 - 400 * DAY), 'success'],
    [refreshOf(connector, 'first', 'a', 'a.md', 90), 'success'],
    [refreshOf(connector, 'second', 'a', 'a.md', 80), 'failed'],
    [refreshOf(connector, 'landed-last', 'a', 'a.md', 60), 'success'],
    [refreshOf(connector, 'newest', 'a', 'a.md', 50), 'failed'],
    [refreshOf(connector, 'waiting', 'a', 'a.md', 45), 'pending'],
    [refreshOf(connector, 'other-file', 'b', 'b.md', 70), 'success'],
    [refreshOf(connector, 'moved-file', 'b', 'moved.md', 65), 'success'],
    [refreshOf(connector, 'young-1', 'c', 'c.md', 29), 'success'],
    [refreshOf(connector, 'young-2', 'c', 'c.md', 5), 'success'],
  ];
  await queue.add(settled.map(([entry]) => entry));
  const momentOf = ([{ record }]: (typeof settled)[number]) => Date.parse(record.payload.timestamp);
  for (const one of [...settled].sort((a, b) => momentOf(a) - momentOf(b))) {
    const [{ id }, status] = one;
    now = momentOf(one);
    const taken = status === 'pending' ? undefined : await queue.take(id);
    if (taken === undefined) continue;
    const error = { result: 'refused', statusCode: 400, error: 'HTTP 400', final: true } as const;
    await queue.settle(
      taken,
      status === 'success' ? { result: 'accepted', statusCode: 200, liveUrl: null } : error,
    );
  }
  now = T0;
  const ids = () => {
    const names = new Map(settled.map(([entry]) => [entry.id, entry.record.payload.data.id]));
    return [...queue.list()].map(({ id }) => names.get(id)).sort();
  };
  return { queue, ids };
}

const LEFT = [
  'landed-last',
  'moved-file',
  'newest',
  'old-publication',
  'other-file',
  'waiting',
  'young-1',
  'young-2',
];

test('settled refreshes that newer ones have followed go, and nothing that is needed', async (t) => {
  const { state, connector } = await connected(t, URL);
  const { queue, ids } = await memory(t, state, connector);
  const broken = join(state.deliveries, 'broken.json');
  fs.writeFileSync(broken, '{');
  t.is(await queue.prune(T0 - 30 * DAY), 2);
  t.deepEqual(ids(), LEFT);
  t.is(await queue.prune(T0 - 30 * DAY), 0);
  t.is(await queue.prune(T0), 1, 'the young one that was followed');
  t.true(fs.existsSync(broken));
});

test('a refresh that has failed and is sent again in the meantime stays', async (t) => {
  const { state, connector } = await connected(t, URL);
  const { queue } = await memory(t, state, connector);
  const second = [...queue.list()].find(({ record }) => record.payload.data.id === 'second')?.id ?? '';
  const again = queue.ask(second, 'retry');
  t.is(await queue.prune(T0 - 30 * DAY), 1);
  t.is((await again)?.id, second);
  t.is(queue.read(second)?.record.status, 'pending');
});

test('a worker removes them at its start and once a day, and none where it is not told how long to keep them', async (t) => {
  const endpoint = await startEndpoint(t, reply(200, { received: true }));
  const { state, connector } = await connected(t, endpoint.url);
  const { queue, ids } = await memory(t, state, connector);
  const clock = virtualClock(T0);
  const { log, lines } = testLog();
  const forgetful = createWorker({ state, queue, log, clock });
  await forgetful.prune();
  t.is(ids().length, 10);
  const worker = createWorker({ state, queue, log, clock, keepMs: 30 * DAY });
  t.teardown(worker.stop);
  void worker.run();
  await until('the worker removes old refreshes at its start', () =>
    lines.some(({ msg }) => msg === 'records of old refreshes were removed'),
  );
  t.deepEqual(ids(), LEFT);
  for (let day = 0; day < 3; day++) {
    await until('the worker waits for its next tick', () => clock.waiting() > 0);
    clock.pass(DAY);
  }
  await until('the worker removes old refreshes once a day', () => !ids().includes('young-1'));
  t.true(ids().includes('young-2'));
});
