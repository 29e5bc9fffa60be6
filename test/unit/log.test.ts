import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createLog, REDACTION } from '../../src/log.js';
import { FULL, onLinux } from '../support/full-disk.js';
import { tempDir } from '../support/temp-dir.js';

for (const terminal of [false, true]) {
  onLinux(`a log on a full disk loses its lines and harms nobody, terminal: ${terminal}`, (t) => {
    const log = createLog({ level: 'info', terminal, fd: fs.openSync(FULL, 'w') });
    t.notThrows(() => {
      for (let line = 0; line < 3; line++) log.info({ line }, 'delivery');
    });
  });
}

test('an error is logged with its type, code, message and stack, and without the bytes that it came with', (t) => {
  const path = join(tempDir(t), 'log');
  const log = createLog({ level: 'info', terminal: false, fd: fs.openSync(path, 'w'), atOnce: true });
  const inner = Object.assign(new Error('Parse Error: Invalid character in chunk size'), {
    code: 'HPE_INVALID_CHUNK_SIZE',
    rawPacket: Buffer.from('unverified'),
  });
  const outer = Object.assign(new TypeError('outside', { cause: inner }), { inner });
  const plugin = log.child({ plugin: 'one' }, { redact: REDACTION });
  log.error(inner);
  log.error({ err: outer }, 'with a cause');
  plugin.error({ err: inner }, 'of a plugin');
  plugin.error({ error: inner }, 'under another name');
  plugin.error({ ...inner }, 'its fields');
  plugin.error({ err: 'a text' }, 'not an error');
  const headers = {
    'x-signature': 'unverified',
    authorization: 'unverified',
    cookie: 'unverified',
    host: 'a.example',
  };
  plugin.warn({ request: { headers }, headers }, 'a request');
  const text = fs.readFileSync(path, 'utf8');
  t.notRegex(text, /unverified|"data":\[|117,110,118/);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.like(lines[0].err, { type: 'Error', code: 'HPE_INVALID_CHUNK_SIZE', message: inner.message });
  t.deepEqual(Object.keys(lines[1].err), ['type', 'message', 'stack']);
  t.regex(lines[1].err.stack, /outside[\s\S]*caused by: Error: Parse Error/);
  t.is(lines[5].err, 'a text');
  t.is(lines[6].headers.host, 'a.example');
});

onLinux('a pipe that is full for a while gets the rest of a line byte for byte', (t) => {
  const path = join(tempDir(t), 'pipe');
  execFileSync('mkfifo', [path]);
  const fd = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
  const log = createLog({ level: 'info', terminal: false, fd, atOnce: true });
  const read = () => {
    const bytes = Buffer.alloc(500_000);
    return bytes.subarray(0, fs.readSync(fd, bytes));
  };
  const text = `x${'ä'.repeat(50_000)}`; // more than a pipe takes, which ends within a character
  log.info(text);
  const first = read();
  log.info('more');
  const [line = '', second = ''] = Buffer.concat([first, read()]).toString().split('\n');
  t.is(JSON.parse(line).msg, text);
  t.is(JSON.parse(second).msg, 'more');
});

const HOSTILE = 'a\u001b[2Jb\u009b31mc\u009d0;d\u0007\u202ee\u061cf\u2066g\u2028h\\"i\rj';
const INVISIBLE =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

for (const terminal of [false, true]) {
  test(`no foreign text moves the cursor or turns a line round, terminal: ${terminal}`, (t) => {
    const path = join(tempDir(t), 'log');
    const log = createLog({ level: 'info', terminal, fd: fs.openSync(path, 'w'), atOnce: true });
    log.info({ id: HOSTILE, deep: { list: [HOSTILE] } }, HOSTILE);
    log.error({ err: new Error(`${HOSTILE}\nsecond line`) }, 'an error');
    const text = fs.readFileSync(path, 'utf8');
    t.notRegex(text.replace(/\u001b\[\d*m/g, ''), INVISIBLE, 'besides the colours of the log itself');
    t.regex(text, /\\u202e/);
    if (terminal) {
      t.regex(text, /^\s*second line$/m, 'lines stay lines');
      t.true(text.includes('\\u001b[2J'), 'what was there can be read');
      return;
    }
    const [first, second] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    t.like(first, { id: HOSTILE, deep: { list: [HOSTILE] }, msg: HOSTILE });
    t.is(second.err.message, `${HOSTILE}\nsecond line`);
  });
}
