import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { linesFrom } from '../../../../src/site/write/line-file.js';
import { tempDir } from '../../../support/temp-dir.js';

function fileOf(t: ExecutionContext, text: string): string {
  const path = join(tempDir(t), 'lines');
  fs.writeFileSync(path, text);
  return path;
}

const all = (path: string, start: number, size: number) => [...linesFrom(path, start, size)];

test('lines of any length come whole, however they lie across the reads', (t) => {
  const lines = [300, 1 << 20, (1 << 20) - 1, 5, 3 * (1 << 20), 0, 700_000, 700_000].map((length, n) =>
    String.fromCharCode(97 + n).repeat(length),
  );
  const text = `${lines.join('\n')}\n`;
  const found = all(fileOf(t, text), 0, text.length);
  t.deepEqual(
    found.flatMap(({ lines }) => lines),
    lines,
  );
  t.is(found.at(-1)?.end, text.length);
});

test('nothing is read behind the size, and no line that has not ended', (t) => {
  const path = fileOf(t, 'one\ntwo\nthree\nfour\n');
  t.deepEqual(all(path, 0, 8), [{ lines: ['one', 'two'], end: 8 }]);
  t.deepEqual(all(path, 4, 11), [{ lines: ['two'], end: 8 }]);
  t.deepEqual(all(path, 8, 10), []);
});
