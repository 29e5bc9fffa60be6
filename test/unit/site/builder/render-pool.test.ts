import { setTimeout as wait } from 'node:timers/promises';
import test from 'ava';
import { share } from '../../../../src/site/builder/render-pool.js';

const items = Array.from({ length: 50 }, (_, n) => n);

test('each item is worked off once, by whichever thread is free', async (t) => {
  const done: number[] = [];
  const own = async (batch: readonly number[]) => {
    done.push(...batch);
  };
  const other = async (batch: readonly number[]) => {
    await wait(1);
    done.push(...batch);
    return true;
  };
  await share({ items, size: 4 }, own, [other, other]);
  t.deepEqual(
    done.sort((a, b) => a - b),
    items,
  );
});

test('what a thread that has ended was asked is done by this one', async (t) => {
  const done: number[] = [];
  const own = async (batch: readonly number[]) => {
    done.push(...batch);
  };
  await share({ items, size: 4 }, own, [async () => false]);
  t.deepEqual(
    done.sort((a, b) => a - b),
    items,
  );
});

test('where one batch fails, nothing goes on behind the back of the caller', async (t) => {
  let begun = 0;
  let ended = 0;
  const own = async () => {
    throw new Error('the disk is full');
  };
  const other = async () => {
    begun++;
    await wait(20);
    ended++;
    return true;
  };
  await t.throwsAsync(share({ items, size: 1 }, own, [other]), { message: 'the disk is full' });
  t.true(begun > 0 && begun < items.length);
  t.is(ended, begun);
});
