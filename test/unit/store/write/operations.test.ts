import test from 'ava';
import { createOperations } from '../../../../src/store/write/operations.js';
import { until } from '../../../support/until.js';

test.serial('a clock that is set back does not keep another process from the lock', async (t) => {
  const events: string[] = [];
  let isWanted = false;
  const lock = {
    handovers: 0,
    enter: async () => events.push('enter') > 0,
    leave: () => void events.push('leave'),
    contended: () => isWanted,
    close: () => undefined,
  };
  const operations = createOperations(lock, async () => undefined);
  let finish: () => void = () => undefined;
  const long = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const first = operations.run('a', () => {
    events.push('a');
    return long;
  });
  await until('the first operation is under way', () => events.includes('a'));

  // The clock of the day is set back by an hour; the steady one goes on, past the next look for who waits.
  const [day, steady] = [Date.now, performance.now.bind(performance)];
  t.teardown(() => {
    Date.now = day;
    performance.now = steady;
  });
  Date.now = () => day() - 3_600_000;
  performance.now = () => steady() + 1_000;
  isWanted = true;
  const second = operations.run('b', async () => void events.push('b'));
  finish();
  await Promise.all([first, second]);
  await operations.idle();
  t.deepEqual(events, ['enter', 'a', 'leave', 'enter', 'b', 'leave']);
});
