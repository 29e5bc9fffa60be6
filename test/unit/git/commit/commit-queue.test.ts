import test from 'ava';
import { pino } from 'pino';
import {
  type CommitBatch,
  type CommitOutcome,
  createCommitQueue,
  type Pending,
} from '../../../../src/git/commit/commit-queue.js';
import { until } from '../../../support/until.js';

const COMMITTED: CommitOutcome = { kind: 'committed' };

/** A queue whose batches are recorded. */
function recorded(commit: (path: string, batch: readonly Pending[]) => CommitOutcome | undefined) {
  const batches: string[][] = [];
  const failed: string[] = [];
  const work: CommitBatch = async (batch) => {
    batches.push(batch.map(({ path, why }) => `${path} ${why}`));
    const outcomes = batch.map(({ path }) => [path, commit(path, batch)] as const);
    return new Map(outcomes.filter((one): one is [string, CommitOutcome] => one[1] !== undefined));
  };
  const log: { level: number; msg: string }[] = [];
  const logger = pino({ base: null }, { write: (line: string) => void log.push(JSON.parse(line)) });
  return {
    queue: createCommitQueue(work, (path, reason) => failed.push(`${path}: ${reason}`), logger),
    batches,
    failed,
    log,
  };
}

const PATIENT_MS = 600_000;

test('what comes in a burst is one batch in its order, and a file that comes twice has one commit', async (t) => {
  const { queue, batches } = recorded(() => COMMITTED);
  queue.add('a', 'found');
  queue.add('b', 'stored');
  queue.add('a', 'stored');
  queue.add('b', 'found');
  t.is(await queue.close(), 0);
  t.deepEqual(batches, [['a stored', 'b stored']]);
});

test('a batch that fails is tried file by file, and one bad file keeps no other from its commit', async (t) => {
  const { queue, batches, failed, log } = recorded((_, batch) => {
    if (batch.some(({ path }) => path === 'bad')) throw new Error('git has failed');
    return COMMITTED;
  });
  for (const path of ['a', 'bad', 'b']) queue.add(path, 'stored');
  const [bad, good] = [
    queue.commitNow('bad', 'stored', PATIENT_MS),
    queue.commitNow('b', 'stored', PATIENT_MS),
  ];
  t.deepEqual(await bad, { kind: 'later', because: 'git has failed' });
  t.deepEqual(await good, COMMITTED);
  await until('the other one is committed', () => batches.some((batch) => batch.join() === 'a stored'));
  t.true(log.some(({ level, msg }) => level === 50 && msg === 'not committed; tried again later'));
  t.is(failed[0], 'bad: git has failed');
  t.is(await queue.close(), 1);
});

test('what waits for HEAD is answered at once, stays in the queue, and is committed later', async (t) => {
  let isDetached = true;
  const { queue, log } = recorded(() =>
    isDetached ? { kind: 'later', because: 'commits wait for HEAD to be on a branch again' } : COMMITTED,
  );
  const outcome = await queue.commitNow('a', 'stored', PATIENT_MS);
  t.deepEqual(outcome, { kind: 'later', because: 'commits wait for HEAD to be on a branch again' });
  t.is(log[0]?.msg, 'commits wait for HEAD to be on a branch again');
  isDetached = false;
  await until('commits work again', () => log.some(({ msg }) => msg === 'commits work again'));
  t.is(await queue.close(), 0);
});

test('the texts of many files that wait are not all kept in memory, also if each was waited for', async (t) => {
  const kept = new Set<string>();
  const { queue } = recorded((_, batch) => {
    for (const { path, text } of batch) if (text !== undefined) kept.add(path);
    return COMMITTED;
  });
  for (let file = 0; file < 300; file++) void queue.commitNow(`${file}`, 'stored', PATIENT_MS, 'a text');
  t.is(await queue.close(), 0);
  t.is(kept.size, 200);
});

test('a file without an outcome is in the next batch, with those who wait for it', async (t) => {
  let reads = 0;
  const { queue, batches } = recorded(() => (++reads === 1 ? undefined : COMMITTED));
  t.deepEqual(await queue.commitNow('a', 'replaced', PATIENT_MS), COMMITTED);
  t.deepEqual(batches, [['a replaced'], ['a replaced']]);
});

test('an edit or an update of a delivered text whose commit waits adds its reason, and a text that the store writes over them has only its own; what waits stays in front', async (t) => {
  let isDetached = true;
  const asked: (readonly Pending[])[] = [];
  const { queue, batches } = recorded((_, batch) => {
    if (asked.at(-1) !== batch) asked.push(batch);
    if (asked.length === 1) queue.add('late', 'stored');
    return isDetached ? { kind: 'later', because: 'a rebase' } : COMMITTED;
  });
  queue.add('edited', 'stored');
  queue.add('replaced', 'edited');
  t.like(await queue.commitNow('replaced', 'replaced', PATIENT_MS), { kind: 'later' });
  queue.add('replaced', 'stored');
  queue.add('edited', 'edited');
  isDetached = false;
  t.is(await queue.close(), 0);
  t.deepEqual(batches.at(-1), ['replaced stored', 'edited edited', 'late stored']);
  t.deepEqual(
    asked.at(-1)?.map(({ isDelivered }) => isDelivered),
    [true, true, true],
  );
});

test('a person’s edit that is found has no commit, and that is no failure; a delivery that is theirs by now is one', async (t) => {
  const { queue, failed } = recorded(() => ({ kind: 'left to owner', because: 'it is theirs' }));
  t.like(await queue.commitNow('found', 'found', PATIENT_MS), { kind: 'left to owner' });
  t.deepEqual(failed, []);
  t.like(await queue.commitNow('stored', 'stored', PATIENT_MS), { kind: 'left to owner' });
  t.deepEqual(failed, ['stored: it is theirs']);
});
