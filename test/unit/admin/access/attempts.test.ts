import test from 'ava';
import { createAttempts } from '../../../../src/admin/access/attempts.js';

test('ten attempts are free, then there is one each half minute, and never none', (t) => {
  let now = 0;
  const attempts = createAttempts(undefined, () => now);
  for (let n = 0; n < 10; n++) t.is(attempts.take(['name ada']), 0);
  t.is(attempts.take(['name ada']), 30_000);
  t.is(attempts.take(['name ada']), 30_000, 'a refused attempt costs nothing');
  now = 30_000;
  t.is(attempts.take(['name ada']), 0);
  t.is(attempts.take(['name ada']), 30_000);
  now += 3_600_000;
  for (let n = 0; n < 10; n++) t.is(attempts.take(['name ada']), 0);
});

test('an attempt counts for the address and for the name; success clears both', (t) => {
  const attempts = createAttempts(undefined, () => 0);
  for (let n = 0; n < 10; n++) t.is(attempts.take(['network 1', `name ${n}`]), 0);
  t.true(attempts.take(['network 1', 'name x']) > 0, 'one address and many names');
  for (let n = 0; n < 9; n++) t.is(attempts.take([`network 2${n}`, 'name 0']), 0);
  t.true(attempts.take(['network 30', 'name 0']) > 0, 'one name from many addresses');
  t.is(attempts.take(['browser of ada']), 0, 'a browser that is known counts by itself');
  attempts.clear(['network 1', 'name 0']);
  t.is(attempts.take(['network 1', 'name 0']), 0);
});

test('who is throttled stays so, however many others are tried meanwhile; many names fill no memory; what the queue has refused is given back', (t) => {
  let now = 0;
  const attempts = createAttempts(undefined, () => now);
  for (let n = 0; n < 10; n++) attempts.take(['name ada']);
  for (let n = 0; n < 30_000; n++) attempts.take([`network ${n % 1_000}`, `name ${n}`]);
  t.true(attempts.take(['name ada']) > 0);
  for (let n = 0; n < 10; n++) t.is(attempts.take(['name 0']), 0, 'forgotten');
  now = 30_000;
  t.is(attempts.take(['name ada']), 0);
  attempts.giveBack(['name ada']);
  t.is(attempts.take(['name ada']), 0);
  t.is(attempts.take(['name ada']), 30_000);
});
