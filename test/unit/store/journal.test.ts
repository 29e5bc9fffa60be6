import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { openJournal } from '../../../src/store/journal.js';
import { tempDir } from '../../support/temp-dir.js';

test('a path that one process names is news to the others once, and never to that process', (t) => {
  const path = join(tempDir(t), 'journal');
  const [a, b] = [openJournal(path), openJournal(path)];
  t.deepEqual(b.news(), new Set());
  a.append(['x.md', 'ordner/ä ö.md']);
  a.append(['x.md']);
  t.deepEqual(a.news(), new Set());
  t.deepEqual(b.news(), new Set(['x.md', 'ordner/ä ö.md']));
  t.deepEqual(b.news(), new Set());
  b.append(['y.md']);
  t.deepEqual(a.news(), new Set(['y.md']));
  t.deepEqual(openJournal(path).news(), new Set(), 'what was there before is old');
});

test('foreign and torn lines are skipped, and those behind them are read', (t) => {
  const path = join(tempDir(t), 'journal');
  const [a, b] = [openJournal(path), openJournal(path)];
  fs.appendFileSync(path, 'rubbish\n00000000 wrong-checksum.md\n\n');
  a.append(['one.md']);
  fs.appendFileSync(path, 'deadbeef cut-o');
  a.append(['two.md']);
  t.deepEqual(b.news(), new Set(['one.md', 'two.md']));
  t.deepEqual(a.news(), new Set(['one.md', 'two.md']), 'behind foreign lines it reads its own again');
});

test('a journal that was removed, replaced or cut short means that everything must be read', (t) => {
  const path = join(tempDir(t), 'journal');
  const spoil = {
    removed: () => fs.unlinkSync(path),
    'removed with its folder': () => fs.rmSync(dirname(path), { recursive: true }),
    replaced: () => {
      fs.writeFileSync(`${path}.new`, '');
      fs.renameSync(`${path}.new`, path);
    },
    'cut short': () => fs.truncateSync(path, 3),
  };
  for (const [how, work] of Object.entries(spoil)) {
    const [a, b] = [openJournal(path), openJournal(path)];
    a.append(['x.md']);
    b.news();
    work();
    t.is(b.news(), 'everything', how);
    t.deepEqual(b.news(), new Set());
    b.append(['y.md']);
    t.deepEqual(openJournal(path).news(), new Set());
    a.close();
    b.close();
  }
});

test('only a long journal is begun anew', (t) => {
  const path = join(tempDir(t), 'journal');
  const [a, b] = [openJournal(path), openJournal(path)];
  a.append(['x.md']);
  t.false(a.rotate());
  a.append(Array.from({ length: 30_000 }, (_, n) => `articles/2026/11/an-article-${n}.md`));
  t.true(a.rotate());
  t.is(fs.statSync(path).size, 0);
  t.is(b.news(), 'everything');
});

test('a process that begins a journal anew reads everything, where it had not read the journal to its end', (t) => {
  const path = join(tempDir(t), 'journal');
  const [a, b] = [openJournal(path), openJournal(path)];
  a.append(Array.from({ length: 30_000 }, (_, n) => `articles/2026/11/an-article-${n}.md`));
  t.true(b.rotate());
  t.is(b.news(), 'everything');
  t.deepEqual(b.news(), new Set());
});
