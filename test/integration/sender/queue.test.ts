import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { Outcome } from '../../../src/sender/delivery/delivery.js';
import { connected, makeEntry, T0, testQueue } from '../../support/sender.js';

const MINUTE = 60_000;
const URL = 'https://r.example/hook';
const accepted: Outcome = { result: 'accepted', statusCode: 200, liveUrl: 'https://g.example/a/' };
const busy: Outcome = { result: 'refused', statusCode: 503, error: 'HTTP 503: busy', final: false };

test('a delivery is one file with the record, readable by its owner alone', async (t) => {
  const { state, connector } = await connected(t, URL);
  const queue = testQueue(t, state, () => T0);
  const entry = makeEntry(connector, 'a');
  t.deepEqual(await queue.add([entry]), new Set([entry.id]));
  const path = join(state.deliveries, `${entry.id}.json`);
  t.deepEqual(JSON.parse(fs.readFileSync(path, 'utf8')).record, entry.record);
  t.is(fs.statSync(path).mode & 0o777, 0o600);
  t.is(fs.statSync(state.folder).mode & 0o777, 0o700);
  t.is(fs.readFileSync(join(state.folder, '.gitignore'), 'utf8'), '*\n');
});

test('what is queued already is not queued again, whatever has become of it', async (t) => {
  const { state, connector } = await connected(t, URL);
  const queue = testQueue(t, state, () => T0);
  const entry = makeEntry(connector, 'a');
  const added = await Promise.all([queue.add([entry]), queue.add([entry])]);
  t.deepEqual(
    added.map(({ size }) => size),
    [1, 0],
  );
  const taken = await queue.take(entry.id);
  t.truthy(taken && (await queue.settle(taken, accepted)));
  t.is((await queue.add([entry])).size, 0);
  t.is(queue.read(entry.id)?.record.status, 'success');
  t.is(queue.read(entry.id)?.liveUrl, 'https://g.example/a/');
});

test('of many that want a delivery at once, in one process or in two, one gets it', async (t) => {
  const { state, connector } = await connected(t, URL);
  const queues = [1, 2, 3].map(() => testQueue(t, state, () => T0));
  const entries = Array.from({ length: 20 }, (_, n) => makeEntry(connector, `a${n}`));
  await queues[0]?.add(entries);
  const takes = entries.flatMap(({ id }) => [...queues, ...queues].map((queue) => queue.take(id)));
  const taken = (await Promise.all(takes)).filter((one) => one !== undefined);
  t.deepEqual(taken.map(({ id }) => id).sort(), entries.map(({ id }) => id).sort());
});

test('those that waited longest come first, and only those that are due', async (t) => {
  let now = T0;
  const { state, connector } = await connected(t, URL);
  const queue = testQueue(t, state, () => now);
  const ids: string[] = [];
  for (const [name, at] of [
    ['late', 3],
    ['early', 1],
    ['middle', 2],
    ['future', 60],
  ] as const) {
    const entry = makeEntry(connector, name, T0 + at * MINUTE);
    ids.push(entry.id);
    await queue.add([entry]);
  }
  now = T0 + 10 * MINUTE;
  const [late, early, middle] = ids;
  t.deepEqual(
    (await queue.due()).map(({ id }) => id),
    [early, middle, late],
  );
});

test('a delivery whose worker is gone is sent again after ten minutes; the old attempt then counts no more', async (t) => {
  let now = T0;
  const { state, connector } = await connected(t, URL);
  const [gone, other] = [testQueue(t, state, () => now), testQueue(t, state, () => now)];
  const { id, ...entry } = makeEntry(connector, 'a');
  await gone.add([{ id, ...entry }]);
  const lost = await gone.take(id);
  t.truthy(lost);
  now += 10 * MINUTE - 1;
  t.deepEqual(await other.due(), []);
  now += 1;
  t.is((await other.due()).length, 1);
  const taken = await other.take(id);
  t.deepEqual([taken?.record.attempts, taken?.record.payload], [2, lost?.record.payload]);
  // The first worker was only stopped for a while, and comes back with its answer.
  t.is(lost && (await gone.settle(lost, busy)), undefined);
  t.is(gone.read(id)?.record.status, 'sending');
  t.truthy(taken && (await other.settle(taken, accepted)));
  t.is(lost && (await gone.settle(lost, busy)), undefined);
  t.is(gone.read(id)?.record.status, 'success');
});

for (const [what, text] of [
  ['an empty file', ''],
  ['half a record', '{"connector":"garden","rec'],
  ['another JSON', '{"hello":1}'],
  ['a status that there is not', undefined],
] as const) {
  test(`${what} is skipped, reported and left as it is; the other deliveries go on`, async (t) => {
    const { state, connector } = await connected(t, URL);
    const queue = testQueue(t, state, () => T0);
    const [good, bad] = [makeEntry(connector, 'good'), makeEntry(connector, 'bad')];
    await queue.add([good, bad]);
    const path = join(state.deliveries, `${bad.id}.json`);
    const spoiled = text ?? fs.readFileSync(path, 'utf8').replace('"pending"', '"lost"');
    fs.writeFileSync(path, spoiled);
    const reopened = testQueue(t, state, () => T0);
    t.deepEqual(
      (await reopened.due()).map(({ id }) => id),
      [good.id],
    );
    t.deepEqual([...reopened.problems().keys()], [`${bad.id}.json`]);
    t.is((await reopened.add([bad])).size, 0, 'what it was cannot be known, so it is not written over');
    t.is(await reopened.take(bad.id), undefined);
    t.is(fs.readFileSync(path, 'utf8'), spoiled);
    t.is([...reopened.list()].length, 1);
  });
}

test('what a killed process left half-written is swept; what another program put there is not', async (t) => {
  const { state, connector } = await connected(t, URL);
  await testQueue(t, state, () => T0).add([makeEntry(connector, 'a')]);
  for (const name of ['.pressmark-abc-1.tmp', 'notes.txt', '.hidden.json'])
    fs.writeFileSync(join(state.deliveries, name), '{');
  const queue = testQueue(t, state, () => T0);
  const [due, ...more] = await queue.due();
  t.deepEqual(more, []);
  t.truthy(due && (await queue.take(due.id)));
  t.is(fs.readdirSync(state.deliveries).length, 3);
  t.false(fs.existsSync(join(state.deliveries, '.pressmark-abc-1.tmp')));
  t.is(queue.problems().size, 0);
});

for (const [what, first] of [
  ['a timeout', { ...busy, statusCode: null }],
  ['a 503', busy],
  ['an attempt that was cut off', undefined],
] as const)
  test(`after ${what}, a 4xx does not free the id for another text: the receiver may have stored the first one`, async (t) => {
    let now = T0;
    const { state, connector } = await connected(t, URL);
    const queue = testQueue(t, state, () => now);
    const entry = makeEntry(connector, 'a');
    await queue.add([entry]);
    const taken = await queue.take(entry.id);
    if (first !== undefined && taken !== undefined) await queue.settle(taken, first);
    now += 11 * 60_000;
    await queue.due();
    const again = await queue.take(entry.id);
    t.truthy(again && (await queue.settle(again, { ...busy, statusCode: 401, final: true })));
    t.false(await queue.replace({ ...entry, source: 'new.md' }));
    await queue.ask(entry.id, 'retry');
    const last = await queue.take(entry.id);
    t.truthy(last && (await queue.settle(last, { ...busy, statusCode: 404, final: true })));
    t.false(await queue.replace({ ...entry, source: 'new.md' }), 'also after it was sent again by hand');
  });

test('a publication that waits for its first attempt, or after a 4xx, gets the text of a corrected file', async (t) => {
  let now = T0;
  const { state, connector } = await connected(t, URL);
  const queue = testQueue(t, state, () => now);
  const entry = makeEntry(connector, 'a');
  await queue.add([entry]);
  t.true(await queue.replace({ ...entry, source: 'second.md' }));
  const taken = await queue.take(entry.id);
  t.false(await queue.replace(entry), 'it is being sent');
  t.truthy(taken && (await queue.settle(taken, { ...busy, statusCode: 400 })));
  t.is(queue.read(entry.id)?.record.status, 'pending');
  t.true(await queue.replace({ ...entry, source: 'third.md' }));
  t.is(queue.read(entry.id)?.source, 'third.md');
  now += 60_000;
  const again = await queue.take(entry.id);
  t.truthy(again && (await queue.settle(again, { ...busy, statusCode: 503 })));
  t.false(await queue.replace({ ...entry, source: 'fourth.md' }));
});

test('a delivery that waits is sent at once, or not at all, when a person says so', async (t) => {
  const { state, connector } = await connected(t, URL);
  const queue = testQueue(t, state, () => T0);
  const entry = makeEntry(connector, 'a');
  await queue.add([entry]);
  const taken = await queue.take(entry.id);
  t.is(await queue.ask(entry.id, 'send'), undefined);
  t.is(await queue.ask(entry.id, 'cancel'), undefined);
  t.truthy(taken && (await queue.settle(taken, busy)));
  t.is(await queue.take(entry.id), undefined);
  t.is((await queue.ask(entry.id, 'send'))?.record.nextRetryAt, new Date(T0).toISOString());
  const { status, attempts, lastError, nextRetryAt } = (await queue.ask(entry.id, 'cancel'))?.record ?? {};
  t.deepEqual([status, attempts, lastError, nextRetryAt], ['failed', 1, 'cancelled by hand', null]);
  t.is((await queue.ask(entry.id, 'retry'))?.record.status, 'pending');
});
