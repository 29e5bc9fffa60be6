import fs from 'node:fs';
import test from 'ava';
import { runHere } from '../../support/in-process.js';
import { tempDir } from '../../support/temp-dir.js';

test('demo --exit shows the whole life of an article, from its publication to a refused update, and removes its site', async (t) => {
  const folder = tempDir(t);
  const { code, stdout, stderr } = await runHere(['demo', '--exit'], { TMPDIR: folder });
  t.deepEqual([code, stderr], [0, '']);
  const statuses = [...stdout.matchAll(/^(\d{3}) {2}/gm)].map(([, status]) => status);
  t.deepEqual(statuses, ['200', '200', '200', '200', '200', '200', '200', '409']);
  t.is([...stdout.matchAll(/commit {2}[0-9a-f]{10} {2}Publish: /g)].length, 3);
  t.regex(stdout, /commit {2}[0-9a-f]{10} {2}Update: What a pressmark is, and what it is not/);
  t.regex(stdout, /page {4}public\/articles\/what-a-pressmark-is\/index\.html/);
  t.deepEqual(fs.readdirSync(folder), []);
});
