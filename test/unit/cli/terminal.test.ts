import test from 'ava';
import { interruptSignal } from '../../../src/cli/signals.js';
import { aligned, printable, printJson, progressLine, unexpected } from '../../../src/cli/terminal.js';

const HOSTILE = 'a\u001b[2Jb\u009b31m\u202ec\u061cd\u2066';

test('a foreign text is on one line, and its control characters are visible', (t) => {
  t.is(printable(`${HOSTILE}\ne`), 'a\\u001b[2Jb\\u009b31m\\u202ec\\u061cd\\u2066⏎e');
});

test('columns are as wide as their widest cell, and there may be 200,000 rows', (t) => {
  t.deepEqual(
    aligned([
      ['a', 'b', ''],
      ['long', 'c', 'd'],
    ]),
    ['a     b', 'long  c  d'],
  );
  const rows = Array.from({ length: 200_000 }, (_, n) => [String(n), 'title']);
  t.is(aligned(rows)[7], '7       title');
});

test('what the system refuses for lack of permission says who needs it; a fault of the program shows its stack', (t) => {
  const refused = Object.assign(new Error("EACCES: not permitted, mkdir '/srv/site'"), { code: 'EACCES' });
  t.is(
    unexpected(refused),
    "EACCES: not permitted, mkdir '/srv/site'; let the user who runs Pressmark read and write there",
  );
  const many = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  t.is(unexpected(many), 'EMFILE: too many open files; raise the limit of open files (ulimit -n)');
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  t.is(unexpected(full), 'ENOSPC: no space left on device');
  t.regex(unexpected(new Error('a fault')), /^Error: a fault\n\s+at /);
});

test.serial('JSON of foreign texts is JSON of the same value, without control characters', (t) => {
  const { log } = console;
  let printed = '';
  console.log = (text: string) => {
    printed += text;
  };
  try {
    printJson({ id: HOSTILE, lines: ['a\nb'] }, 2);
  } finally {
    console.log = log;
  }
  t.deepEqual(JSON.parse(printed), { id: HOSTILE, lines: ['a\nb'] });
  t.regex(printed, /^[\n -~]+$/);
});

test.serial('the moving line is written over on a terminal, and nowhere else', (t) => {
  const { write, isTTY } = process.stderr;
  let written = '';
  process.stderr.write = (text: string | Uint8Array) => {
    written += text;
    return true;
  };
  const shownOn = (terminal: boolean) => {
    written = '';
    Object.assign(process.stderr, { isTTY: terminal });
    const line = progressLine();
    line.show('1 of 2');
    line.show('2 of 2');
    line.clear();
    return written;
  };
  try {
    t.is(shownOn(true), '1 of 2\r\u001b[K2 of 2\r\u001b[K');
    t.is(shownOn(false), '');
  } finally {
    Object.assign(process.stderr, { write, isTTY });
  }
});

test('the first signal aborts, and after it any signal ends the process', (t) => {
  const names = ['SIGINT', 'SIGTERM'] as const;
  const before = names.map((name) => process.listeners(name));
  const signal = interruptSignal();
  const [stop] = process.listeners('SIGINT').filter((one) => !before[0]?.includes(one));
  t.false(signal.aborted);
  stop?.('SIGINT');
  t.true(signal.aborted);
  t.deepEqual(
    names.map((name) => process.listeners(name)),
    before,
  );
});
