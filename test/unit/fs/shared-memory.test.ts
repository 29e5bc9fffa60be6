import test from 'ava';
import { createSharedMemory } from '../../../src/fs/shared-memory.js';

test('memory is lent to one at a time, and again when it has been given back', (t) => {
  const memory = createSharedMemory();
  const [first, second, third] = [memory.lease(), memory.lease(), memory.lease()];
  const a = first.take(1_000);
  const b = second.take(1_000);
  t.not(a.buffer, b.buffer);
  first.giveBack();
  first.giveBack();
  t.is(third.take(2_000).buffer, a.buffer);
  t.not(memory.lease().take(1_000).buffer, a.buffer, 'memory that is given back twice is not lent twice');
});

test('other threads can read the memory, and a large file gets as much as it needs', (t) => {
  const memory = createSharedMemory();
  const large = memory.lease();
  const bytes = large.take(3_000_000);
  t.true(bytes.buffer instanceof SharedArrayBuffer);
  t.true(bytes.length >= 3_000_000);
  large.giveBack();
  t.true(memory.lease().take(1_000).length < 1_000_000, 'what is unusually large is not kept');
});

test('a lease that took nothing gives nothing back', (t) => {
  const memory = createSharedMemory();
  memory.lease().giveBack();
  t.true(memory.lease().take(1).length > 0);
});
