import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { openJournal } from '../../../../src/store/write/journal.js';
import { createRandom } from '../../../support/random.js';
import { tempDir } from '../../../support/temp-dir.js';

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

/** Bytes of a journal that is begun anew. */
const LONGEST = 1_000_000;
/** Names of some 100 KB. */
const MANY = 500;

const names = (of: string, count = MANY) =>
  Array.from({ length: count }, (_, n) => `articles/2026/11/${of}-${n}-${'x'.repeat(160)}.md`);

const firstLine = (path: string) => fs.readFileSync(path, 'latin1').split('\n', 1)[0];

test('a journal stays bounded while it is written, and those who read it miss nothing', (t) => {
  const path = join(tempDir(t), 'journal');
  const [writer, reader] = [openJournal(path), openJournal(path)];
  let files = 0;
  let before = firstLine(path);
  for (let n = 0; n < 60; n++) {
    const named = names(`batch-${n}`);
    writer.append(named);
    t.true(fs.statSync(path).size < LONGEST + 200_000);
    const now = firstLine(path);
    if (now !== before && now?.startsWith('{')) files++;
    before = now;
    t.deepEqual(writer.news(), new Set());
    const news = reader.news();
    // The first file has no name yet that the second could refer to.
    if (files === 1 && news === 'everything') continue;
    t.deepEqual(news, new Set(named));
  }
  t.true(files >= 5, `${files} files`);
});

test('who has missed a whole file reads everything, once', (t) => {
  const path = join(tempDir(t), 'journal');
  const [writer, idle] = [openJournal(path), openJournal(path)];
  for (let n = 0; n < 40; n++) writer.append(names(`batch-${n}`));
  t.is(idle.news(), 'everything');
  writer.append(['x.md']);
  t.deepEqual(idle.news(), new Set(['x.md']));
});

test('a process that begins the next file still hears of what others named in the one before', (t) => {
  const path = join(tempDir(t), 'journal');
  const [a, b] = [openJournal(path), openJournal(path)];
  a.append(['x.md']);
  b.append(names('long', 12 * MANY));
  t.true(fs.statSync(path).size < 1_000, 'b has begun it');
  const news = b.news();
  t.true(news !== 'everything' && news.has('x.md'));
});

test('a journal that cannot be begun anew goes on in its file, and is tried again', (t) => {
  const dir = tempDir(t);
  const path = join(dir, 'journal');
  const [a, b] = [openJournal(path), openJournal(path)];
  fs.mkdirSync(`${path}.new`);
  const named = names('long', 12 * MANY);
  a.append(named);
  t.deepEqual(b.news(), new Set(named));
  fs.rmdirSync(`${path}.new`);
  a.append(names('longer', 12 * MANY));
  t.true(fs.statSync(path).size < 1_000);
});

test('whatever the order in which several processes write and read, each hears of all that the others name', (t) => {
  const random = createRandom('journal of several processes');
  const path = join(tempDir(t), 'journal');
  const processes = Array.from({ length: 3 }, () => ({
    journal: openJournal(path),
    /** Named by others since its last look. */
    due: new Set<string>(),
    /** Files begun since its last look. */
    files: 0,
  }));
  let first = firstLine(path);
  let gone = 0;
  for (let step = 0; step < 300; step++) {
    const one = random.pick(processes);
    const news = one.journal.news(); // under the lock, who writes has read before
    if (news === 'everything') {
      t.true(
        one.files >= (gone === one.files ? 1 : 2),
        'only who has missed a file, or the nameless first one',
      );
    } else for (const name of one.due) t.true(news.has(name), name);
    one.due.clear();
    one.files = 0;
    if (random.chance(0.3)) continue;
    const named = names(`step-${step}`, random.integer(1, 2 * MANY));
    one.journal.append(named);
    const now = firstLine(path);
    const isBegun = now !== first && now?.startsWith('{') === true;
    if (isBegun) gone++;
    first = now;
    for (const other of processes) {
      if (other !== one) for (const name of named) other.due.add(name);
      if (other !== one && isBegun) other.files++;
    }
  }
  t.true(gone > 5, `${gone} files`);
});
