import test from 'ava';
import { printable, printJson, unexpected } from '../../../src/cli/terminal.js';

const HOSTILE = 'a\u001b[2Jb\u009b31m\u202ec\u061cd\u2066';

test('a foreign text is on one line, and its control characters are visible', (t) => {
  t.is(printable(`${HOSTILE}\ne`), 'a\\u001b[2Jb\\u009b31m\\u202ec\\u061cd\\u2066⏎e');
});

test('what the system refuses for lack of permission says who needs it; a fault of the program shows its stack', (t) => {
  const refused = Object.assign(new Error("EACCES: not permitted, mkdir '/srv/site'"), { code: 'EACCES' });
  t.is(
    unexpected(refused),
    "EACCES: not permitted, mkdir '/srv/site'; let the user who runs Pressmark read and write there",
  );
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
