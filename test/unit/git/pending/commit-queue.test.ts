import test from 'ava';
import { pino } from 'pino';
import { createQueue } from '../../../../src/git/pending/commit-queue.js';
import type { QueueWork } from '../../../../src/git/pending/queue-work.js';
import type { Waiting } from '../../../../src/git/pending/waiting.js';
import { virtualClock } from '../../../support/virtual-clock.js';
import { elapse } from '../virtual-time.js';

const log = pino({ level: 'silent' });
const change = (path: string, text = 'x'): Waiting => ({
  path,
  kind: 'Publish',
  text,
  revision: 'r',
  message: Promise.resolve('m'),
  before: undefined,
});

/** A queue whose batches are written down, on a clock of its own. */
function record(work: Partial<QueueWork> = {}, maxHeldText = 1_000) {
  const clock = virtualClock(0);
  const batches: Waiting[][] = [];
  const queue = createQueue(
    {
      look: async () => ({ head: { ref: 'refs/heads/main', tip: 'tip' }, parked: false }),
      commit: async (batch) => {
        batches.push([...batch]);
        return undefined;
      },
      park: async () => undefined,
      replay: async () => undefined,
      recover: async () => [],
      ...work,
    },
    log,
    maxHeldText,
    clock,
  );
  const soon = (expected: string, holds: () => boolean) => elapse(clock, expected, holds);
  return { queue, batches, clock, soon };
}

test('a burst becomes one batch, at most 200 commits long, in order', async (t) => {
  const { queue, batches } = record();
  for (let index = 0; index < 450; index++) queue.add(change(`${index}`));
  t.is(await queue.close(), 0);
  t.deepEqual(
    batches.map((batch) => batch.length),
    [200, 200, 50],
  );
  t.deepEqual(
    batches.flat().map(({ path }) => path),
    Array.from({ length: 450 }, (_, index) => `${index}`),
  );
  t.true(batches.flat().every(({ before }) => before === 'tip'));
});

test('texts beyond the limit are not held in memory', async (t) => {
  const { queue, batches } = record({}, 5);
  for (const path of ['a', 'b', 'c']) queue.add(change(path, 'xx'));
  await queue.close();
  t.deepEqual(
    batches.flat().map(({ text }) => text),
    ['xx', 'xx', undefined],
  );
});

test('an edit that has lain still just before an update replaces it is committed once, before the update', async (t) => {
  const { queue, batches } = record();
  const edit = (): Waiting => ({ ...change('a'), kind: 'Edit', text: undefined });
  queue.addReplaced({ path: 'a', saved: 'the edit', before: 'tip' });
  queue.add(edit());
  queue.add({ ...change('a'), kind: 'Update' });
  queue.add(edit()); // made after the update
  await queue.close();
  t.deepEqual(
    batches.flat().map(({ kind, saved, text }) => [kind, saved, text]),
    [
      ['Update', 'the edit', undefined],
      ['Update', undefined, 'x'],
      ['Edit', undefined, undefined],
    ],
  );
});

test('a commit that fails does not keep the others waiting, and is tried again', async (t) => {
  let broken = true;
  const done: string[] = [];
  const { queue, soon } = record({
    async commit(batch) {
      if (broken && batch.some(({ path }) => path === 'bad')) throw new Error('no');
      done.push(...batch.map(({ path }) => path));
      return undefined;
    },
  });
  for (const path of ['bad', 'a', 'b']) queue.add(change(path));
  await soon('the other two are committed', () => done.length === 2);
  t.deepEqual(done, ['a', 'b']);
  broken = false;
  await soon('the third is committed', () => done.length === 3);
  t.deepEqual(done, ['a', 'b', 'bad']);
  t.is(await queue.close(), 0);
});

test('deliveries are parked while there is no branch, and are committed first when there is one', async (t) => {
  let isDetached = true;
  const done: string[] = [];
  const { queue, batches, soon } = record({
    look: async () => ({
      head: isDetached ? { waitingFor: 'a rebase to end', tip: 'tip' } : { ref: 'r', tip: 'tip' },
      parked: done.some((name) => name.startsWith('parked')) && !done.includes('replayed'),
    }),
    async park(batch) {
      done.push(...batch.map(({ path }) => `parked ${path}`));
    },
    async replay() {
      done.push('replayed');
      return undefined;
    },
  });
  queue.add(change('a'));
  queue.add({ ...change('edit'), kind: 'Edit', text: undefined });
  queue.add(change('b'));
  await soon('two deliveries are parked', () => done.length === 2);
  queue.add(change('c'));
  await soon('the third delivery is parked', () => done.length === 3);
  t.deepEqual([batches, done], [[], ['parked a', 'parked b', 'parked c']]);
  isDetached = false;
  await soon('the edit is committed', () => batches.length === 1);
  await queue.close();
  t.is(done.at(-1), 'replayed');
  t.deepEqual(
    batches.flat().map(({ path }) => path),
    ['edit'],
  );
});

test('commits that cannot be parked wait, and a stop counts them', async (t) => {
  let attempts = 0;
  const { queue, batches, soon } = record({
    look: async () => ({ head: { waitingFor: 'a rebase to end', tip: 'tip' }, parked: false }),
    async park() {
      attempts++;
      throw new Error('no');
    },
  });
  queue.add(change('a'));
  queue.add(change('b'));
  await soon('parking is tried again', () => attempts >= 2);
  t.is(await queue.close(), 2);
  t.deepEqual(batches, []);
});

test('where the parked commits are gone, the articles are compared with the branch again', async (t) => {
  let isThere = true;
  let looks = 0;
  const { queue, soon } = record({
    look: async () => ({ head: { ref: 'r', tip: 'tip' }, parked: isThere }),
    async replay() {
      isThere = false;
      return 'lost';
    },
    async recover() {
      looks++;
      return [];
    },
  });
  queue.add(change('a'));
  await soon('the articles are compared with the branch', () => looks === 1);
  t.is(await queue.close(), 0);
});

test('a failed start-up check does not hold back deliveries, and the changes that a check finds are committed before them', async (t) => {
  const failing = record({
    async recover() {
      throw new Error('no');
    },
  });
  failing.queue.recover();
  failing.queue.add(change('a'));
  await failing.soon('the delivery is committed', () => failing.batches.length === 1);
  await failing.queue.close();

  const many = Array.from({ length: 150_000 }, (_, index) => change(`old-${index}`));
  const finding = record({ recover: async () => [...many, change('new')] });
  finding.queue.recover();
  finding.queue.add(change('new'));
  await finding.queue.close();
  const paths = finding.batches.flat().map(({ path }) => path);
  t.is(paths.length, 150_001);
  t.is(paths.indexOf('new'), 150_000);
});

test('a change that comes while a batch gathers is given the commit that HEAD was at, too', async (t) => {
  const { queue, batches, clock, soon } = record();
  queue.add(change('a'));
  await soon('the batch gathers', () => clock.waiting() > 0);
  t.deepEqual(batches, []);
  queue.add(change('b'));
  await soon('the batch is committed', () => batches.length > 0);
  t.deepEqual(
    batches.map((batch) => batch.map(({ path, before }) => `${path} ${before}`)),
    [['a tip', 'b tip']],
  );
});

test('a batch gathers for at most 300 ms, however fast changes come', async (t) => {
  const { queue, batches, clock, soon } = record();
  await soon('a batch is committed while changes still come', () => {
    queue.add(change('a'));
    return batches.length > 0;
  });
  t.true(clock.now() >= 300 && clock.now() <= 400, `after ${clock.now()} ms`);
  await queue.close();
});

test('a start-up check that has failed is made again after a minute, but not after the end', async (t) => {
  let checks = 0;
  const recover = async () => {
    checks++;
    throw new Error('git fails');
  };
  const { queue, soon, clock } = record({ recover });
  queue.recover();
  await soon('the check is made again', () => checks === 2);
  await queue.close();
  const end = clock.now();
  await soon('some minutes pass', () => clock.now() > end + 300_000);
  t.is(checks, 2);
  t.is(clock.waiting(), 0);
});
