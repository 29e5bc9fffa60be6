import fs from 'node:fs';
import test from 'ava';
import { nextIteration } from '../../src/event-loop.js';

/** Runs `work` where answers of the system arrive, and tells what came first: its end, or the next iteration. */
function firstOf(work: () => Promise<unknown>): Promise<'work' | 'others'> {
  return new Promise((resolve, reject) => {
    fs.stat('.', () => {
      setImmediate(() => setImmediate(() => resolve('others')));
      work().then(() => resolve('work'), reject);
    });
  });
}

test('what else is ready goes first', async (t) => {
  t.is(await firstOf(nextIteration), 'others');
  t.is(await firstOf(async () => undefined), 'work');
});
