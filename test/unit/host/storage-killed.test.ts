import '../../support/recorded-syncs.js';

import test from 'ava';
import { openStorage } from '../../../src/host/storage.js';
import { copyAtEachSync } from '../../support/recorded-syncs.js';
import { tempDir } from '../../support/temp-dir.js';

const HOUR = 3_600_000;

test.serial(
  'storage: a process that is killed at any write leaves each value as it was or as it was to be',
  async (t) => {
    const [folder, copies] = [tempDir(t), tempDir(t)];
    let now = Date.parse('2026-03-01T12:00:00Z');
    const storage = openStorage('x', folder, () => now);
    /** What was promised of the two values, and what is being done to the first. */
    let kept: { a?: number; b?: number } = {};
    let next: number | undefined;
    const { take, stop } = copyAtEachSync(folder, copies, () => ({ now, kept: { ...kept }, next }));
    const step = async (to: number | undefined, act: () => Promise<unknown>) => {
      next = to;
      await act();
      kept = { ...kept, ...(to !== undefined && { a: to }) };
      if (to === undefined) delete kept.a;
      take();
    };
    await step(1, () => storage.set('a', 1));
    next = kept.a;
    await storage.set('b', 7);
    kept = { ...kept, b: 7 };
    await step(2, () => storage.set('a', 2, { ttlMs: HOUR }));
    await step(3, () => storage.update<number>('a', (value = 0) => value + 1));
    now += 2 * HOUR; // its time is over, and the next write sweeps
    next = undefined;
    delete kept.a;
    await storage.set('b', 7);
    await step(4, () => storage.set('a', 4));
    await step(undefined, () => storage.update('a', () => undefined));
    await step(5, () => storage.set('a', 5));
    await step(undefined, () => storage.delete('a'));
    const moments = stop();
    t.true(moments.length >= 20, `${moments.length} moments`);

    for (const [n, { copy, now: then, kept, next }] of moments.entries()) {
      const again = openStorage('x', copy, () => then);
      const a = await again.get<number>('a');
      t.true(a === kept.a || a === next, `moment ${n}: ${a}, and not ${kept.a} or ${next}`);
      if (kept.b !== undefined) t.is(await again.get('b'), kept.b, `moment ${n}`);
      const keys = await again.keys();
      t.is(keys.includes('a'), a !== undefined, `moment ${n}`);
      await again.set('c', n);
      t.is(await again.get('c'), n, `moment ${n}`);
      t.is(await again.get('a'), a, `moment ${n}`);
    }
  },
);
