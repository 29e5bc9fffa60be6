import test from 'ava';
import { createPace } from '../../../src/sender/pace.js';

test('no more requests begin within any second than the rate allows, nor one within two seconds at half a request a second', async (t) => {
  for (const [rate, most, windowMs] of [
    [20, 20, 1000],
    [0.5, 1, 2000],
  ] as const) {
    let now = 0;
    const wait = async (ms: number) => {
      now += ms;
    };
    const pace = createPace(rate, { now: () => now, wait });
    const begun: number[] = [];
    for (let n = 0; n < 200; n++) {
      const together = n % 7 === 0 ? Math.min(6, most) : 1;
      await pace(together);
      for (let i = 0; i < together; i++) begun.push(now);
      await wait(n % 13);
    }
    for (const [n, at] of begun.entries())
      t.true((begun[n + most] ?? Number.POSITIVE_INFINITY) - at >= windowMs);
    now -= 3_600_000;
    const before = now;
    await pace();
    t.is(now, before, 'a clock that was set back keeps nobody waiting');
  }
});
