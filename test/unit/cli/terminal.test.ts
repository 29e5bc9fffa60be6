import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { printable, printJson } from '../../../src/cli/terminal.js';

const HOSTILE = 'a\u001b[2Jb\u009b31m\u202ec\u061cd\u2066';

test('a foreign text is on one line, and its control characters are visible', (t) => {
  t.is(printable(`${HOSTILE}\ne`), 'a\\u001b[2Jb\\u009b31m\\u202ec\\u061cd\\u2066⏎e');
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

test('every command prints JSON in this way', (t) => {
  const folder = new URL('../../../../src/cli/', import.meta.url);
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'));
  t.true(files.length > 10);
  const direct = files.filter((name) =>
    /(?:console\.log|stdout\.write)\(\s*JSON\.stringify/.test(
      fs.readFileSync(join(folder.pathname, name), 'utf8'),
    ),
  );
  t.deepEqual(direct, []);
});
