import test from 'ava';
import { remembered } from '../../../../src/app/records/git-state.js';

test('a look that takes longer than it is remembered is begun once, however many ask', async (t) => {
  let time = 0;
  const ends: ((found: string) => void)[] = [];
  const look = () => new Promise<string>((resolve) => ends.push(resolve));
  const state = remembered(5_000, look, () => time);
  const first = state();
  time = 60_000;
  const second = state();
  t.is(ends.length, 1);
  ends[0]?.('found');
  t.deepEqual(await Promise.all([first, second]), ['found', 'found']);
  time += 5_000;
  t.is(await state(), 'found');
  time += 1;
  void state();
  t.is(ends.length, 2);
});

test('a look that fails is not remembered', async (t) => {
  let looks = 0;
  const state = remembered(5_000, async () => {
    looks++;
    if (looks === 1) throw new Error('git is busy');
    return 'found';
  });
  await t.throwsAsync(state(), { message: 'git is busy' });
  t.is(await state(), 'found');
});
