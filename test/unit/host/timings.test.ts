import test from 'ava';
import { createTimer } from '../../../src/host/hooks/timings.js';

test('the median of calls is the one in the middle by length, in whatever order they came', (t) => {
  const timer = createTimer();
  t.is(timer.timing.medianMs, null);
  // So long ago that the time of this test does not count.
  for (const seconds of [5000, 3000, 1000, 2000, 4000])
    timer.ended(performance.now() - 1000 * seconds, false);
  t.is(Math.round((timer.timing.medianMs ?? 0) / 1e6), 3);
  t.is(Math.round((timer.timing.longestMs ?? 0) / 1e6), 5);
});
