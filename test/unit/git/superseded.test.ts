import test from 'ava';
import { supersededCount } from '../../../src/git/superseded.js';

const count = (waiting: string[], tip?: string, before?: string, ...onDisk: string[]) =>
  supersededCount(
    waiting,
    tip,
    async () => before,
    async () => new Set(onDisk),
  );

test('a new file, and the next text of a known one', async (t) => {
  t.is(await count(['a', 'b']), 0);
  t.is(await count(['b', 'c'], 'a', 'a', 'c'), 0);
});

test('what the branch has already', async (t) => {
  t.is(await count(['a'], 'a'), 1);
  t.is(await count(['a', 'b', 'c'], 'b', undefined, 'c'), 2);
});

test('what somebody has gone past', async (t) => {
  t.is(await count(['b'], 'edited', 'a', 'edited'), 1);
  t.is(await count(['b'], undefined, 'a'), 1);
});

test('an edit committed before the delivery, though after the last look', async (t) => {
  t.is(await count(['b'], 'edited', 'a', 'b'), 0);
});
