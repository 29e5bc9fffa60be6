import test from 'ava';
import { createRush } from '../../../src/site/rush.js';
import { until } from '../../support/until.js';

test('many changes at once are a rush, which is over when no more come', async (t) => {
  const told: boolean[] = [];
  const rush = createRush((isRush) => told.push(isRush));
  for (let n = 0; n < 10; n++) rush.note();
  t.deepEqual(told, []);
  for (let n = 0; n < 100; n++) rush.note();
  t.deepEqual(told, [true]);
  await until(() => told.length > 1);
  t.deepEqual(told, [true, false]);
  rush.stop();
});
