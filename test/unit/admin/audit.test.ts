import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openAudit } from '../../../src/admin/audit.js';
import { openStorage } from '../../../src/host/storage.js';
import { tempDir } from '../../support/temp-dir.js';

test('the audit log begins anew when it is full, and the last records are read from both files', async (t) => {
  const folder = join(tempDir(t), 'admin');
  const logs = [1, 2].map(() => openAudit(openStorage('admin', folder), 1_000));
  for (let n = 0; n < 25; n++)
    await logs[n % 2]?.note({
      at: '2026-11-20T08:00:00Z',
      who: 'Ada',
      from: '127.0.0.1',
      what: `setup:${n}`,
    });
  const sizes = ['audit.jsonl', 'audit.older.jsonl'].map((name) => fs.statSync(join(folder, name)).size);
  t.true(sizes.every((size) => size < 1_100));
  t.true(sizes[1] !== undefined && sizes[1] >= 1_000);
  t.deepEqual(
    (await logs[0]?.last(10))?.map(({ what }) => what),
    Array.from({ length: 10 }, (_, n) => `setup:${24 - n}`),
  );
});
