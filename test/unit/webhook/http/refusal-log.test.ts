import test from 'ava';
import { pino } from 'pino';
import { createRefusalLog } from '../../../../src/webhook/record.js';

test('the first refusal of an outcome is logged at once, those that follow as one line with their number', (t) => {
  const lines: unknown[] = [];
  const timers: (() => void)[] = [];
  const noted: number[] = [];
  const log = pino(
    { base: null, timestamp: false },
    { write: (line: string) => lines.push(JSON.parse(line)) },
  );
  const refused = createRefusalLog(
    log,
    ({ count }) => void noted.push(count),
    (then) => void timers.push(then),
  );
  const missing = { adapter: 'letters', outcome: 'SIGNATURE_MISSING', status: 401 };
  const aborted = { outcome: 'BODY_ABORTED', status: 400 };
  const pass = () => {
    for (const then of timers.splice(0)) then();
    return lines.splice(0);
  };

  for (let n = 0; n < 1_000; n++) {
    refused(missing);
    if (n % 10 === 0) refused(aborted);
  }
  t.deepEqual(lines.splice(0), [
    { level: 40, ...missing, msg: 'delivery refused' },
    { level: 40, ...aborted, msg: 'delivery refused' },
  ]);
  t.deepEqual(pass(), [
    { level: 40, ...missing, count: 999, msg: 'deliveries refused' },
    { level: 40, ...aborted, count: 99, msg: 'deliveries refused' },
  ]);

  t.deepEqual(noted, [1, 1, 999, 99]);

  // They are counted on as long as they come.
  refused(aborted);
  t.deepEqual(lines, []);
  t.deepEqual(pass(), [{ level: 40, ...aborted, count: 1, msg: 'deliveries refused' }]);
  t.deepEqual(pass(), []);
  t.is(timers.length, 0);
  refused(aborted);
  t.deepEqual(lines, [{ level: 40, ...aborted, msg: 'delivery refused' }]);
});
