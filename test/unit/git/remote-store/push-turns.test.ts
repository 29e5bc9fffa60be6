import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { pino } from 'pino';
import { PressmarkError } from '../../../../src/errors.js';
import type { Pushed } from '../../../../src/git/push/remote.js';
import { createTurns, type Offer } from '../../../../src/git/remote-store/push-turns.js';
import { virtualClock } from '../../../support/virtual-clock.js';
import { elapse } from '../virtual-time.js';

const log = pino({ level: 'silent' });
const silence = () => new PressmarkError('REMOTE_UNAVAILABLE', 'the git remote did not answer');

/** A remote by hand, on a clock of its own: what it answers is taken from lists, the last answer again and again. */
function stage(answers: { push?: (Pushed['outcome'] | Error)[]; look?: (boolean | Error)[] }) {
  const clock = virtualClock(0);
  const did: string[] = [];
  /** When each exchange with the remote began. */
  const began: number[] = [];
  const next = <A>(list: A[] | undefined, otherwise: A): A =>
    (list !== undefined && list.length > 1 ? list.shift() : list?.[0]) ?? otherwise;
  const turns = createTurns<Offer & { name: string }>(
    {
      push: async (batch) => {
        did.push(`push ${batch.map(({ name }) => name).join('+')}`);
        began.push(clock.now());
        await setImmediate();
        const answer = next(answers.push, 'accepted');
        if (answer instanceof Error) throw answer;
        return answer === 'declined' ? { outcome: answer, why: 'a rule' } : { outcome: answer };
      },
      look: async () => {
        did.push('look');
        await setImmediate();
        const answer = next(answers.look, false);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    log,
    clock,
  );
  const offer = (name: string, over: Partial<Offer> = {}) =>
    turns.offer({
      name,
      generation: turns.generation,
      deadline: 60_000,
      size: 10,
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
  return { turns, clock, did, began, offer, outcome };
}

const codeOf = (promise: Promise<void>) =>
  promise.then(
    () => 'ok',
    (error: unknown) => (error instanceof PressmarkError ? error.code : String(error)),
  );

test('offers that gather during a turn go into the next one together', async (t) => {
  const { did, offer } = stage({});
  await Promise.all(['a', 'b', 'c'].map((name) => offer(name)));
  t.deepEqual(did, ['push a', 'accepted a', 'push b+c', 'accepted b', 'accepted c']);
});

test('all requests that wait for a fresh state share a look at the remote, but never one that began before them', async (t) => {
  const { did, turns } = stage({});
  const first = turns.fresh();
  const others = [turns.fresh(), turns.fresh()];
  await first;
  t.deepEqual(did, ['look']);
  await Promise.all(others);
  t.deepEqual(did, ['look', 'look']);
});

test('an accepted push counts as a look at the remote', async (t) => {
  const { did, offer, turns } = stage({});
  const running = turns.fresh();
  await Promise.all([running, offer('a'), turns.fresh()]);
  t.deepEqual(did, ['look', 'push a', 'accepted a']);
});

test('where others were first, every offer that was decided upon before is outdated', async (t) => {
  const { did, offer, turns } = stage({ push: ['refused', 'accepted'], look: [true] });
  t.deepEqual(await Promise.all([codeOf(offer('a')), codeOf(offer('b'))]), ['OUTDATED', 'OUTDATED']);
  t.is(turns.generation, 1);
  t.is((await t.throwsAsync(offer('late', { generation: 0 })))?.cause, undefined, 'it was surely not stored');
  t.is(await codeOf(offer('a')), 'ok');
  t.deepEqual(did, ['push a', 'look', 'push a', 'accepted a']);
});

test('an offer that is refused although nothing is new is pushed again', async (t) => {
  const { did, offer, outcome } = stage({ push: ['refused', 'accepted'] });
  t.like(await outcome(offer('a')), { code: 'ok' });
  t.deepEqual(did, ['push a', 'look', 'push a', 'accepted a']);
});

test('a push whose result is unknown is followed by a look at the remote', async (t) => {
  const landed = stage({ push: [silence(), 'accepted'], look: [true] });
  const error = await t.throwsAsync(landed.offer('a'), { instanceOf: PressmarkError });
  t.is(error?.code, 'OUTDATED', 'it may be what is new');
  t.truthy(error?.cause, 'and that is said');
  const lost = stage({ push: [silence(), silence(), 'accepted'], look: [silence(), false] });
  t.like(await lost.outcome(lost.offer('a')), { code: 'ok' });
  t.deepEqual(lost.did, ['push a', 'look', 'push a', 'look', 'push a', 'accepted a']);
});

test('an offer is tried again at most every 1.5 s until its deadline, and no push begins after that', async (t) => {
  const { offer, turns, began, outcome } = stage({ push: [silence()], look: [silence()] });
  const { code, ms } = await outcome(offer('a', { deadline: 8_000 }));
  t.is(code, 'REMOTE_UNAVAILABLE');
  t.true(ms > 8_000 && ms <= 9_600, `it ended after ${ms} ms`);
  t.true(began.length >= 6, `${began.length} pushes`);
  for (const [index, at] of began.entries())
    t.true(at <= 8_000 && at - (began[index - 1] ?? 0) <= 1_550, `pushes began at ${began} ms`);
  t.is(turns.trouble instanceof PressmarkError ? turns.trouble.code : '', 'REMOTE_UNAVAILABLE');
  await turns.close();
});

test('a request that waits for a fresh state gets an error after 10 s, also where a look never ends', async (t) => {
  const clock = virtualClock(0);
  const turns = createTurns(
    { push: async () => ({ outcome: 'accepted' }), look: () => new Promise(() => undefined) },
    log,
    clock,
  );
  let error: unknown;
  turns.fresh().catch((reason: unknown) => {
    error = reason;
  });
  await elapse(clock, 'the wait for freshness ends', () => error !== undefined);
  t.is(clock.now(), 10_000);
  t.true(error instanceof PressmarkError && error.code === 'REMOTE_UNAVAILABLE');
});

test('nobody asks the remote any more when all who waited have been told that their time is up', async (t) => {
  const { clock, did, turns, outcome } = stage({ look: [silence()] });
  t.like(await outcome(turns.fresh()), { code: 'REMOTE_UNAVAILABLE' });
  const later = clock.now() + 2_000;
  await elapse(clock, 'the turn under way ends', () => clock.now() > later);
  const looks = did.length;
  await elapse(clock, 'a minute passes', () => clock.now() > later + 60_000);
  t.is(did.length, looks);
  t.is(clock.waiting(), 0);
});

test('an offer that the remote’s rules decline is refused alone; those that came with it are accepted', async (t) => {
  const { did, offer } = stage({
    push: ['accepted', 'declined', 'accepted', 'declined', 'declined', 'accepted'],
  });
  const answers = await Promise.all(['first', 'good', 'bad', 'late'].map((name) => codeOf(offer(name))));
  t.deepEqual(answers, ['ok', 'ok', 'REMOTE_DECLINED', 'ok']);
  t.true(did.includes('push good+bad+late'));
});

test('a stop ends the turn under way, and every request that waits gets an answer', async (t) => {
  const { offer, turns } = stage({});
  const all = ['a', 'b'].map((name) => codeOf(offer(name)));
  await turns.close();
  t.deepEqual(await Promise.all([...all, codeOf(turns.fresh())]), [
    'ok',
    'REMOTE_UNAVAILABLE',
    'REMOTE_UNAVAILABLE',
  ]);
});
