import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createLauncher } from '../../../../src/git/cli/launcher.js';
import { tempDir } from '../../../support/temp-dir.js';

const RUN = { timeoutMs: 20_000, signals: [] };

/** A launcher whose git writes down its words, its input and its environment, and ends as it is told. */
function launcherIn(t: Parameters<typeof tempDir>[0]) {
  const dir = tempDir(t);
  const bin = join(dir, 'bin');
  fs.mkdirSync(bin);
  const script = `#!/usr/bin/env node
const [,, ...words] = process.argv;
const [command = '', ...rest] = words.slice(words.findIndex((word, index) => index % 2 === 0 && word !== '-c'));
if (command === 'deaf') { process.stderr.write('no room'); process.exit(7); }
const chunks = [];
process.stdin.on('data', (chunk) => {
  chunks.push(chunk);
  if (command === 'fast-import' && Buffer.concat(chunks).toString().endsWith('done\\n')) end();
});
process.stdin.on('end', end);
function end() {
  const { GIT_LITERAL_PATHSPECS: literal, GIT_INDEX_FILE: index } = process.env;
  const said = { rest, input: Buffer.concat(chunks).toString('base64'), literal, index };
  process.stdout.write(JSON.stringify(said), () => process.exit(command === 'fail' ? 1 : 0));
}`;
  fs.writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  const launcher = createLauncher({
    cwd: dir,
    safeDirectory: `${dir}/it's "one"`,
    env: { PATH: `${bin}:${process.env.PATH}` },
  });
  const run = async (args: readonly string[], more: Partial<Parameters<typeof launcher.run>[0]> = {}) => {
    const { code, stdout, stderr } = await launcher.run(
      { args, input: '', isDelimited: false, indexFile: undefined, literalPaths: true, ...more },
      RUN,
    );
    return { code, stderr, stdout, said: () => JSON.parse(stdout.toString()) };
  };
  return { launcher, run };
}

test('words reach git as they are, whatever a shell would make of them', async (t) => {
  const { run } = launcherIn(t);
  const words = [
    '',
    ' ',
    '$HOME `id`',
    "it's",
    '"',
    '\\',
    '\\n',
    '-n',
    '*',
    ';exit',
    'ä – 日本',
    'a\tb ',
    '#',
    '\r',
  ];
  const { code, said } = await run(['echo', ...words]);
  t.is(code, 0);
  t.deepEqual(said(), { rest: words, input: '', literal: '1' });
});

test('an input reaches git byte by byte, and none of it the next command', async (t) => {
  const { run } = launcherIn(t);
  const input = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7 + (index >> 8)) % 256));
  for (const part of [input, input.subarray(0, 1), Buffer.from('no line end')]) {
    const { said } = await run(['echo', 'x'], { input: part });
    t.true(Buffer.from(said().input, 'base64').equals(part));
  }
  const { said } = await run(['fast-import'], { input: 'commands\ndone\n', isDelimited: true });
  t.is(Buffer.from(said().input, 'base64').toString(), 'commands\ndone\n');
  t.deepEqual((await run(['echo'])).said(), { rest: [], input: '', literal: '1' });
});

test('what git says, on both ways, and its exit code are those of this command', async (t) => {
  const { run } = launcherIn(t);
  t.like(await run(['fail', 'a']), { code: 1, stderr: '' });
  const large = Buffer.alloc(200_000, 'mark\n');
  for (let time = 0; time < 3; time++) {
    // it reads nothing of its input, which is left to the shell then
    t.like(await run(['deaf'], { input: large }), { code: 7, stderr: 'no room', stdout: Buffer.alloc(0) });
    t.deepEqual((await run(['echo', 'b'])).said().rest, ['b']);
  }
});

test('an index and patterns are those of one command', async (t) => {
  const { run } = launcherIn(t);
  const index = '/a folder/of $HOME/index';
  t.like((await run(['echo'], { indexFile: index, literalPaths: false })).said(), { literal: '0', index });
  t.deepEqual((await run(['echo'])).said(), { rest: [], input: '', literal: '1' });
});

test('commands that come at the same time run at the same time', async (t) => {
  const { run } = launcherIn(t);
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => run(['echo', String(n)])));
  t.deepEqual(
    answers.map(({ said }) => said().rest),
    Array.from({ length: 8 }, (_, n) => [String(n)]),
  );
});

test('words that cannot be told apart, or are very many, are refused', (t) => {
  const { launcher } = launcherIn(t);
  const command = { input: '', isDelimited: false, indexFile: undefined, literalPaths: true };
  t.true(launcher.accepts({ ...command, args: ['log', 'a b'] }));
  t.false(launcher.accepts({ ...command, args: ['log', 'a\nb'] }));
  t.false(launcher.accepts({ ...command, args: ['log', ...Array.from({ length: 1_000 }, () => 'a path')] }));
  t.false(launcher.accepts({ ...command, args: ['log'], indexFile: '/tmp/a\n/index' }));
});
