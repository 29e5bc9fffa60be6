import fs from 'node:fs';
import type { ServerResponse } from 'node:http';
import test from 'ava';
import { findConnector, makeConnector, saveConnector } from '../../../src/sender/connectors.js';
import { type Answering, reply, startEndpoint } from '../../support/endpoint.js';
import { makeEntry, senderTo, T0 } from '../../support/sender.js';
import { signature } from '../../support/signer.js';
import { until } from '../../support/until.js';

// Not here: what `pressmark check-sender` proves over the wire (test/e2e/check-sender), how a worker is stopped
// (test/integration/cli/sender), and the pace (pauses, test/unit/sender/pace).

const MINUTE = 60_000;

test('articles that are sent at once state moments in the order in which they were queued, no two the same', async (t) => {
  const { endpoint, connector, queue, worker } = await senderTo(t, reply(200));
  const ids = Array.from({ length: 10 }, (_, n) => `a${n}`);
  await queue.add(ids.map((id, n) => makeEntry(connector, id, T0 - 10 + n)));
  await worker().sendDue();
  const sent = endpoint.got.map(({ body }) => JSON.parse(body.toString()));
  sent.sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
  t.deepEqual(
    sent.map(({ data }) => data.id),
    ids,
  );
  t.is(new Set(sent.map(({ timestamp }) => timestamp)).size, 10);
});

test('a wait is a minimum: what falls due between two ticks goes out with the next', async (t) => {
  let failing = true;
  const { add, clock, worker } = await senderTo(t, (got, response) =>
    reply(failing ? 503 : 200)(got, response),
  );
  const ended: number[] = [];
  const onAttempt = () => void ended.push((clock.now() - T0) / MINUTE);
  const waits = (count: number) =>
    until('the attempt ends, and the worker waits', () => clock.waiting() > 0 && ended.length === count);
  await add('a');
  void worker({ onAttempt }).run();
  await waits(1);
  // Half a minute later another one comes and fails too, so it is due between two ticks.
  clock.pass(MINUTE / 2);
  await add('b');
  await worker({ onAttempt }).sendDue();
  failing = false;
  clock.pass(MINUTE / 2);
  await waits(3);
  clock.pass(MINUTE);
  await waits(4);
  t.deepEqual(ended, [0, 0.5, 1, 2]);
});

test('a publish goes where it was queued for, signed with the secret that was issued for that address', async (t) => {
  const first = await senderTo(t, reply(200));
  const { state, connector, queue } = first;
  const second = await startEndpoint(t, reply(200));
  await queue.add([makeEntry(connector, 'a')]);
  const { name, url } = connector;
  const service = { name: 'Acme', comment: 'acme' };
  await saveConnector(
    state,
    makeConnector(state, { name, url: second.url, secret: 'of the second', service }),
  );
  await first.worker().sendDue();
  const [got] = first.endpoint.got;
  t.is(got?.headers['x-service-signature'], got && signature(got.body));
  t.deepEqual([first.endpoint.got.length, second.got.length], [1, 0]);

  const edited = findConnector(state, name);
  await queue.add(edited === undefined ? [] : [makeEntry(edited, 'b')]);
  await saveConnector(state, makeConnector(state, { name, url, secret: 'issued anew' }));
  await queue.add([makeEntry(connector, 'c')]);
  await first.worker().sendDue();
  t.is(second.got[0]?.headers['x-acme-signature'], signature(second.got[0]?.body ?? '', 'of the second'));
  const last = first.endpoint.got[1];
  t.is(
    last?.headers['x-acme-signature'],
    signature(last?.body ?? '', 'issued anew'),
    'the same address: the new secret',
  );
});

test('one receiver that hangs keeps no other receiver waiting, and the ticks go on', async (t) => {
  const hanging: ServerResponse[] = [];
  const { state, queue, clock, connector, worker } = await senderTo(t, (_got, response) =>
    hanging.push(response),
  );
  const good = await startEndpoint(t, reply(200));
  const other = { ...connector, name: 'other', url: good.url };
  await saveConnector(state, other);
  await queue.add(Array.from({ length: 10 }, (_, n) => makeEntry(connector, `hangs-${n}`)));
  await queue.add([makeEntry(other, 'a')]);
  const running = worker();
  void running.run();
  // Noted, too: minutes that pass until then would make the attempts that hang those of a dead worker.
  const isNoted = () => [...queue.list()].some(({ record }) => record.status === 'success');
  await until(
    'the other receiver gets its article, and as many as are sent at a time hang',
    () => isNoted() && clock.waiting() > 0 && hanging.length >= 8,
  );
  clock.pass(MINUTE);
  await queue.add([makeEntry(other, 'b', clock.now())]);
  await until('the other receiver gets its second article', () => {
    // Not with the next tick where the first article is still being noted as delivered.
    if (clock.waiting() > 0) clock.pass(MINUTE);
    return good.got.length === 2;
  });
  t.is(hanging.length, 8);
  const stopped = running.stop();
  for (const response of hanging) response.destroy();
  await stopped;
});

test('deliveries whose connector is gone wait for it, which the log says once; one whose file is broken fails the command, and the others go on', async (t) => {
  const { endpoint, state, connector, queue, worker, lines } = await senderTo(t, reply(200));
  const other = { ...connector, name: 'other' };
  await queue.add([makeEntry(connector, 'a'), makeEntry(other, 'b')]);
  const running = worker();
  await running.sendDue();
  await running.sendDue();
  t.is(endpoint.got.length, 1);
  const gone = 'there is no connector other; what was queued for it waits: 1';
  t.deepEqual(
    lines.map(({ msg }) => msg),
    [gone],
  );
  fs.writeFileSync(`${state.connectors}/other.json`, '{"secret":"do-not-tell"');
  await queue.add([makeEntry(connector, 'c')]);
  const error = await t.throwsAsync(running.sendDue(), { code: 'CONFIG_INVALID', message: /other\.json: / });
  t.notRegex(error?.message ?? '', /do-not-tell/);
  t.is(endpoint.got.length, 2);
  await saveConnector(state, other);
  await running.sendDue();
  t.is(endpoint.got.length, 3);
});

test('Retry-After: a receiver is left alone for so long, and no row of a delivery record says otherwise than before', async (t) => {
  let answer: Answering = reply(429, 'slowly', { 'retry-after': '3600' });
  const { endpoint, add, queue, clock, worker, lines } = await senderTo(t, (got, response) =>
    answer(got, response),
  );
  await add('a', 'b', 'c');
  await worker({ lanes: 1 }).sendDue();
  t.is(endpoint.got.length, 1);
  const records = [...queue.list()].map(({ record }) => record);
  t.deepEqual(records.map(({ attempts }) => attempts).sort(), [0, 0, 1]);
  t.is(
    records.find(({ attempts }) => attempts === 1)?.nextRetryAt,
    new Date(T0 + MINUTE).toISOString(),
    'its own wait is the one of the schedule',
  );
  t.regex(
    lines[0]?.msg ?? '',
    /asks for a pause until 2026-11-19T09:00:00\.000Z \(HTTP 429, Retry-After: 3600\)/,
  );
  answer = reply(200);
  clock.pass(30 * MINUTE);
  await worker().sendDue();
  t.is(endpoint.got.length, 1, 'another process honours it too');
  clock.pass(30 * MINUTE);
  await worker().sendDue();
  t.is(endpoint.got.length, 4);
});

test('410: nothing else goes to a receiver that is gone until the next attempt is due, each time later; one that is back gets everything', async (t) => {
  let answer: Answering = reply(410, 'no more');
  const { endpoint, add, queue, clock, worker } = await senderTo(t, (got, response) => answer(got, response));
  await add('a', 'b', 'c', 'd', 'e');
  const tick = async (minutes: number) => {
    clock.pass(minutes * MINUTE);
    await worker({ lanes: 1 }).sendDue();
    return endpoint.got.length;
  };
  t.deepEqual(
    [await tick(0), await tick(0.9), await tick(0.1), await tick(4), await tick(1)],
    [1, 1, 2, 2, 3],
  );
  t.true([...queue.list()].every(({ record }) => record.status === 'pending'));
  answer = reply(200);
  t.is(await tick(30), 3 + 5);
  t.true([...queue.list()].every(({ record }) => record.status === 'success'));
});
