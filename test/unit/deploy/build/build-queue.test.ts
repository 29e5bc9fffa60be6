import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { pino } from 'pino';
import {
  type BuildEnd,
  type BuildPauses,
  createBuildQueue,
  crowdedPause,
} from '../../../../src/deploy/build/build-queue.js';
import { until } from '../../../support/until.js';

const PAUSES: BuildPauses = { quietMs: 20, longestMs: 60, retryMs: 80 };

/** A queue whose builds end when the test says so. */
function setUp(over: Partial<BuildPauses> = {}) {
  const began: number[] = [];
  const ends: ((end: BuildEnd | Promise<never>) => void)[] = [];
  const logged: string[] = [];
  let running = 0;
  let most = 0;
  const queue = createBuildQueue(
    () => {
      began.push(performance.now());
      most = Math.max(most, ++running);
      return new Promise((resolve) =>
        ends.push((end) => {
          running--;
          resolve(end);
        }),
      );
    },
    pino({}, { write: (line: string) => void logged.push(line) }),
    { ...PAUSES, ...over },
  );
  return { queue, began, ends, logged, most: () => most };
}

test('what changes during a build is built by the next one, and two builds never run at a time', async (t) => {
  const { queue, began, ends, most } = setUp();
  queue.request();
  await until('the first build begins', () => began.length === 1);
  for (let n = 0; n < 5; n++) queue.request();
  await setTimeout(2 * PAUSES.longestMs);
  t.is(began.length, 1);
  ends[0]?.('done');
  await until('the next build begins', () => began.length === 2);
  ends[1]?.('done');
  await setTimeout(2 * PAUSES.longestMs);
  t.is(began.length, 2, 'one build for all five changes');
  t.is(most(), 1);
  await queue.stop();
});

test('a single change is built at once, and again after a pause where the build could not be tried', async (t) => {
  const { queue, began, ends, logged } = setUp({ quietMs: 600_000, longestMs: 600_000 });
  queue.request();
  await until('the first build begins', () => began.length === 1);
  ends[0]?.('again');
  const failedAt = performance.now();
  await until('it is tried again', () => began.length === 2);
  t.true((began[1] ?? 0) - failedAt >= PAUSES.retryMs - 5);
  ends[1]?.(Promise.reject(new Error('no luck')));
  await until('it is tried again after an error', () => began.length === 3);
  t.regex(logged.join(), /no luck/);
  ends[2]?.('done');
  await queue.stop();
});

test('a queue that is stopped begins nothing, and waits for the build that runs', async (t) => {
  const { queue, began, ends } = setUp();
  queue.request();
  await until('the build begins', () => began.length === 1);
  queue.request();
  let isStopped = false;
  const stopped = queue.stop().then(() => {
    isStopped = true;
  });
  await setTimeout(PAUSES.quietMs);
  t.false(isStopped);
  ends[0]?.('done');
  await stopped;
  queue.request();
  await setTimeout(2 * PAUSES.longestMs);
  t.is(began.length, 1);
});

test('between the starts of two builds lies the time that was asked for; a build that was not needed does not count', async (t) => {
  const everyMs = 200;
  const { queue, began, ends } = setUp({ everyMs });
  queue.request();
  await until('the first build begins', () => began.length === 1);
  const ready = performance.now(); // the second one begins later
  ends[0]?.('unneeded');
  queue.request();
  await until('the second build begins', () => began.length === 2);
  for (let n = 0; n < 30; n++) queue.request();
  ends[1]?.('done');
  await until('the third build begins', () => began.length === 3);
  t.true((began[2] ?? 0) - ready >= everyMs - 5);
  ends[2]?.('done');
  await setTimeout(2 * everyMs);
  t.is(began.length, 3, 'one build for all thirty changes');
  await queue.stop();
});

test('thirty articles spread over a minute are a few builds', (t) => {
  const buildsOf = (tookMs: number) => {
    const starts: number[] = [];
    for (let change = 0; change < 60_000; change += 2_000) {
      const last = starts.at(-1) ?? Number.NEGATIVE_INFINITY;
      if (change <= last) continue; // it is in the build that is to come
      starts.push(Math.max(change, last + Math.max(tookMs, crowdedPause(starts.length, tookMs))));
    }
    return starts.map((start) => start / 1_000);
  };
  t.deepEqual(buildsOf(5_000), [0, 5, 10, 15, 25, 40, 55, 70]);
  t.deepEqual(buildsOf(1_000), [0, 2, 4, 6, 8, 12, 20, 35, 50, 65]);
});
