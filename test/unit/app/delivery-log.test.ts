import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openDeliveryLog } from '../../../src/app/delivery-log.js';
import { createLog } from '../../../src/log.js';
import { tempDir } from '../../support/temp-dir.js';

const record = (n: number) => ({
  at: new Date(n).toISOString(),
  event: 'article.published',
  adapter: null,
  id: `a-${n}`,
  url: `https://garden.example/${'x'.repeat(400)}`,
  outcome: 'stored',
  status: n % 10 === 0 ? 500 : 200,
  ms: 1,
});

test('the last thousand deliveries are kept, whatever is sent, and a line that was cut off costs no other', (t) => {
  const dir = tempDir(t);
  const path = join(dir, 'deliveries.jsonl');
  const deliveries = openDeliveryLog(dir, createLog({ level: 'silent', terminal: false }));
  t.deepEqual(deliveries.list(), []);
  for (let n = 0; n < 5_000; n++) {
    deliveries.note(record(n));
    if (n % 100 === 0) deliveries.close();
  }
  deliveries.note({ ...record(5_000), id: 'y'.repeat(10_000) });
  const all = deliveries.list({ limit: 10_000 });
  t.is(all.length, 1_000);
  t.is(all[0]?.id?.length, 500);
  t.is(all[1]?.id, 'a-4999');
  t.true(fs.statSync(path).size < 2_000_000);
  fs.appendFileSync(path, '{"at":"2026-');
  deliveries.note(record(6_000));
  deliveries.note(record(6_001));
  deliveries.close();
  const again = openDeliveryLog(dir, createLog({ level: 'silent', terminal: false }));
  t.deepEqual(
    again.list({ limit: 2 }).map(({ id }) => id),
    ['a-6001', 'y'.repeat(500)],
    'the first line behind it is lost with it',
  );
  t.is(again.list({ id: 'a-4990', refused: true }).length, 1);
  t.deepEqual(again.list({ id: 'a-4990', refused: false }), []);
  t.deepEqual(again.list({ event: 'webhook.test' }), []);
});
