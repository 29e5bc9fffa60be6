import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { keepLines } from '../../../src/fs/kept-lines.js';
import { tempDir } from '../../support/temp-dir.js';

test('kept lines are read again where another process has added some, and not where nothing has changed', async (t) => {
  const path = join(tempDir(t), 'lines.jsonl');
  const lines = keepLines<{ readonly n: number }>({
    path,
    keep: (all) => all.slice(-3),
    isLine: (value): value is { n: number } => typeof value === 'object' && value !== null && 'n' in value,
    onFailure: (error) => t.fail(String(error)),
  });
  t.deepEqual(await lines.all(), []);
  lines.note({ n: 1 });
  const [first] = await lines.all();
  t.deepEqual(first, { n: 1 });
  t.is((await lines.all())[0], first, 'the same object, so it was not read again');
  fs.appendFileSync(path, '{"n":2}\nhalf a line');
  t.deepEqual(await lines.all(), [{ n: 1 }, { n: 2 }]);
  lines.note({ n: 3 });
  lines.note({ n: 4 });
  t.deepEqual(await lines.all(), [{ n: 2 }, { n: 3 }, { n: 4 }]);
});
