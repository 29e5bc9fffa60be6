import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { createPipeline } from '../../../src/store/pipeline.js';

test.serial('a clock that is set back does not keep another process from the lock', async (t) => {
  const events: string[] = [];
  let isWanted = false;
  const lock = {
    enter: async () => events.push('enter') > 0,
    leave: () => void events.push('leave'),
    contended: () => isWanted,
    close: () => undefined,
  };
  const pipeline = createPipeline(lock, async () => undefined);
  let finish: () => void = () => undefined;
  const long = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const first = pipeline.run('a', () => {
    events.push('a');
    return long;
  });
  while (!events.includes('a')) await pause(1);

  const { now } = Date;
  t.teardown(() => Object.assign(Date, { now }));
  Date.now = () => now() - 3_600_000;
  isWanted = true;
  await pause(20);
  const second = pipeline.run('b', async () => void events.push('b'));
  finish();
  await Promise.all([first, second]);
  await pipeline.idle();
  t.deepEqual(events, ['enter', 'a', 'leave', 'enter', 'b', 'leave']);
});
