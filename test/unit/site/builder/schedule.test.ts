import test from 'ava';
import { createBurst, createSchedule, type Work } from '../../../../src/site/builder/schedule.js';

test('requests for a build are gathered, and one build runs at a time', async (t) => {
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

test('a request starts a build by itself, and nothing is built after the stop', async (t) => {
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
  // A build of another schedule that is asked for later comes after any of this one.
  await new Promise<void>((done) => {
    createSchedule(async () => done()).request(['d']);
  });
  t.is(builds, 1);
});

test('fifty changes within half a second are a rush, which is over after half a second with fewer', (t) => {
  const { setInterval: original } = globalThis;
  t.teardown(() => Reflect.set(globalThis, 'setInterval', original));
  let pass = (): void => t.fail('nothing waits for the end of the half second');
  Reflect.set(globalThis, 'setInterval', (look: () => void, ms: number) => {
    t.is(ms, 500);
    pass = look;
    return original(() => undefined, 1_000_000);
  });
  const told: boolean[] = [];
  const burst = createBurst((isBurst) => told.push(isBurst));
  const note = (changes: number) => {
    for (let n = 0; n < changes; n++) burst.note();
  };
  note(49);
  t.deepEqual(told, []);
  note(1);
  t.deepEqual(told, [true]);
  pass();
  t.deepEqual(told, [true]);
  note(50);
  pass();
  t.deepEqual(told, [true]);
  note(49);
  pass();
  t.deepEqual(told, [true, false]);
  burst.stop();
});
