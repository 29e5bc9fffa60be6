import test from 'ava';
import type { Connector } from '../../../src/sender/connectors.js';
import { queued } from '../../../src/sender/delivery/delivery.js';
import { envelopeOf } from '../../../src/sender/delivery/send-event.js';
import type { Entry } from '../../../src/sender/queue/entry.js';
import { outlived } from '../../../src/sender/queue/outlived.js';
import { createWorker } from '../../../src/sender/queue/worker.js';
import { update } from '../../support/events.js';
import { connected, makeEntry, T0, testLog, testQueue } from '../../support/sender.js';
import { until } from '../../support/until.js';
import { virtualClock } from '../../support/virtual-clock.js';

const DAY = 86_400_000;
const URL = 'https://r.example/hook';

type Settled = 'success' | 'failed';

/** A delivery as it stands when it is settled. */
function settled(entry: Entry, status: Settled): Entry {
  return { ...entry, record: { ...entry.record, status, attempts: 1, nextRetryAt: null } };
}

/** A refresh of `article` from the file `source`, made so many days before T0. */
function refreshOf(
  { name, url }: Connector,
  id: string,
  article: string,
  source: string,
  daysAgo: number,
): Entry {
  const at = T0 - daysAgo * DAY;
  const target = { target_id: article, target_url: `https://g.example/${article}/`, base_revision_id: 'r' };
  const payload = envelopeOf('article.updated', { ...update(target, { id }) }, new Date(at).toISOString());
  return { ...makeEntry({ name, url }, id, at), id, source, record: queued(url, payload, at) };
}

function memory(connector: Connector): Entry[] {
  const refresh = (...of: [id: string, article: string, source: string, daysAgo: number]) =>
    refreshOf(connector, ...of);
  return [
    settled({ ...makeEntry(connector, 'old', T0 - 400 * DAY), id: 'old-publication' }, 'success'),
    settled(refresh('first', 'a', 'a.md', 90), 'success'),
    settled(refresh('second', 'a', 'a.md', 80), 'failed'),
    settled(refresh('landed-last', 'a', 'a.md', 60), 'success'),
    settled(refresh('newest', 'a', 'a.md', 50), 'failed'),
    refresh('waiting', 'a', 'a.md', 45),
    settled(refresh('other-file', 'b', 'b.md', 70), 'success'),
    settled(refresh('moved-file', 'b', 'moved.md', 65), 'success'),
    settled(refresh('young-1', 'c', 'c.md', 29), 'success'),
    settled(refresh('young-2', 'c', 'c.md', 5), 'success'),
  ];
}

test('settled refreshes that newer ones have followed go, and nothing that is needed', async (t) => {
  const { connector } = await connected(t, URL);
  const entries = memory(connector);
  t.deepEqual(outlived(entries, T0 - 30 * DAY), ['first', 'second']);
  t.deepEqual(outlived(entries, T0), ['first', 'second', 'young-1'], 'the young one was followed too');
});

test('a refresh that has failed and is sent again in the meantime stays', async (t) => {
  const { state, connector } = await connected(t, URL);
  const queue = testQueue(t, state, () => T0);
  await queue.add(memory(connector));
  const again = queue.ask('second', 'retry');
  t.is(await queue.prune(T0 - 30 * DAY), 1);
  t.is((await again)?.id, 'second');
  t.is(queue.read('second')?.record.status, 'pending');
});

test('a worker removes them at its start and once a day, and none where it is not told how long to keep them', async (t) => {
  const { state, connector } = await connected(t, URL);
  const queue = testQueue(t, state, () => T0);
  await queue.add(memory(connector).filter(({ id }) => id !== 'waiting'));
  const ids = () => [...queue.list()].map(({ id }) => id);
  const clock = virtualClock(T0);
  const { log, lines } = testLog();
  await createWorker({ state, queue, log, clock }).prune();
  t.is(ids().length, 9);
  const worker = createWorker({ state, queue, log, clock, keepMs: 30 * DAY });
  t.teardown(worker.stop);
  void worker.run();
  await until('the worker removes old refreshes at its start', () =>
    lines.some(({ msg }) => msg === 'records of old refreshes were removed'),
  );
  t.true(ids().includes('young-1'));
  for (let day = 0; day < 3; day++) {
    await until('the worker waits for its next tick', () => clock.waiting() > 0);
    clock.pass(DAY);
  }
  await until('the worker removes old refreshes once a day', () => !ids().includes('young-1'));
  t.true(ids().includes('young-2'));
});
