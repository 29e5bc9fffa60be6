import test from 'ava';
import { createPace } from '../../../../src/conformance/transport/pace.js';

function virtualClock() {
  let now = 0;
  return {
    now: () => now,
    wait: async (ms: number) => {
      now += ms;
    },
  };
}

test('no more requests begin within any second than the rate allows', async (t) => {
  const clock = virtualClock();
  const pace = createPace(20, clock);
  const begun: number[] = [];
  for (let n = 0; n < 200; n++) {
    const together = n % 7 === 0 ? 6 : 1;
    await pace(together);
    for (let i = 0; i < together; i++) begun.push(clock.now());
    await clock.wait(n % 13);
  }
  for (const [n, at] of begun.entries()) t.true((begun[n + 20] ?? Number.POSITIVE_INFINITY) - at >= 1000);
});
