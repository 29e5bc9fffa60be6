import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openLineFile } from '../../../../src/site/write/line-file.js';
import { tempDir } from '../../../support/temp-dir.js';

interface Line {
  readonly text: string;
}

/** A file of lines as two processes have it open. */
function opened(t: ExecutionContext) {
  const path = join(tempDir(t), 'lines');
  const open = () => openLineFile<Line>(path, { about: 'a test' }, () => []);
  const [writer, reader] = [open(), open()];
  return { path, append: writer.append, read: () => [...reader.readNew().lines].map((line) => line?.text) };
}

test('lines of any length come whole, however they lie across the reads', (t) => {
  const { append, read } = opened(t);
  const texts = [300, 1 << 20, (1 << 20) - 1, 5, 3 * (1 << 20), 0, 700_000, 700_000].map((length, n) =>
    String.fromCharCode(97 + n).repeat(length),
  );
  append(texts.map((text) => ({ text })));
  t.deepEqual(read(), texts);
});

test('a line is read once, and not before it has ended', (t) => {
  const { path, append, read } = opened(t);
  append([{ text: 'one' }]);
  fs.appendFileSync(path, '{"text":"t');
  t.deepEqual(read(), ['one']);
  t.deepEqual(read(), []);
  fs.appendFileSync(path, 'wo"}\n');
  t.deepEqual(read(), ['two']);
});
