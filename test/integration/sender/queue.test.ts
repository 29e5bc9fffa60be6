import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Outcome } from '../../../src/sender/delivery/delivery.js';
import { connected, makeEntry, T0, testQueue } from '../../support/sender.js';

const MINUTE = 60_000;
const accepted: Outcome = { result: 'accepted', statusCode: 200, liveUrl: 'https://g.example/a/' };
const busy: Outcome = { result: 'refused', statusCode: 503, error: 'HTTP 503: busy', final: false };

/** A queue with one delivery in it, and the time. */
async function set(t: ExecutionContext) {
  const { state, connector } = await connected(t, 'https://r.example/hook');
  const time = { now: T0 };
  const open = () => testQueue(t, state, () => time.now);
  const queue = open();
  const entry = makeEntry(connector, 'a');
  const added = await queue.add([entry]);
  /** Makes an attempt that comes to this. */
  const attempted = async (outcome: Outcome) => {
    const taken = await queue.take(entry.id);
    return taken && (await queue.settle(taken, outcome));
  };
  return {
    state,
    connector,
    time,
    open,
    queue,
    entry,
    added,
    attempted,
    path: join(state.deliveries, `${entry.id}.json`),
  };
}

test('a delivery is one file with the record, readable by its owner alone', async (t) => {
  const { state, entry, added, path } = await set(t);
  t.deepEqual(added, new Set([entry.id]));
  t.deepEqual(JSON.parse(fs.readFileSync(path, 'utf8')).record, entry.record);
  t.is(fs.statSync(path).mode & 0o777, 0o600);
  t.is(fs.statSync(state.folder).mode & 0o777, 0o700);
  t.is(fs.readFileSync(join(state.folder, '.gitignore'), 'utf8'), '*\n');
});

test('what is queued already is not queued again, whatever has become of it', async (t) => {
  const { connector, queue, entry, attempted } = await set(t);
  const other = makeEntry(connector, 'b');
  const added = await Promise.all([queue.add([other]), queue.add([other])]);
  t.deepEqual(
    added.map(({ size }) => size),
    [1, 0],
  );
  t.truthy(await attempted(accepted));
  t.is((await queue.add([entry])).size, 0);
  t.like(queue.read(entry.id), { liveUrl: 'https://g.example/a/', record: { status: 'success' } });
});

test('of many that want a delivery at once, in one process or in two, one gets it', async (t) => {
  const { connector, queue, open } = await set(t);
  const queues = [queue, open(), open()];
  const entries = Array.from({ length: 10 }, (_, n) => makeEntry(connector, `a${n}`));
  await queue.add(entries);
  const takes = entries.flatMap(({ id }) => [...queues, ...queues].map((one) => one.take(id)));
  const taken = (await Promise.all(takes)).filter((one) => one !== undefined);
  t.deepEqual(taken.map(({ id }) => id).sort(), entries.map(({ id }) => id).sort());
});

test('those that waited longest come first, and only those that are due', async (t) => {
  const { connector, queue, time, entry } = await set(t);
  const at = (minutes: number) => makeEntry(connector, `at ${minutes}`, T0 + minutes * MINUTE);
  const [late, early, future] = [at(3), at(1), at(60)] as const;
  await queue.add([late, early, future]);
  time.now += 10 * MINUTE;
  t.deepEqual(
    (await queue.due()).map(({ id }) => id),
    [entry.id, early.id, late.id],
  );
});

test('a delivery whose worker is gone is sent again after ten minutes; the old attempt then counts no more', async (t) => {
  const { time, queue: gone, open, entry } = await set(t);
  const other = open();
  const lost = await gone.take(entry.id);
  time.now += 10 * MINUTE - 1;
  t.deepEqual(await other.due(), []);
  time.now += 1;
  t.is((await other.due()).length, 1);
  const taken = await other.take(entry.id);
  t.deepEqual([taken?.record.attempts, taken?.record.payload], [2, lost?.record.payload]);
  // The first worker was only stopped for a while, and comes back with its answer.
  t.is(lost && (await gone.settle(lost, busy)), undefined);
  t.is(gone.read(entry.id)?.record.status, 'sending');
  t.truthy(taken && (await other.settle(taken, accepted)));
  t.is(lost && (await gone.settle(lost, busy)), undefined);
  t.is(gone.read(entry.id)?.record.status, 'success');
});

test('a file that is no delivery is skipped, reported and left as it is; the other deliveries go on', async (t) => {
  const { connector, queue, entry, path, open } = await set(t);
  const good = makeEntry(connector, 'good');
  await queue.add([good]);
  const whole = fs.readFileSync(path, 'utf8');
  for (const spoiled of ['', whole.slice(0, 30), '{"hello":1}', whole.replace('"pending"', '"lost"')]) {
    fs.writeFileSync(path, spoiled);
    const reopened = open();
    t.deepEqual(
      (await reopened.due()).map(({ id }) => id),
      [good.id],
    );
    t.deepEqual([...reopened.problems().keys()], [`${entry.id}.json`]);
    t.is((await reopened.add([entry])).size, 0, 'what it was cannot be known, so it is not written over');
    t.is(await reopened.take(entry.id), undefined);
    t.is(fs.readFileSync(path, 'utf8'), spoiled);
    t.is([...reopened.list()].length, 1);
  }
});

test('what a killed process left half-written is swept; what another program put there is not', async (t) => {
  const { state, open } = await set(t);
  for (const name of ['.pressmark-abc-1.tmp', 'notes.txt', '.hidden.json'])
    fs.writeFileSync(join(state.deliveries, name), '{');
  const queue = open();
  const [due, ...more] = await queue.due();
  t.deepEqual(more, []);
  t.truthy(due && (await queue.take(due.id)));
  t.is(fs.readdirSync(state.deliveries).length, 3);
  t.false(fs.existsSync(join(state.deliveries, '.pressmark-abc-1.tmp')));
  t.is(queue.problems().size, 0);
});

test('after a timeout, a 503 or an attempt that was cut off, a 4xx does not free the id for another text: the receiver may have the first', async (t) => {
  for (const first of [{ ...busy, statusCode: null }, busy, undefined]) {
    const { time, queue, entry, attempted } = await set(t);
    if (first === undefined) await queue.take(entry.id);
    else await attempted(first);
    time.now += 11 * MINUTE;
    await queue.due();
    t.truthy(await attempted({ ...busy, statusCode: 401, final: true }));
    t.false(await queue.replace({ ...entry, source: 'new.md' }));
    await queue.ask(entry.id, 'retry');
    t.truthy(await attempted({ ...busy, statusCode: 404, final: true }));
    t.false(await queue.replace({ ...entry, source: 'new.md' }), 'also after it was sent again by hand');
  }
});

test('a publication that waits for its first attempt, or after a 4xx, gets the text of a corrected file', async (t) => {
  const { time, queue, entry, attempted } = await set(t);
  t.true(await queue.replace({ ...entry, source: 'second.md' }));
  const taken = await queue.take(entry.id);
  t.false(await queue.replace(entry), 'it is being sent');
  t.truthy(taken && (await queue.settle(taken, { ...busy, statusCode: 400 })));
  t.true(await queue.replace({ ...entry, source: 'third.md' }));
  t.is(queue.read(entry.id)?.source, 'third.md');
  time.now += MINUTE;
  t.truthy(await attempted(busy));
  t.false(await queue.replace({ ...entry, source: 'fourth.md' }));
});

test('a delivery that waits is sent at once, or not at all, when a person says so', async (t) => {
  const { queue, entry } = await set(t);
  const taken = await queue.take(entry.id);
  for (const asked of ['send', 'cancel'] as const) t.is(await queue.ask(entry.id, asked), undefined, asked);
  t.truthy(taken && (await queue.settle(taken, busy)));
  t.is(await queue.take(entry.id), undefined);
  t.is((await queue.ask(entry.id, 'send'))?.record.nextRetryAt, new Date(T0).toISOString());
  t.like((await queue.ask(entry.id, 'cancel'))?.record, {
    ...{ status: 'failed', attempts: 1, lastError: 'cancelled by hand', nextRetryAt: null },
  });
  t.is((await queue.ask(entry.id, 'retry'))?.record.status, 'pending');
});

test('the payload gets the moment of its first sending, and every later attempt sends the same, whatever a person does between', async (t) => {
  const { time, queue, entry } = await set(t);
  const payload = () => JSON.stringify(queue.read(entry.id)?.record.payload);
  /** Cancels and retries, and takes it an hour later. */
  const takenAnew = async () => {
    for (const asked of ['cancel', 'retry'] as const) t.truthy(await queue.ask(entry.id, asked), asked);
    time.now += 60 * MINUTE;
    return queue.take(entry.id);
  };
  const taken = await takenAnew();
  t.is(taken?.record.payload.timestamp, new Date(time.now).toISOString(), 'nothing was sent before');
  const first = payload();
  t.truthy(taken && (await queue.settle(taken, { ...busy, statusCode: 400, final: true })));
  t.truthy(await queue.ask(entry.id, 'retry'));
  const second = await takenAnew();
  t.is(payload(), first, 'after a 4xx, a retry, and a cancelled retry');
  t.truthy(second && (await queue.settle(second, { result: 'stopped', error: 'refused' })));
  t.truthy(await queue.ask(entry.id, 'retry'));
  t.truthy(await takenAnew());
  t.is(payload(), first, 'after an attempt that was stopped');
  time.now += 10 * MINUTE;
  await queue.due();
  t.truthy(await takenAnew());
  t.is(payload(), first, 'after an attempt that was cut off');
});
