import test from 'ava';
import {
  advance,
  type Delivery,
  type DeliveryEvent,
  leavesOpen,
  type Outcome,
  queued,
  sentFirstAt,
} from '../../../src/sender/delivery/delivery.js';
import type { Envelope } from '../../../src/sender/delivery/send-event.js';

// Every row of the contract's "States and transitions", with a virtual clock.

const T0 = Date.parse('2026-11-19T08:00:00Z');
const MINUTE = 60_000;
const at = (minutes: number) => new Date(T0 + minutes * MINUTE).toISOString();

const publish: Envelope = {
  event: 'article.published',
  timestamp: at(0),
  data: { id: 'a', title: 'A', published_at: at(0), json_ld: '' },
};
const update: Envelope = { ...publish, event: 'article.updated', contract_version: 2 };

const accepted: Outcome = { result: 'accepted', statusCode: 200, liveUrl: null };
const refused = (statusCode: number | null, error = 'no', final = false): Outcome => ({
  ...{ result: 'refused', statusCode, error, final },
});
const TAKE = { kind: 'take' } as const;
const TICK = { kind: 'tick' } as const;
const RETRY = { kind: 'retry' } as const;
const end = (outcome: Outcome): DeliveryEvent => ({ kind: 'end', outcome });

/** The delivery after an event that must mean something to it. */
function after(delivery: Delivery, event: DeliveryEvent, minutes: number): Delivery {
  const next = advance(delivery, event, T0 + minutes * MINUTE);
  if (next === undefined) throw new Error(`${event.kind} means nothing to one that is ${delivery.status}`);
  return next;
}

const waiting = (payload = publish) => queued('https://r.example/hook', payload, T0);
const taken = (payload = publish) => after(waiting(payload), TAKE, 0);
const ended = (outcome: Outcome, payload = publish) => after(taken(payload), end(outcome), 0);
const columns = ({ status, attempts, lastStatusCode, lastError, nextRetryAt }: Delivery) =>
  [status, attempts, lastStatusCode, lastError, nextRetryAt] as const;

test('a record has the columns of the contract and no others; a new one is pending and due at once', (t) => {
  const { url, payload, ...rest } = waiting();
  t.deepEqual([url, payload], ['https://r.example/hook', publish]);
  const fresh = { status: 'pending', attempts: 0, lastStatusCode: null, lastError: null, nextRetryAt: at(0) };
  t.deepEqual(rest, fresh as typeof rest);
  const failed = ended(refused(409, 'no', true));
  for (const one of [taken(), ended(accepted), ended(refused(500)), failed, after(failed, RETRY, 0)])
    t.deepEqual(Object.keys(one).sort(), Object.keys(waiting()).sort());
});

test('a pending delivery is taken up when it is due, not before', (t) => {
  const later = { ...waiting(), nextRetryAt: at(1) };
  t.is(advance(later, TAKE, T0 + MINUTE - 1), undefined);
  t.is(after(later, TAKE, 1).status, 'sending');
});

test('a delivery that has been sending for ten minutes is pending again and due at once, and the attempt is counted', (t) => {
  t.is(advance(taken(), TICK, T0 + 10 * MINUTE - 1), undefined);
  const again = after(taken(), TICK, 10);
  t.deepEqual(columns(again), ['pending', 1, null, again.lastError, at(10)]);
  t.regex(again.lastError ?? '', /cut off/);
  t.is(after(again, TAKE, 10).status, 'sending');
});

test('a delivery that fails is tried again by the schedule, its status and error are recorded, and a success ends both', (t) => {
  for (const statusCode of [400, 409, 503, null])
    t.deepEqual(columns(ended(refused(statusCode, 'words'))), ['pending', 1, statusCode, 'words', at(1)]);
  const again = after(ended(refused(503)), TAKE, 1);
  t.deepEqual(columns(after(again, end(accepted), 1)), ['success', 2, 200, null, null]);
});

test('a delivery has failed after six attempts, which are at least 1, 5, 30, 120 and 360 minutes apart', (t) => {
  let now = 0;
  let delivery = waiting();
  for (const [n, wait] of [1, 5, 30, 120, 360, null].entries()) {
    delivery = after(delivery, TAKE, now);
    now += 0.5; // each attempt takes until its timeout; the wait begins at its end
    delivery = after(delivery, end(refused(500, `attempt ${n + 1}`)), now);
    const status = wait === null ? 'failed' : 'pending';
    const next = wait === null ? null : at(now + wait);
    t.deepEqual(columns(delivery), [status, n + 1, 500, `attempt ${n + 1}`, next]);
    now += wait ?? 365 * 24 * 60;
    t.is(advance(delivery, TAKE, T0 + now * MINUTE - 1), undefined);
  }
  for (const event of [TAKE, TICK]) t.is(advance(delivery, event, T0 + now * MINUTE), undefined);
});

test('a delivery whose attempts are all cut off has failed after the sixth: what ends its worker is not sent without end', (t) => {
  let now = 0;
  let delivery = taken();
  for (let n = 1; n < 6; n++) {
    t.deepEqual([delivery.status, delivery.attempts], ['sending', n]);
    now += 10;
    delivery = after(after(delivery, TICK, now), TAKE, now);
  }
  const failed = after(delivery, TICK, now + 10);
  t.deepEqual([failed.status, failed.attempts, failed.nextRetryAt], ['failed', 6, null]);
});

test('a delivery fails at once when its refusal is final', (t) => {
  const conflict = ended(refused(409, 'conflict', true), update);
  t.deepEqual(columns(conflict), ['failed', 1, 409, 'conflict', null]);
});

test('whether the receiver has stored the article is left open by all but a 4xx and what was not sent', (t) => {
  for (const [statusCode, isOpen] of [
    [399, true],
    [400, false],
    [499, false],
    [500, true],
    [null, true],
  ] as const)
    t.is(leavesOpen(end(refused(statusCode))), isOpen, String(statusCode));
  t.true(leavesOpen(TICK));
  t.false(leavesOpen(end({ result: 'stopped', error: 'no' })));
});

test('an outcome counts only while the delivery is being sent', (t) => {
  for (const delivery of [waiting(), after(taken(), TICK, 10), ended(accepted)])
    t.is(advance(delivery, end(refused(500)), T0 + 11 * MINUTE), undefined);
});

test('a failed delivery can be sent again, but a stale update and a delivery that has not failed cannot', (t) => {
  const again = after(ended(refused(413, 'too large', true)), RETRY, 5);
  t.deepEqual(columns(again), ['pending', 0, 413, 'too large', at(5)]);
  for (const one of [ended(refused(409, 'conflict', true), update), taken(), again])
    t.is(advance(one, RETRY, T0), undefined);
});

test('a payload gets the moment of its first sending', (t) => {
  const sent = 3 * 24 * 60;
  const script = (moment: string) =>
    `<script>{"dateModified":"${moment}","description":"of ${at(0)}"}</script>`;
  const queuedThen = { ...publish, data: { ...publish.data, json_ld: script(at(0)) } };
  t.deepEqual(sentFirstAt(queuedThen, T0 + sent * MINUTE), {
    event: 'article.published',
    timestamp: at(sent),
    data: { id: 'a', title: 'A', published_at: at(sent), json_ld: script(at(sent)) },
  });
});
