import fs from 'node:fs';
import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { findConnector, makeConnector, saveConnector } from '../../../src/sender/connectors.js';
import type { Entry } from '../../../src/sender/queue/entry.js';
import type { Attempted, WorkerOptions } from '../../../src/sender/queue/worker.js';
import { type Answering, reply, startEndpoint } from '../../support/endpoint.js';
import { makeEntry, senderTo, T0 } from '../../support/sender.js';
import { signature } from '../../support/signer.js';
import { until } from '../../support/until.js';

// What `pressmark check-sender` proves of the program over the wire (test/e2e/check-sender) is not proven again here.

const MINUTE = 60_000;

async function set(t: ExecutionContext, answer: Answering) {
  const sender = await senderTo(t, answer);
  const { queue, clock } = sender;
  /** Each attempt that ended, and the virtual minute at which it did. */
  const ended: { readonly minute: number; readonly attempted: Attempted }[] = [];
  const onAttempt = (attempted: Attempted) =>
    void ended.push({ minute: (clock.now() - T0) / MINUTE, attempted });

  /** Lets time pass, and waits until nobody is at work any more. */
  async function pass(ms: number): Promise<void> {
    clock.pass(ms);
    await until('every attempt that is due has ended', async () => {
      await turn();
      const entries = [...queue.list()];
      const attempts = entries.reduce((sum, { record }) => sum + record.attempts, 0);
      return clock.waiting() > 0 && attempts === ended.length && entries.every(isAtRest);
    });
  }

  const isAtRest = ({ record: { status, nextRetryAt } }: Entry) =>
    status !== 'sending' && (nextRetryAt === null || Date.parse(nextRetryAt) > clock.now());

  const worker = (over: Partial<WorkerOptions> = {}) => sender.worker({ onAttempt, ...over });
  return { ...sender, ended, worker, pass };
}

test('what is sent days after it was queued states the moment of sending, and a later attempt the same bytes', async (t) => {
  const { endpoint, connector, queue, clock, worker } = await set(t, reply(503));
  await queue.add([makeEntry(connector, 'a')]);
  clock.pass(3 * 24 * 60 * MINUTE);
  await worker().sendDue();
  const { timestamp, data } = JSON.parse(endpoint.got[0]?.body.toString() ?? '');
  t.deepEqual([timestamp, data.published_at], Array(2).fill(new Date(clock.now()).toISOString()));
  // The next attempt is cut off between its claim and its answer.
  clock.pass(MINUTE);
  const [due] = await queue.due();
  await queue.take(due?.id ?? '');
  clock.pass(10 * MINUTE);
  await worker().sendDue();
  t.deepEqual(endpoint.got[1]?.body, endpoint.got[0]?.body);
  t.is(queue.read(due?.id ?? '')?.record.attempts, 3);
});

test('articles that are sent at once state moments in the order in which they were queued, no two the same', async (t) => {
  const { endpoint, connector, queue, worker } = await set(t, reply(200));
  const ids = Array.from({ length: 30 }, (_, n) => `a${n}`);
  await queue.add(ids.map((id, n) => makeEntry(connector, id, T0 - 30 + n)));
  await worker().sendDue();
  const sent = endpoint.got.map(({ body }) => JSON.parse(body.toString()));
  sent.sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
  t.deepEqual(
    sent.map(({ data }) => data.id),
    ids,
  );
  t.is(new Set(sent.map(({ timestamp }) => timestamp)).size, 30);
});

test('a wait is a minimum: what falls due between two ticks goes out with the next', async (t) => {
  let failing = true;
  const { connector, queue, clock, ended, worker, pass } = await set(t, (got, response) =>
    reply(failing ? 503 : 200)(got, response),
  );
  await queue.add([makeEntry(connector, 'a')]);
  const running = worker();
  void running.run();
  await until(
    'the first attempt ends, and the worker waits',
    () => clock.waiting() > 0 && ended.length === 1,
  );
  // Half a minute later another one comes and fails too, so it is due between two ticks.
  clock.pass(MINUTE / 2);
  await queue.add([makeEntry(connector, 'b', clock.now())]);
  await worker().sendDue();
  failing = false;
  await pass(MINUTE / 2);
  await pass(MINUTE);
  t.deepEqual(
    ended.map(({ minute }) => minute),
    [0, 0.5, 1, 2],
  );
});

test('a publish goes where it was queued for, signed with the secret that was issued for that address', async (t) => {
  const first = await set(t, reply(200));
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
  const { state, queue, clock, connector, worker } = await set(t, (_got, response) => hanging.push(response));
  const good = await startEndpoint(t, reply(200));
  const other = { ...connector, name: 'other', url: good.url };
  await saveConnector(state, other);
  await queue.add(Array.from({ length: 30 }, (_, n) => makeEntry(connector, `hangs-${n}`)));
  await queue.add([makeEntry(other, 'a')]);
  const running = worker();
  void running.run();
  // Noted, too: minutes that pass until then would make the attempts that hang those of a dead worker.
  const isNoted = () => [...queue.list()].some(({ record }) => record.status === 'success');
  await until('the other receiver gets its article', () => isNoted() && clock.waiting() > 0);
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

test('at most so many attempts a second as were asked for', async (t) => {
  const { endpoint, connector, queue, clock, worker } = await set(t, reply(200));
  await queue.add(Array.from({ length: 5 }, (_, n) => makeEntry(connector, `a${n}`)));
  const sent = worker({ rate: 2 }).sendDue();
  for (let count = 1; count <= 5; count++) {
    await until(
      'the next attempt is sent when its turn has come',
      () => endpoint.got.length === count && clock.waiting() === 5 - count,
    );
    clock.pass(499);
    t.is(clock.waiting(), 5 - count, 'the others wait for their turns');
    clock.pass(1);
  }
  await sent;
});

test('a stopped worker ends what is under way and begins nothing else', async (t) => {
  let answer: (() => void) | undefined;
  const { endpoint, connector, queue, worker } = await set(t, (got, response) => {
    answer = () => reply(200)(got, response);
  });
  await queue.add([makeEntry(connector, 'a'), makeEntry(connector, 'b')]);
  const running = worker({ lanes: 1 });
  const sent = running.sendDue();
  await until('the first article is sent', () => answer !== undefined);
  const stopped = running.stop();
  answer?.();
  await Promise.all([sent, stopped]);
  t.is(endpoint.got.length, 1);
  t.deepEqual([...queue.list()].map(({ record }) => record.status).sort(), ['pending', 'success']);
});

test('deliveries whose connector is gone wait for it, and the log says so once', async (t) => {
  const { endpoint, state, connector, queue, worker, lines } = await set(t, reply(200));
  await queue.add([makeEntry(connector, 'a'), makeEntry({ ...connector, name: 'gone' }, 'b')]);
  const running = worker();
  await running.sendDue();
  await running.sendDue();
  t.is(endpoint.got.length, 1);
  t.deepEqual(
    lines.map(({ msg }) => msg),
    ['there is no connector gone; what was queued for it waits: 1'],
  );
  await saveConnector(state, { ...connector, name: 'gone' });
  await running.sendDue();
  t.is(endpoint.got.length, 2);
});

test('a connector whose file is broken fails the command that waits for it; the deliveries of others go on', async (t) => {
  const { endpoint, state, connector, queue, worker } = await set(t, reply(200));
  const other = { ...connector, name: 'other' };
  await saveConnector(state, other);
  await queue.add([makeEntry(connector, 'a'), makeEntry(other, 'b')]);
  const path = `${state.connectors}/other.json`;
  fs.writeFileSync(path, '{"secret":"do-not-tell"');
  const error = await t.throwsAsync(worker().sendDue(), { code: 'CONFIG_INVALID', message: /other\.json: / });
  t.notRegex(error?.message ?? '', /do-not-tell/);
  t.is(endpoint.got.length, 1);
  await saveConnector(state, other);
  await worker().sendDue();
  t.is(endpoint.got.length, 2);
});

test('Retry-After: a receiver is left alone for so long, and no row of a delivery record says otherwise than before', async (t) => {
  let answer: Answering = reply(429, 'slowly', { 'retry-after': '3600' });
  const { endpoint, connector, queue, clock, worker, lines } = await set(t, (got, response) =>
    answer(got, response),
  );
  await queue.add(['a', 'b', 'c'].map((id) => makeEntry(connector, id)));
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
    /wants to be left alone until 2026-11-19T09:00:00\.000Z \(HTTP 429, Retry-After: 3600\)/,
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
  const { endpoint, connector, queue, clock, worker } = await set(t, (got, response) =>
    answer(got, response),
  );
  await queue.add(Array.from({ length: 5 }, (_, n) => makeEntry(connector, `a${n}`)));
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
