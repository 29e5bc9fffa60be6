import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { createRepeatedTask } from '../../src/repeated-task.js';
import { until } from '../support/until.js';

/** A task whose attempts come to these results, in order. */
function taskOf(results: (string | undefined)[], { gatherMs = 1, retryMs = 1 } = {}) {
  let attempts = 0;
  const changes: (string | undefined)[] = [];
  const failures: number[] = [];
  const task = createRepeatedTask({
    attempt: async () => {
      await setTimeout(1);
      return results[attempts++];
    },
    onChange: (reason) => void changes.push(reason),
    gatherMs: () => gatherMs,
    retryMs: (count) => {
      failures.push(count);
      return retryMs;
    },
  });
  return { task, changes, failures, attempts: () => attempts };
}

test('an attempt that fails is repeated until one succeeds, and each reason is reported once', async (t) => {
  const { task, changes, failures, attempts } = taskOf(['no', 'no', 'never', undefined, 'no']);
  task.request();
  await until('an attempt succeeds', () => attempts() === 4);
  task.request();
  await until('the next one is made', () => failures.length === 4);
  await task.close();
  t.deepEqual(changes.slice(0, 4), ['no', 'never', undefined, 'no']);
  t.deepEqual(failures, [1, 2, 3, 1], 'counted anew after a success');
});

test('requests that come together need one attempt; one that comes during an attempt needs another', async (t) => {
  const { task, attempts } = taskOf([]);
  task.request();
  task.request();
  await until('the first attempt runs', () => attempts() === 1);
  task.request();
  await until('the second attempt runs', () => attempts() === 2);
  t.true(await task.close());
  t.is(attempts(), 2);
});

test('a task that is closed begins no attempt, and says whether one is still requested', async (t) => {
  const { task, attempts } = taskOf(['no'], { retryMs: 600_000 });
  task.request();
  await until('an attempt fails', () => attempts() === 1);
  t.false(await task.close());
  task.request();
  t.is(attempts(), 1);
});

test('a request that must not wait ends the pause under way', async (t) => {
  const { task, attempts } = taskOf(['no'], { gatherMs: 600_000, retryMs: 600_000 });
  for (const all of [1, 2]) {
    task.request({ atOnce: true });
    await until('an attempt is made', () => attempts() === all);
  }
  t.true(await task.close());
});
