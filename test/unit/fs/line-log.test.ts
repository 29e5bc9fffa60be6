import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openLineLog } from '../../../src/fs/line-log.js';
import { tempDir } from '../../support/temp-dir.js';

interface Line {
  readonly n: number;
}

const open = (path: string) => openLineLog(path, (value): value is Line => 'n' in Object(value));

test.serial(
  'a log that is shortened keeps what others append meanwhile, also through the file that was replaced',
  async (t) => {
    const path = join(tempDir(t), 'lines.jsonl');
    const [one, other] = [open(path), open(path)];
    one.append(Array.from({ length: 100 }, (_, n) => ({ n })));
    const before = fs.openSync(path, 'a');
    await one.shorten((lines) => {
      other.append([{ n: 100 }]);
      return lines.slice(-2);
    });
    // Another process has opened the file just before it was replaced.
    const { openSync } = fs;
    t.teardown(() => Object.assign(fs, { openSync }));
    Object.assign(fs, {
      openSync: () => {
        Object.assign(fs, { openSync });
        return before;
      },
    });
    other.append([{ n: 101 }]);
    t.deepEqual(
      open(path)
        .news()
        .map(({ n }) => n),
      [98, 99, 100, 101],
    );
  },
);

test.serial(
  'a log that two processes shorten at the same time keeps what is appended meanwhile',
  async (t) => {
    const path = join(tempDir(t), 'lines.jsonl');
    const [one, other, third] = [open(path), open(path), open(path)];
    one.append(Array.from({ length: 100 }, (_, n) => ({ n })));
    const { renameSync } = fs;
    t.teardown(() => Object.assign(fs, { renameSync }));
    Object.assign(fs, {
      renameSync: (from: string, to: string) => {
        Object.assign(fs, { renameSync });
        renameSync(from, to);
        third.append([{ n: 100 }]);
      },
    });
    await Promise.all([one, other].map((log) => log.shorten((lines) => lines.slice(-2))));
    t.deepEqual(
      open(path)
        .news()
        .map(({ n }) => n),
      [99, 100],
    );
  },
);
