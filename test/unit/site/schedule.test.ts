import { setTimeout as wait } from 'node:timers/promises';
import test from 'ava';
import { createSchedule, type Work } from '../../../src/site/schedule.js';
import { until } from '../../support/until.js';

test('requests are gathered, and one build runs at a time', async (t) => {
  const works: Work[] = [];
  let running = 0;
  const schedule = createSchedule(async (work) => {
    t.is(++running, 1);
    works.push(work);
    if (works.length === 1) schedule.request(['c']);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
  });
  schedule.request(['a']);
  schedule.request(['b', 'a']);
  await schedule.drain();
  t.deepEqual(works, [new Set(['a', 'b']), new Set(['c'])]);

  schedule.request(['d']);
  schedule.request('all');
  schedule.request(['e']);
  await schedule.drain();
  t.deepEqual(works.slice(2), ['all']);
});

test('a build comes by itself, and none after the stop', async (t) => {
  let builds = 0;
  let resolve: () => void = () => undefined;
  const first = new Promise<void>((done) => {
    resolve = done;
  });
  const schedule = createSchedule(async () => {
    builds++;
    resolve();
  });
  schedule.request(['a']);
  await first;
  schedule.request(['b']);
  schedule.stop();
  schedule.request(['c']);
  await schedule.drain();
  t.is(builds, 1);
});

test('in a rush, builds leave deliveries four times as long as they took', async (t) => {
  const begun: number[] = [];
  const ended: number[] = [];
  const schedule = createSchedule(async () => {
    begun.push(performance.now());
    if (begun.length === 1) for (let n = 0; n < 20; n++) schedule.request([`changed-${n}`]);
    await wait(30);
    ended.push(performance.now());
  });
  schedule.request(['first']);
  await until(() => begun.length === 2);
  await schedule.drain();
  const [first = 0, second = 0] = begun;
  const [end = 0] = ended;
  // A timer may come a moment early, never much.
  t.true(second - end >= 4 * (end - first) - 10, `${second - end} ms after ${end - first} ms`);
});
