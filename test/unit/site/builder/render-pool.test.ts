import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
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

test('no thread gets most of a list while another gets nothing, however large a batch may be', async (t) => {
  for (const size of [4, 50]) {
    const counts = [0, 0, 0];
    const countingFor = (thread: number) => async (batch: readonly number[]) => {
      counts[thread] = (counts[thread] ?? 0) + batch.length;
      await nextTurn();
      return true;
    };
    const [own, one, two] = [0, 1, 2].map(countingFor);
    if (own === undefined || one === undefined || two === undefined) throw new Error('there are three');
    await share({ items, size }, async (batch) => void (await own(batch)), [one, two]);
    t.is(counts[0], items.length - (counts[1] ?? 0) - (counts[2] ?? 0));
    for (const count of counts) t.true(count > 0 && count <= 30, `${size}: ${counts}`);
  }
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
