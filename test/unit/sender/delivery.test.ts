import test from 'ava';
import {
  advance,
  type Delivery,
  type DeliveryEvent,
  leavesOpen,
  type Outcome,
  queued,
} from '../../../src/sender/delivery/delivery.js';
import type { Envelope } from '../../../src/sender/delivery/send-event.js';

const T0 = Date.parse('2026-11-19T08:00:00Z');
const MINUTE = 60_000;

const QUEUED = '2026-11-19T08:00:00.000Z';

const publish: Envelope = {
  event: 'article.published',
  timestamp: QUEUED,
  data: { id: 'a', title: 'A', published_at: QUEUED, json_ld: '' },
};
const update: Envelope = { ...publish, event: 'article.updated', contract_version: 2 };

const accepted: Outcome = { result: 'accepted', statusCode: 200, liveUrl: null };
const refused = (statusCode: number | null, error = 'no', final = false): Outcome => ({
  result: 'refused',
  statusCode,
  error,
  final,
});

/** The delivery after an event that must mean something to it. */
function after(delivery: Delivery, event: DeliveryEvent, now: number): Delivery {
  const next = advance(delivery, event, now);
  if (next === undefined) throw new Error(`${event.kind} means nothing to one that is ${delivery.status}`);
  return next;
}

const taken = (payload = publish, now = T0) =>
  after(queued('https://r.example/hook', payload, now), { kind: 'take' }, now);

test('a new delivery is pending and due at once', (t) => {
  t.deepEqual(queued('https://r.example/hook', publish, T0), {
    url: 'https://r.example/hook',
    status: 'pending',
    attempts: 0,
    lastStatusCode: null,
    lastError: null,
    nextRetryAt: '2026-11-19T08:00:00.000Z',
    payload: publish,
  });
});

test('a record has the columns of the contract and no others, in every state', (t) => {
  const columns = 'attempts lastError lastStatusCode nextRetryAt payload status url';
  const ended = (outcome: Outcome) => after(taken(), { kind: 'end', outcome }, T0);
  const failed = ended(refused(409, 'no', true));
  for (const one of [
    queued('https://r.example/hook', publish, T0),
    taken(),
    ended(accepted),
    ended(refused(500)),
    failed,
    after(failed, { kind: 'retry' }, T0),
  ])
    t.is(Object.keys(one).sort().join(' '), columns);
});

test('a pending delivery is taken up when it is due, not before', (t) => {
  const waiting = { ...queued('https://r.example/hook', publish, T0 + MINUTE) };
  t.is(advance(waiting, { kind: 'take' }, T0 + MINUTE - 1), undefined);
  t.is(advance(waiting, { kind: 'take' }, T0 + MINUTE)?.status, 'sending');
});

test('a delivery that has been sending for ten minutes is pending again and due at once, and the attempt is counted', (t) => {
  t.is(advance(taken(), { kind: 'tick' }, T0 + 10 * MINUTE - 1), undefined);
  const again = after(taken(), { kind: 'tick' }, T0 + 10 * MINUTE);
  t.deepEqual(
    [again.status, again.attempts, again.lastStatusCode, again.nextRetryAt],
    ['pending', 1, null, new Date(T0 + 10 * MINUTE).toISOString()],
  );
  t.regex(again.lastError ?? '', /cut off/);
  t.is(after(again, { kind: 'take' }, T0 + 10 * MINUTE).status, 'sending');
});

test('a delivery that succeeds after a failure keeps no error', (t) => {
  const once = after(taken(), { kind: 'end', outcome: refused(503, 'busy') }, T0);
  const again = after(once, { kind: 'take' }, T0 + MINUTE);
  const done = after(again, { kind: 'end', outcome: accepted }, T0 + MINUTE);
  t.deepEqual([done.attempts, done.lastStatusCode, done.lastError], [2, 200, null]);
});

for (const [what, statusCode] of [
  ['a 4xx', 400],
  ['a 409 to a publication', 409],
  ['a 5xx', 503],
  ['a timeout or connection error', null],
] as const) {
  test(`a delivery that ends with ${what} is tried again by the schedule, and its status and error are recorded`, (t) => {
    const failed = after(taken(), { kind: 'end', outcome: refused(statusCode, 'words') }, T0);
    t.deepEqual(
      [failed.status, failed.attempts, failed.lastStatusCode, failed.lastError, failed.nextRetryAt],
      ['pending', 1, statusCode, 'words', new Date(T0 + MINUTE).toISOString()],
    );
  });
}

test('a delivery has failed after six attempts, which are at least 1, 5, 30, 120 and 360 minutes apart', (t) => {
  let now = T0;
  let delivery = queued('https://r.example/hook', publish, now);
  for (const [n, wait] of [1, 5, 30, 120, 360, null].entries()) {
    delivery = after(delivery, { kind: 'take' }, now);
    now += 30_000; // each attempt takes until its timeout; the wait begins at its end
    delivery = after(delivery, { kind: 'end', outcome: refused(500, `attempt ${n + 1}`) }, now);
    t.is(delivery.attempts, n + 1);
    t.is(delivery.lastError, `attempt ${n + 1}`);
    if (wait === null) break;
    t.is(delivery.status, 'pending');
    t.is(delivery.nextRetryAt, new Date(now + wait * MINUTE).toISOString());
    t.is(advance(delivery, { kind: 'take' }, now + wait * MINUTE - 1), undefined);
    now += wait * MINUTE;
  }
  t.deepEqual([delivery.status, delivery.attempts, delivery.nextRetryAt], ['failed', 6, null]);
  for (const kind of ['take', 'tick'] as const)
    t.is(advance(delivery, { kind }, now + 365 * 24 * 60 * MINUTE), undefined);
});

test('a delivery whose attempts are all cut off has failed after the sixth: what ends its worker is not sent without end', (t) => {
  let now = T0;
  let delivery = taken();
  for (let n = 1; n < 6; n++) {
    t.deepEqual([delivery.status, delivery.attempts], ['sending', n]);
    now += 10 * MINUTE;
    delivery = after(after(delivery, { kind: 'tick' }, now), { kind: 'take' }, now);
  }
  const failed = after(delivery, { kind: 'tick' }, now + 10 * MINUTE);
  t.deepEqual([failed.status, failed.attempts, failed.nextRetryAt], ['failed', 6, null]);
  t.regex(failed.lastError ?? '', /cut off/);
});

test('a delivery fails at once when its refusal is final', (t) => {
  const failed = after(taken(update), { kind: 'end', outcome: refused(409, 'conflict', true) }, T0);
  t.deepEqual(
    [failed.status, failed.attempts, failed.lastStatusCode, failed.lastError, failed.nextRetryAt],
    ['failed', 1, 409, 'conflict', null],
  );
});

test('whether the receiver has stored the article is left open by all but a 4xx and what was not sent', (t) => {
  for (const [statusCode, isOpen] of [
    [400, false],
    [422, false],
    [301, true],
    [500, true],
    [503, true],
    [null, true],
  ] as const)
    t.is(leavesOpen({ kind: 'end', outcome: refused(statusCode) }), isOpen, String(statusCode));
  t.true(leavesOpen({ kind: 'tick' }));
  t.false(leavesOpen({ kind: 'end', outcome: { result: 'stopped', error: 'no' } }));
});

test('an outcome counts only while the delivery is being sent', (t) => {
  for (const delivery of [
    queued('https://r.example/hook', publish, T0),
    after(taken(), { kind: 'tick' }, T0 + 10 * MINUTE),
    after(taken(), { kind: 'end', outcome: accepted }, T0),
  ])
    t.is(advance(delivery, { kind: 'end', outcome: refused(500) }, T0 + 11 * MINUTE), undefined);
});

test('a failed delivery can be sent again, but a stale update and a delivery that has not failed cannot', (t) => {
  const failed = after(taken(), { kind: 'end', outcome: refused(413, 'too large', true) }, T0);
  const again = after(failed, { kind: 'retry' }, T0 + 5);
  t.deepEqual(
    [again.status, again.attempts, again.lastError, again.nextRetryAt],
    ['pending', 0, 'too large', new Date(T0 + 5).toISOString()],
  );
  const stale = after(taken(update), { kind: 'end', outcome: refused(409, 'conflict', true) }, T0);
  t.is(advance(stale, { kind: 'retry' }, T0), undefined);
  t.is(advance(taken(), { kind: 'retry' }, T0), undefined);
  t.is(advance(again, { kind: 'retry' }, T0), undefined);
});

const AT = T0 + 3 * 24 * 60 * MINUTE;
const SENT = new Date(AT).toISOString();

test('the payload gets the moment of its first sending, and every later attempt sends the same', (t) => {
  const json_ld = `<script>{"dateModified":"${QUEUED}","description":"of ${QUEUED}"}</script>`;
  const waiting = queued('https://r.example/hook', { ...publish, data: { ...publish.data, json_ld } }, T0);
  const first = after(waiting, { kind: 'take' }, AT);
  t.is(
    JSON.stringify(first.payload),
    JSON.stringify({
      event: 'article.published',
      timestamp: SENT,
      data: { id: 'a', title: 'A', published_at: SENT, json_ld: json_ld.replace(QUEUED, SENT) },
    }),
  );
  const later = AT + 60 * MINUTE;
  const cut = after(after(first, { kind: 'tick' }, later), { kind: 'take' }, later);
  const failed = after(first, { kind: 'end', outcome: refused(500, 'no', true) }, AT);
  const retried = after(after(failed, { kind: 'retry' }, later), { kind: 'take' }, later);
  for (const one of [cut, failed, retried]) {
    t.is(one.payload, first.payload);
    t.is(one.url, waiting.url);
  }
});

test('a delivery that was cancelled before anything was sent gets the moment of its first sending too', (t) => {
  const cancelled = after(queued('https://r.example/hook', publish, T0), { kind: 'cancel' }, T0);
  const first = after(after(cancelled, { kind: 'retry' }, AT), { kind: 'take' }, AT);
  t.deepEqual([first.payload.timestamp, first.payload.data.published_at], [SENT, SENT]);
});
