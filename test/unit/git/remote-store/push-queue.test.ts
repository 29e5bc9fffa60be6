import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { pino } from 'pino';
import { PressmarkError } from '../../../../src/errors.js';
import type { Pushed } from '../../../../src/git/push/remote.js';
import { createPushQueue, type QueuedWrite } from '../../../../src/git/remote-store/push-queue.js';
import { type VirtualClock, virtualClock } from '../../../support/virtual-clock.js';
import { elapse } from '../virtual-time.js';

const log = pino({ level: 'silent' });
const silence = () => new PressmarkError('REMOTE_UNAVAILABLE', 'the git remote did not answer');

/** A remote by hand, on a clock of its own: what it answers is taken from lists, the last answer again and again. */
function stage(answers: {
  push?: (Pushed['outcome'] | Error)[];
  fetch?: (boolean | Error)[];
  pushMs?: number;
}) {
  const clock = virtualClock(0);
  const did: string[] = [];
  /** When each exchange with the remote began. */
  const began: number[] = [];
  const next = <A>(list: A[] | undefined, otherwise: A): A =>
    (list !== undefined && list.length > 1 ? list.shift() : list?.[0]) ?? otherwise;
  const queue = createPushQueue<QueuedWrite & { name: string }>(
    {
      push: async (batch) => {
        did.push(`push ${batch.map(({ name }) => name).join('+')}`);
        began.push(clock.now());
        await setImmediate();
        if (answers.pushMs !== undefined) await clock.wait(answers.pushMs, new AbortController().signal);
        const answer = next(answers.push, 'accepted');
        if (answer instanceof Error) throw answer;
        return answer === 'declined' ? { outcome: answer, why: 'a rule' } : { outcome: answer };
      },
      fetch: async () => {
        did.push('fetch');
        await setImmediate();
        const answer = next(answers.fetch, false);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    log,
    clock,
  );
  const push = (name: string, over: Partial<QueuedWrite> = {}) =>
    queue.push({
      name,
      text: 'a text',
      deadline: 60_000,
      isCurrent: () => true,
      accepted: () => did.push(`accepted ${name}`),
      ...over,
    });
  /** What a promise comes to, and when. */
  const outcome = async (promise: Promise<void>) => {
    let code: string | undefined;
    void codeOf(promise).then((known) => {
      code = known;
    });
    await elapse(clock, 'whoever waits for the remote gets an answer', () => code !== undefined);
    return { code, ms: clock.now() };
  };
  return { queue, clock, did, began, push, outcome };
}

async function outcomes(clock: VirtualClock, promises: readonly Promise<void>[]): Promise<void> {
  let isOver = false;
  const all = Promise.all(promises).finally(() => {
    isOver = true;
  });
  await elapse(clock, 'all writes are accepted', () => isOver);
  await all;
}

const codeOf = (promise: Promise<void>) =>
  promise.then(
    () => 'ok',
    (error: unknown) => (error instanceof PressmarkError ? error.code : String(error)),
  );

test('writes that gather during a turn go into the next one together', async (t) => {
  const { did, push } = stage({});
  await Promise.all(['a', 'b', 'c'].map((name) => push(name)));
  t.deepEqual(did, ['push a', 'accepted a', 'push b+c', 'accepted b', 'accepted c']);
});

test('after a push of several writes, the next one waits for as many, for a moment', async (t) => {
  const { did, clock, push } = stage({});
  const names = ['b', 'c', 'd'];
  await Promise.all(['a', ...names].map((name) => push(name)));
  const again = names.map(async (name) => {
    await clock.wait(name === 'b' ? 1 : 20, new AbortController().signal);
    await push(`${name}2`);
  });
  await outcomes(clock, again);
  t.true(did.includes('push b2+c2+d2'), `${did}`);
  t.true(clock.now() < 100);
});

test('after a push of several writes, a single one waits for a moment only, and a lookup not at all', async (t) => {
  const alone = stage({});
  await Promise.all(['a', 'b', 'c'].map((name) => alone.push(name)));
  await outcomes(alone.clock, [alone.push('d')]);
  t.true(alone.did.includes('push d'));
  t.is(alone.clock.now(), 50);
  const lookup = stage({});
  await Promise.all(['a', 'b', 'c'].map((name) => lookup.push(name)));
  await lookup.queue.waitForFetch();
  t.is(lookup.clock.now(), 0);
});

test('all requests that wait for a fresh state share a fetch, but never one that began before them', async (t) => {
  const { did, queue } = stage({});
  const first = queue.waitForFetch();
  const others = [queue.waitForFetch(), queue.waitForFetch()];
  await first;
  t.deepEqual(did, ['fetch']);
  await Promise.all(others);
  t.deepEqual(did, ['fetch', 'fetch']);
});

test('an accepted push counts as a fetch', async (t) => {
  const { did, push, queue } = stage({});
  const running = queue.waitForFetch();
  await Promise.all([running, push('a'), queue.waitForFetch()]);
  t.deepEqual(did, ['fetch', 'push a', 'accepted a']);
});

test('where others were first, only the writes whose decisions no longer hold are outdated; the others are pushed again', async (t) => {
  const { did, push } = stage({ push: ['refused', 'accepted'], fetch: [true] });
  const outdated = push('a', { isCurrent: () => !did.includes('fetch') });
  const others = ['b', 'c'].map((name) => codeOf(push(name)));
  const error = await t.throwsAsync(outdated, { code: 'OUTDATED' });
  t.is(error?.cause, undefined, 'it was surely not stored');
  t.deepEqual(await Promise.all(others), ['ok', 'ok']);
  t.deepEqual(did, ['push a', 'fetch', 'push b+c', 'accepted b', 'accepted c']);
});

test('a write whose decision holds no longer when its turn comes is never pushed', async (t) => {
  const { did, push } = stage({});
  let isCurrent = true;
  const first = push('a', {
    accepted: () => {
      isCurrent = false;
    },
  });
  const second = codeOf(push('b', { isCurrent: () => isCurrent }));
  await first;
  t.is(await second, 'OUTDATED');
  t.deepEqual(did, ['push a']);
});

test('a write that is refused although nothing is new is pushed again', async (t) => {
  const { did, push, outcome } = stage({ push: ['refused', 'accepted'] });
  t.like(await outcome(push('a')), { code: 'ok' });
  t.deepEqual(did, ['push a', 'fetch', 'push a', 'accepted a']);
});

test('a push whose result is unknown is followed by a fetch', async (t) => {
  const landed = stage({ push: [silence(), 'accepted'], fetch: [true] });
  const isCurrent = () => !landed.did.includes('fetch');
  const error = await t.throwsAsync(landed.push('a', { isCurrent }), { instanceOf: PressmarkError });
  t.is(error?.code, 'OUTDATED', 'it may be what is new');
  t.truthy(error?.cause, 'and that is said');
  const lost = stage({ push: [silence(), silence(), 'accepted'], fetch: [silence(), false] });
  t.like(await lost.outcome(lost.push('a')), { code: 'ok' });
  t.deepEqual(lost.did, ['push a', 'fetch', 'push a', 'fetch', 'push a', 'accepted a']);
});

test('a write is tried again at most every 1.5 s until its deadline, and no push begins after that', async (t) => {
  const { push, queue, began, outcome } = stage({ push: [silence()], fetch: [silence()] });
  const { code, ms } = await outcome(push('a', { deadline: 8_000 }));
  t.is(code, 'REMOTE_UNAVAILABLE');
  t.true(ms > 8_000 && ms <= 9_600, `it ended after ${ms} ms`);
  t.true(began.length >= 6, `${began.length} pushes`);
  for (const [index, at] of began.entries())
    t.true(at <= 8_000 && at - (began[index - 1] ?? 0) <= 1_550, `pushes began at ${began} ms`);
  t.is(queue.lastFailure instanceof PressmarkError ? queue.lastFailure.code : '', 'REMOTE_UNAVAILABLE');
  await queue.close();
});

test('a request that waits for a fresh state gets an error after 10 s, also where a fetch never ends', async (t) => {
  const clock = virtualClock(0);
  const queue = createPushQueue(
    { push: async () => ({ outcome: 'accepted' }), fetch: () => new Promise(() => undefined) },
    log,
    clock,
  );
  let error: unknown;
  queue.waitForFetch().catch((reason: unknown) => {
    error = reason;
  });
  await elapse(clock, 'the wait for freshness ends', () => error !== undefined);
  t.is(clock.now(), 10_000);
  t.true(error instanceof PressmarkError && error.code === 'REMOTE_UNAVAILABLE');
});

test('the remote is no longer asked when all who waited have got their errors', async (t) => {
  const { clock, did, queue, outcome } = stage({ fetch: [silence()] });
  t.like(await outcome(queue.waitForFetch()), { code: 'REMOTE_UNAVAILABLE' });
  const later = clock.now() + 2_000;
  await elapse(clock, 'the turn under way ends', () => clock.now() > later);
  const fetches = did.length;
  await elapse(clock, 'a minute passes', () => clock.now() > later + 60_000);
  t.is(did.length, fetches);
  t.is(clock.waiting(), 0);
});

test('a write that the remote’s rules decline is refused alone; those that came with it are accepted', async (t) => {
  const { did, push } = stage({
    push: ['accepted', 'declined', 'accepted', 'declined', 'declined', 'accepted'],
  });
  const answers = await Promise.all(['first', 'good', 'bad', 'late'].map((name) => codeOf(push(name))));
  t.deepEqual(answers, ['ok', 'ok', 'REMOTE_DECLINED', 'ok']);
  t.true(did.includes('push good+bad+late'));
});

test('a stop ends the turn under way, and every request that waits gets an answer', async (t) => {
  const { push, queue } = stage({});
  const all = ['a', 'b'].map((name) => codeOf(push(name)));
  await queue.close();
  t.deepEqual(await Promise.all([...all, codeOf(queue.waitForFetch())]), [
    'ok',
    'REMOTE_UNAVAILABLE',
    'REMOTE_UNAVAILABLE',
  ]);
});
