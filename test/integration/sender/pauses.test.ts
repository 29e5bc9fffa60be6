import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { CAPABILITIES } from '../../../src/contract/limits.js';
import { PressmarkError } from '../../../src/errors.js';
import { pauseOf } from '../../../src/sender/pause.js';
import { type Answering, type Got, reply } from '../../support/endpoint.js';
import { senderTo, standing, T0 } from '../../support/sender.js';
import { until } from '../../support/until.js';

const HOUR = 3_600_000;
const URL = 'https://g.example/bees/';
const later = (status: number) => reply(status, 'later', { 'retry-after': '3600' });

async function set(t: ExecutionContext, answer: Answering) {
  const sender = await senderTo(t, answer);
  const { state, connector, clock } = sender;
  return {
    ...sender,
    pause: () => pauseOf(state, connector.url, clock.now()),
    refresh: (force = false) => sender.refresh(URL, force),
  };
}

test('a 429 pauses for the time that it states, and for a minute if it states none that is to come', async (t) => {
  for (const [said, ms] of [
    [undefined, 60_000],
    ['soon', 60_000],
    ['Thu, 19 Nov 2026 07:59:00 GMT', 60_000],
    ['Thu, 19 Nov 2026 09:00:00 GMT', HOUR],
    ['90', 90_000],
    ['999999999', 24 * HOUR],
    ['0', undefined],
  ] as const) {
    const headers = said === undefined ? {} : { 'retry-after': said };
    const { pause, add, worker } = await set(t, reply(429, 'later', headers));
    await add('a');
    await worker().sendDue();
    t.is(pause()?.until, ms === undefined ? ms : new Date(T0 + ms).toISOString(), said);
  }
});

test('a pause that cannot be stored is an error in words, after the outcome of the delivery is known', async (t) => {
  const { state, connector, queue, add, worker } = await set(t, later(429));
  fs.mkdirSync(join(state.pauses, `${hash('sha256', connector.url).slice(0, 16)}.json`));
  await add('a');
  const attempted: string[] = [];
  const { sendDue } = worker({ onAttempt: ({ entry }) => attempted.push(entry.record.status) });
  const error = await t.throwsAsync(sendDue(), { instanceOf: PressmarkError, code: 'QUEUE_FAILED' });
  t.regex(error?.message ?? '', /asks for a pause until 2026-11-19T09:00:00.000Z, which cannot be stored: /);
  t.deepEqual(attempted, ['pending']);
  t.is([...queue.list()][0]?.record.lastStatusCode, 429);
});

test('a pause is not ended by a success whose request was under way when it began', async (t) => {
  const first: (() => void)[] = [];
  let answer = later(429);
  const { endpoint, clock, pause, add, worker } = await set(t, (got, response) => {
    if (endpoint.got.length === 1) return first.push(() => void reply(200)(got, response));
    return answer(got, response);
  });
  await add('a', 'b', 'c');
  const sent = worker({ lanes: 2 }).sendDue();
  await until('the second request is answered with 429', () => pause() !== undefined);
  first[0]?.();
  await sent;
  t.is(endpoint.got.length, 2);
  t.is(pause()?.until, new Date(T0 + HOUR).toISOString());

  clock.pass(HOUR);
  answer = reply(200);
  await worker().sendDue();
  t.is(endpoint.got.length, 4);
});

test('a pause that begins while others wait for their turns keeps them', async (t) => {
  const { endpoint, clock, pause, add, worker } = await set(t, later(429));
  await add('a', 'b', 'c');
  const sent = worker({ lanes: 3, rate: 1 }).sendDue();
  await until('the first is answered, the others wait', () => pause() !== undefined && clock.waiting() === 2);
  let isOver = false;
  void sent.then(() => {
    isOver = true;
  });
  await until('the turns of the others come', () => {
    clock.pass(1000);
    return isOver;
  });
  t.is(endpoint.got.length, 1);
});

const tested = { received: true, contract_version: 3, capabilities: CAPABILITIES };
const target = { id: 'bees', url: URL, revision_id: 'r1', title: 'Bees', content_html: '<p>old</p>' };
const usual: Readonly<Record<string, Answering>> = {
  'webhook.test': reply(200, tested),
  'article.lookup': reply(200, { received: true, contract_version: 3, target }),
  'article.updated': reply(503),
};
const asUsual = ({ headers }: Got) => usual[String(headers['x-service-event'])];

test('a 429, 503 or 410 to the test or the lookup of a refresh pauses the receiver; force sends nothing to it', async (t) => {
  for (const [event, status] of [
    ['webhook.test', 429],
    ['article.lookup', 410],
  ] as const) {
    const { endpoint, pause, refresh } = await set(t, (got, response) =>
      (got.headers['x-service-event'] === event ? later(status) : asUsual(got))?.(got, response),
    );
    await t.throwsAsync(refresh(), { code: 'RECEIVER_REFUSED', message: /later/ });
    t.is(pause()?.why, `HTTP ${status}, Retry-After: 3600`);
    const { length } = endpoint.got;
    await t.throwsAsync(refresh(true), {
      message:
        /nothing is sent to the receiver until 2026-11-19T.* nothing was changed; pressmark connect ends that sooner$/,
    });
    t.is(endpoint.got.length, length);
  }
});

test('a 429 to the webhook.test before a retry pauses the receiver, and is no status of the update', async (t) => {
  let busy = false;
  const { clock, queue, pause, refresh, worker } = await set(t, (got, response) =>
    (busy ? later(429) : asUsual(got))?.(got, response),
  );
  const { id } = await refresh();
  busy = true;
  clock.pass(60_000);
  await worker().sendDue();
  const entry = queue.read(id);
  t.deepEqual(entry && standing(entry), ['pending', 2, null, 'webhook.test: HTTP 429: later']);
  t.is(pause()?.why, 'HTTP 429, Retry-After: 3600');
});
