import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { gitIn } from '../../support/clones.js';
import { tempDir } from '../../support/temp-dir.js';
import { createDisk, type Tree } from './crash-model.js';
import { isAbout, replay, type Step } from './recorded-disk.js';
import { blobsInIndex } from './repository-state.js';
import { type Call, hexOf, parseStrace, processesOf } from './strace-log.js';

const ROOT = '/site';

/** A text as strace writes it with `-xx`. */
const quoted = (text: string) => `"${hexOf(text)}"`;
const fd = (number: number, path: string) => `${number}<${hexOf(path)}>`;
const here = `AT_FDCWD<${hexOf(ROOT)}>`;

/** Makes a log of strace: each line has a thread and the text after the time. */
function log(...lines: readonly (readonly [thread: number, text: string])[]): string {
  return lines.map(([thread, text], index) => `${thread} 1795360000.${index} ${text}\n`).join('');
}

function stepsOf(text: string, base: Tree = new Map()): { readonly steps: Step[]; readonly names: string[] } {
  const disk = createDisk(base);
  const steps = [...replay(disk, parseStrace(text, isAbout(ROOT)), ROOT)];
  const names = [...disk.root.entries].map(([name, node]) =>
    node.kind === 'file' ? `${name}: ${node.written}` : `${name}/`,
  );
  return { steps, names };
}

test('a call is read with its strings, its descriptors and its result', (t) => {
  const [call] = parseStrace(log([7, `write(${fd(3, '/site/a.md')}, ${quoted('A "text"\n')}, 9) = 9`]));
  t.like(call, { thread: 7, name: 'write', text: 'F, S, 9', result: 9, time: 1795360000 });
  t.deepEqual(call?.strings.map(String), ['A "text"\n']);
  t.deepEqual(call?.descriptors, [{ number: 3, path: '/site/a.md', deleted: false }]);
});

test('a call with two lines in the log, unfinished and resumed, is read as one call', (t) => {
  const text = log(
    [7, `fsync(${fd(3, '/site')} <unfinished ...>`],
    [8, `mkdir(${quoted('/site/b')}, 0777) = 0`],
    [7, '<... fsync resumed>)              = 0'],
  );
  const calls = parseStrace(text).map(({ name, begin, end }) => [name, begin, end]);
  t.deepEqual(calls, [
    ['mkdir', 1, 1],
    ['fsync', 0, 2],
  ]);
});

test('a failed call has a negative result, and an injected failure is marked', (t) => {
  const [call] = parseStrace(
    log([7, `rename(${quoted('a')}, ${quoted('b')}) = -1 EIO (Input/output error) (INJECTED)`]),
  );
  t.like(call, { result: -1, injected: true });
});

test('a string that strace has truncated is an error', (t) => {
  t.throws(() => parseStrace(log([7, `write(${fd(3, '/site/a')}, ${quoted('abc')}..., 9) = 9`])), {
    message: /has truncated a string/,
  });
});

test('threads belong to the process that made them', (t) => {
  const text = log(
    [7, 'clone3({flags=CLONE_VM|CLONE_THREAD}, 88) = 8'],
    [8, 'clone3({flags=CLONE_VM|CLONE_THREAD}, 88) = 9'],
    [7, 'clone(child_stack=NULL, flags=SIGCHLD) = 10'],
  );
  t.deepEqual(
    [...processesOf(parseStrace(text))],
    [
      [8, 7],
      [9, 7],
    ],
  );
});

test('a file that is opened, written, linked and unlinked is found under its new name', (t) => {
  const { names, steps } = stepsOf(
    log(
      [7, `openat(${here}, ${quoted('temp')}, O_WRONLY|O_CREAT|O_EXCL, 0666) = ${fd(3, '/site/temp')}`],
      [7, `write(${fd(3, '/site/temp')}, ${quoted('one ')}, 4) = 4`],
      [
        7,
        `writev(${fd(3, '/site/temp')}, [{iov_base=${quoted('two')}, iov_len=3}, {iov_base=${quoted('!')}, iov_len=1}], 2) = 4`,
      ],
      [7, `close(${fd(3, '/site/temp')}) = 0`],
      [7, `link(${quoted('/site/temp')}, ${quoted('/site/a.md')}) = 0`],
      [7, `unlink(${quoted('temp')}) = 0`],
    ),
  );
  t.deepEqual(names, ['a.md: one two!']);
  t.deepEqual(
    steps.map(({ what }) => what),
    ['openat temp', 'write temp', 'writev temp', 'link a.md', 'unlink temp'],
  );
});

test('data is written at the current position, after reads and seeks, or at the end of a file that is opened with O_APPEND', (t) => {
  const base: Tree = new Map([
    ['a', Buffer.from('0123456789')],
    ['b', Buffer.from('01')],
  ]);
  const { names } = stepsOf(
    log(
      [7, `openat(${here}, ${quoted('a')}, O_RDWR) = ${fd(3, '/site/a')}`],
      [7, 'read(0x3, 0x7ffc, 0x100) = 0xa'],
      [7, `write(${fd(3, '/site/a')}, ${quoted('end')}, 3) = 3`],
      [7, `lseek(${fd(3, '/site/a')}, 0, SEEK_SET) = 0`],
      [7, `write(${fd(3, '/site/a')}, ${quoted('X')}, 1) = 1`],
      [7, `pwrite64(${fd(3, '/site/a')}, ${quoted('Y')}, 1, 5) = 1`],
      [7, `openat(${here}, ${quoted('b')}, O_WRONLY|O_APPEND) = ${fd(4, '/site/b')}`],
      [7, `write(${fd(4, '/site/b')}, ${quoted('23')}, 2) = 2`],
    ),
    base,
  );
  t.deepEqual(names, ['a: X1234Y6789end', 'b: 0123']);
});

test('a call of another thread that ends later in the log is applied first if a call depends on it', (t) => {
  const { names } = stepsOf(
    log(
      [7, `rename(${quoted('/site/a')}, ${quoted('/site/b')} <unfinished ...>`],
      [8, `unlink(${quoted('/site/b')}) = 0`],
      [7, '<... rename resumed>) = 0'],
    ),
    new Map([['a', Buffer.from('')]]),
  );
  t.deepEqual(names, []);
});

test('an answer with status 200 is a step at the beginning of its write', (t) => {
  const answer = quoted('HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n');
  const { steps } = stepsOf(
    log([
      7,
      `writev(29<${hexOf('socket:[1]')}>, [{iov_base=${answer}, iov_len=40}, {iov_base=${quoted('{"id":"a"}')}, iov_len=10}], 2) = 50`,
    ]),
  );
  t.deepEqual(
    steps.map((step) => step.answer),
    ['{"id":"a"}'],
  );
});

test('a call that the model does not know is an error', (t) => {
  t.throws(() => stepsOf(log([7, `symlink(${quoted('a')}, ${quoted('/site/b')}) = 0`])), {
    message: /does not know symlink/,
  });
});

test('calls outside of the root change nothing', (t) => {
  const calls: readonly Call[] = parseStrace(
    log(
      [7, `openat(${here}, ${quoted('/etc/passwd')}, O_RDWR|O_CREAT, 0666) = ${fd(3, '/etc/passwd')}`],
      [7, `write(${fd(3, '/etc/passwd')}, ${quoted('x')}, 1) = 1`],
      [7, `unlink(${quoted('/tmp/x')}) = 0`],
    ),
  );
  t.deepEqual([...replay(createDisk(new Map()), calls, ROOT)], []);
});

test('the blobs of an index are those that git lists', (t) => {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet');
  const names = ['a', 'seven-7', 'eight-88', 'nine-nine', 'folder/with a longer name.md'];
  fs.mkdirSync(join(dir, 'folder'));
  for (const name of names) fs.writeFileSync(join(dir, name), name);
  gitIn(dir, 'add', '.');
  const listed = gitIn(dir, 'ls-files', '--format=%(objectname) %(path)').trimEnd().split('\n');
  t.is(listed.length, names.length);
  const blobs = blobsInIndex(fs.readFileSync(join(dir, '.git/index')));
  t.deepEqual(
    [...blobs].map(([path, blob]) => `${blob} ${path}`),
    listed,
  );
});
