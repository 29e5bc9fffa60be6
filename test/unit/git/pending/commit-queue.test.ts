import test from 'ava';
import { pino } from 'pino';
import { createQueue, type QueueWork } from '../../../../src/git/pending/commit-queue.js';
import type { BatchEntry } from '../../../../src/git/pending/drafting.js';
import type { Outcome, PendingCommit } from '../../../../src/git/pending/pending-commit.js';
import { virtualClock } from '../../../support/virtual-clock.js';
import { elapse } from '../virtual-time.js';

const log = pino({ level: 'silent' });
const delivered = (path: string): PendingCommit => ({
  path,
  cause: { kind: 'delivered', commit: 'Publish', blob: path, message: Promise.resolve('m') },
});
const found = (path: string): PendingCommit => ({ path, cause: { kind: 'found' } });

const BRANCH = { kind: 'branch', ref: 'refs/heads/main', tip: 'tip' } as const;
const REBASE = { kind: 'not now', waitingFor: 'a rebase to end', tip: 'tip' } as const;
const SOON = { isReplaced: true, limitMs: 2_000 };

const outcomesOf = (batch: readonly BatchEntry[], kind: 'committed' | 'parked') =>
  new Map<string, Outcome>(batch.map(({ path }) => [path, { kind, blob: path }]));

/** A queue whose batches are written down, on a clock of its own. */
function record(work: Partial<QueueWork> = {}) {
  const clock = virtualClock(0);
  const batches: BatchEntry[][] = [];
  const queue = createQueue(
    {
      readPosition: async () => ({ head: BRANCH, isParked: false }),
      async commit(batch) {
        batches.push([...batch]);
        return { kind: 'done', outcomes: outcomesOf(batch, 'committed') };
      },
      park: async (batch) => outcomesOf(batch, 'parked'),
      replay: async () => ({ kind: 'done' }),
      reconcile: async () => ({ kind: 'found', paths: [] }),
      ...work,
    },
    log,
    clock,
  );
  const soon = (expected: string, holds: () => boolean) => elapse(clock, expected, holds);
  const paths = () => batches.flat().map(({ path }) => path);
  return { queue, batches, paths, clock, soon };
}

test('a burst becomes one batch, at most 200 commits long, in order', async (t) => {
  const { queue, batches, paths } = record();
  for (let index = 0; index < 450; index++) queue.add(delivered(`${index}`));
  t.is((await queue.close()).files, 0);
  t.deepEqual(
    batches.map((batch) => batch.length),
    [200, 200, 50],
  );
  t.deepEqual(
    paths(),
    Array.from({ length: 450 }, (_, index) => `${index}`),
  );
});

test('a file that comes twice is committed once, as it was delivered', async (t) => {
  const { queue, batches } = record();
  queue.add(found('a'));
  queue.add(delivered('a'));
  queue.add(found('a'));
  await queue.close();
  t.deepEqual(
    batches.flat().map(({ path, cause }) => [path, cause.kind]),
    [['a', 'delivered']],
  );
});

test('a commit that fails does not keep the others waiting, and is tried again', async (t) => {
  let broken = true;
  const done: string[] = [];
  const { queue, soon } = record({
    async commit(batch) {
      if (broken && batch.some(({ path }) => path === 'bad')) throw new Error('no');
      done.push(...batch.map(({ path }) => path));
      return { kind: 'done', outcomes: outcomesOf(batch, 'committed') };
    },
  });
  for (const path of ['bad', 'a', 'b']) queue.add(delivered(path));
  await soon('the other two are committed', () => done.length === 2);
  t.deepEqual(done, ['a', 'b']);
  broken = false;
  await soon('the third is committed', () => done.length === 3);
  t.deepEqual(done, ['a', 'b', 'bad']);
  t.is((await queue.close()).files, 0);
});

test('a file that cannot be read does not count as a failure of git, and is tried again', async (t) => {
  let isReadable = false;
  const { queue, soon, clock } = record({
    async commit(batch) {
      const outcome: Outcome = isReadable
        ? { kind: 'committed', blob: 'a' }
        : { kind: 'failed', error: new Error('EIO') };
      return { kind: 'done', outcomes: new Map(batch.map(({ path }) => [path, outcome])) };
    },
  });
  const outcome = queue.commitSoon(found('a'), SOON);
  await soon('somebody who waits is told', () => clock.waiting() > 0);
  t.is((await outcome)?.kind, 'failed');
  t.false(queue.isFailing);
  isReadable = true;
  await soon('it is read again after half a minute', () => clock.now() > 31_000);
  t.is((await queue.close()).files, 0);
});

test('what somebody waits for is committed without a pause, and first', async (t) => {
  const { queue, batches, clock } = record();
  queue.add(delivered('a'));
  queue.add(delivered('b'));
  const outcome = await queue.commitSoon(found('b'), SOON);
  t.deepEqual(outcome, { kind: 'committed', blob: 'b' });
  t.is(clock.now(), 0);
  t.deepEqual(
    batches.map((batch) => batch.map(({ path, isReplaced }) => [path, isReplaced])),
    [
      [
        ['b', true],
        ['a', false],
      ],
    ],
  );
});

test('who comes while a batch is under way waits for the next one, which reads the file again', async (t) => {
  let go: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const batches: string[][] = [];
  const { queue, soon } = record({
    async commit(batch) {
      batches.push(batch.map(({ path }) => path));
      if (batches.length === 1) await held;
      return { kind: 'done', outcomes: outcomesOf(batch, 'committed') };
    },
  });
  queue.add(delivered('a'));
  await soon('the batch is under way', () => batches.length === 1);
  const outcome = queue.commitSoon(found('a'), SOON);
  go();
  await outcome;
  t.deepEqual(batches, [['a'], ['a']]);
});

test('nobody waits for longer than they want; the outcome comes later', async (t) => {
  let go: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const late: Outcome[] = [];
  const { queue, soon } = record({
    async commit(batch) {
      await held;
      return { kind: 'done', outcomes: outcomesOf(batch, 'committed') };
    },
  });
  let outcome: Outcome | undefined | 'waits' = 'waits';
  void queue.commitSoon(found('a'), { ...SOON, onLate: (one) => late.push(one) }).then((one) => {
    outcome = one;
  });
  await soon('the time is up', () => outcome === undefined);
  t.deepEqual(late, []);
  go();
  await queue.close();
  t.deepEqual(late, [{ kind: 'committed', blob: 'a' }]);
});

test('where git fails, those who wait hear of it at once', async (t) => {
  const { queue } = record({
    async commit() {
      throw new Error('no');
    },
  });
  await t.throwsAsync(queue.commitSoon(found('a'), SOON), { message: 'no' });
  t.true(queue.isFailing);
  t.is((await queue.close()).files, 1);
});

test('deliveries are parked while there is no branch, and are put on it first when there is one', async (t) => {
  let isDetached = true;
  const done: string[] = [];
  const { queue, batches, paths, soon } = record({
    readPosition: async () => ({
      head: isDetached ? REBASE : BRANCH,
      isParked: done.some((name) => name.startsWith('parked')) && !done.includes('replayed'),
    }),
    async park(batch) {
      done.push(...batch.map(({ path }) => `parked ${path}`));
      return outcomesOf(batch, 'parked');
    },
    async replay() {
      done.push('replayed');
      return { kind: 'done' };
    },
  });
  queue.add(delivered('a'));
  queue.add({ path: 'edit', cause: { kind: 'edited' } });
  queue.add(delivered('b'));
  await soon('two deliveries are parked', () => done.length === 2);
  queue.add(delivered('c'));
  await soon('the third delivery is parked', () => done.length === 3);
  t.deepEqual([batches, done], [[], ['parked a', 'parked b', 'parked c']]);
  t.is((await queue.commitSoon(found('d'), SOON))?.kind, 'parked');
  isDetached = false;
  await soon('the edit is committed', () => batches.length === 1);
  await queue.close();
  t.is(done.at(-1), 'replayed');
  t.deepEqual(paths(), ['edit']);
});

test('commits that cannot be parked wait, and a stop counts them', async (t) => {
  let attempts = 0;
  const { queue, batches, soon } = record({
    readPosition: async () => ({ head: REBASE, isParked: false }),
    async park() {
      attempts++;
      throw new Error('no');
    },
  });
  queue.add(delivered('a'));
  queue.add(delivered('b'));
  await soon('parking is tried again', () => attempts >= 2);
  t.is((await queue.close()).files, 2);
  t.deepEqual(batches, []);
});

test('where the parked commits are gone, the articles are compared with the branch again', async (t) => {
  let isParked = true;
  let comparisons = 0;
  const { queue, soon } = record({
    readPosition: async () => ({ head: BRANCH, isParked }),
    async replay() {
      isParked = false;
      return { kind: 'lost' };
    },
    async reconcile() {
      comparisons++;
      return { kind: 'found', paths: [] };
    },
  });
  queue.add(delivered('a'));
  await soon('the articles are compared with the branch', () => comparisons === 1);
  t.is((await queue.close()).files, 0);
});

test('a comparison that fails does not hold back deliveries, and of what it finds each file is committed once', async (t) => {
  const failing = record({
    async reconcile() {
      throw new Error('no');
    },
  });
  failing.queue.reconcile();
  failing.queue.add(delivered('a'));
  await failing.soon('the delivery is committed', () => failing.batches.length === 1);
  await failing.queue.close();

  const many = Array.from({ length: 150_000 }, (_, index) => `old-${index}`);
  const finding = record({ reconcile: async () => ({ kind: 'found', paths: [...many, 'new'] }) });
  finding.queue.reconcile();
  finding.queue.add(delivered('new'));
  await finding.soon('a batch is committed', () => finding.batches.length > 0);
  await finding.queue.close();
  t.is(finding.paths().length, 150_001);
  t.is(new Set(finding.paths()).size, 150_001);
});

test('a batch gathers for at most 300 ms, however fast deliveries come', async (t) => {
  const { queue, batches, clock, soon } = record();
  await soon('a batch is committed while deliveries still come', () => {
    queue.add(delivered('a'));
    return batches.length > 0;
  });
  t.true(clock.now() >= 300 && clock.now() <= 400, `after ${clock.now()} ms`);
  await queue.close();
});

test('a comparison that is requested while one is under way is made after it', async (t) => {
  let begun = 0;
  const { queue, soon } = record({
    async reconcile() {
      if (++begun === 1) queue.reconcile();
      return { kind: 'found', paths: [] };
    },
  });
  queue.reconcile();
  await soon('both are made', () => begun === 2);
  t.deepEqual(await queue.close(), { files: 0, isToReconcile: false });
});

test('a comparison that has failed is made again after a minute, but not after the end', async (t) => {
  let comparisons = 0;
  const reconcile = async () => {
    comparisons++;
    throw new Error('git fails');
  };
  const { queue, soon, clock } = record({ reconcile });
  queue.reconcile();
  await soon('the comparison is made again', () => comparisons === 2);
  await queue.close();
  const end = clock.now();
  await soon('some minutes pass', () => clock.now() > end + 300_000);
  t.is(comparisons, 2);
  t.is(clock.waiting(), 0);
});

test('what was edited after its delivery, and lies still before the commit, is committed as both', async (t) => {
  const causes: unknown[] = [];
  let isDetached = true;
  const { queue, soon } = record({
    readPosition: async () => ({ head: isDetached ? REBASE : BRANCH, isParked: false }),
    park: async (batch) => new Map<string, Outcome>(batch.map(({ path }) => [path, { kind: 'waiting' }])),
    async commit(batch) {
      for (const { cause } of batch)
        causes.push([cause.kind, cause.kind === 'delivered' && cause.isEdited === true]);
      return { kind: 'done', outcomes: outcomesOf(batch, 'committed') };
    },
  });
  queue.add(delivered('a'));
  queue.add({ path: 'a', cause: { kind: 'edited' } });
  queue.add(found('a'));
  queue.add(delivered('b'));
  queue.add(found('b'));
  isDetached = false;
  await soon('both are committed', () => causes.length === 2);
  t.deepEqual(causes, [
    ['delivered', true],
    ['delivered', false],
  ]);
  await queue.close();
});

test('where parked commits cannot be put on the branch, those who wait hear of it, and git is not asked without a pause', async (t) => {
  let replays = 0;
  const { queue, clock } = record({
    readPosition: async () => ({ head: BRANCH, isParked: true }),
    async replay() {
      // An endless loop would never let this test go on.
      if (++replays > 100) return new Promise<never>(() => undefined);
      throw new Error('no');
    },
  });
  await t.throwsAsync(queue.commitSoon(found('a'), SOON), { message: 'no' });
  t.true(queue.isFailing);
  t.is(clock.now(), 0);
  t.is(replays, 1);
  t.deepEqual(await queue.close(), { files: 1, isToReconcile: false });
});

test('while somebody has waited in vain for an attempt, git counts as failing', async (t) => {
  let go: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { queue, soon } = record({
    async commit(batch) {
      await held;
      return { kind: 'done', outcomes: outcomesOf(batch, 'committed') };
    },
  });
  const outcome = queue.commitSoon(found('a'), SOON);
  await soon('the time is up', () => queue.isFailing);
  t.is(await outcome, undefined);
  go();
  await soon('git has answered', () => !queue.isFailing);
  t.false(queue.isFailing);
  await queue.close();
});

test('a stop in the middle of a comparison leaves the comparison to other receivers', async (t) => {
  let isComparing = false;
  const { queue, paths, soon } = record({
    async reconcile(signal) {
      isComparing = true;
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      return { kind: 'stopped' };
    },
  });
  queue.reconcile();
  await soon('the comparison is under way', () => isComparing);
  queue.add(delivered('a'));
  t.deepEqual(await queue.close(), { files: 0, isToReconcile: true });
  t.deepEqual(paths(), ['a']);
});

test('a file that cannot be read has one retry at a time, however often it is added', async (t) => {
  let attempts = 0;
  const { queue, clock, soon } = record({
    async commit(batch) {
      attempts++;
      const error = new Error('EIO');
      return { kind: 'done', outcomes: new Map(batch.map(({ path }) => [path, { kind: 'failed', error }])) };
    },
  });
  for (let count = 1; count <= 5; count++) {
    queue.add(found('a'));
    await soon('the file is tried', () => attempts === count);
  }
  const end = clock.now() + 61_000;
  await soon('a minute passes', () => clock.now() > end);
  t.true(attempts <= 8, `${attempts} attempts`);
  t.is((await queue.close()).files, 1);
  t.is(clock.waiting(), 0);
});

/** A queue whose first batch decides upon the commit `long` later. */
function recordLong() {
  let decide: () => void = () => undefined;
  const until = new Promise<void>((resolve) => {
    decide = resolve;
  });
  const batches: string[][] = [];
  const { queue, soon } = record({
    async commit(batch) {
      batches.push(batch.map(({ path }) => path));
      const outcomes = outcomesOf(batch, 'committed');
      if (batches.length === 1) outcomes.set('long', { kind: 'postponed', until });
      return { kind: 'done', outcomes };
    },
  });
  return { queue, soon, batches, decide: () => decide() };
}

test('a commit that is decided upon later keeps no other one, and gets its turn', async (t) => {
  const { queue, soon, batches, decide } = recordLong();
  queue.add(found('long'));
  queue.add(delivered('one'));
  await soon('the first batch', () => batches.length === 1);
  queue.add(delivered('two'));
  await soon('the second batch', () => batches.length === 2);
  decide();
  await soon('the third batch', () => batches.length === 3);
  t.deepEqual(batches, [['long', 'one'], ['two'], ['long']]);
  t.is((await queue.close()).files, 0);
});

test('a stop waits for a commit that is decided upon later', async (t) => {
  const { queue, soon, batches, decide } = recordLong();
  queue.add(found('long'));
  await soon('the first batch', () => batches.length === 1);
  const closed = queue.close();
  decide();
  t.is((await closed).files, 0);
  t.deepEqual(batches, [['long'], ['long']]);
});
