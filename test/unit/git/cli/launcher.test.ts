import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createLaunchedGit } from '../../../../src/git/cli/launcher.js';
import { tempDir } from '../../../support/temp-dir.js';

/** A runner whose git writes down its words, its input and its environment, and ends as it is told. */
function launcherIn(t: Parameters<typeof tempDir>[0]) {
  const dir = tempDir(t);
  const bin = join(dir, 'bin');
  fs.mkdirSync(bin);
  const script = `#!/usr/bin/env node
const [,, ...words] = process.argv;
const [command = '', ...rest] = words.slice(words.findIndex((word, index) => index % 2 === 0 && word !== '-c'));
if (command === 'deaf') { process.stderr.write('no room'); process.exit(7); }
const chunks = [];
process.stdin.on('data', (chunk) => chunks.push(chunk));
process.stdin.on('end', () => {
  const { GIT_INDEX_FILE: index } = process.env;
  const said = { rest, input: Buffer.concat(chunks).toString('base64'), index };
  process.stdout.write(JSON.stringify(said), () => process.exit(command === 'fail' ? 1 : 0));
});`;
  fs.writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  const git = createLaunchedGit({
    cwd: dir,
    safeDirectory: `${dir}/it's "one"`,
    env: { PATH: `${bin}:${process.env.PATH}` },
  });
  const run = async (...[args, options]: Parameters<typeof git>) => {
    const { code, bytes } = await git(args, { timeoutMs: 20_000, ...options });
    return { code, said: () => JSON.parse(bytes.toString()) };
  };
  return { git, run };
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
  t.deepEqual(said(), { rest: words, input: '' });
});

test('an input reaches git byte by byte, and none of it the next command', async (t) => {
  const { run } = launcherIn(t);
  const input = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7 + (index >> 8)) % 256));
  for (const part of [input, input.subarray(0, 1), Buffer.from('no line end')]) {
    const { said } = await run(['echo', 'x'], { input: part });
    t.true(Buffer.from(said().input, 'base64').equals(part));
  }
  t.deepEqual((await run(['echo'])).said(), { rest: [], input: '' });
});

test('what git says, on both ways, and its exit code are those of this command', async (t) => {
  const { git, run } = launcherIn(t);
  t.like(await run(['fail', 'a'], { accept: [1] }), { code: 1 });
  await t.throwsAsync(git(['fail', 'a']), { code: 'GIT_FAILED', message: 'git fail ended with exit code 1' });
  const large = Buffer.alloc(200_000, 'mark\n');
  for (let time = 0; time < 3; time++) {
    // it reads nothing of its input, which is left to the shell then
    const { message, cause } = await git(['-c', 'a.b=c', 'deaf'], { input: large }).then(
      () => t.fail(),
      (error) => error,
    );
    t.deepEqual([message, cause.message], ['git deaf ended with exit code 7', 'no room']);
    t.deepEqual((await run(['echo', 'b'])).said().rest, ['b']);
  }
});

test('an index is that of one command', async (t) => {
  const { run } = launcherIn(t);
  const index = '/a folder/of $HOME/index';
  t.like((await run(['echo'], { indexFile: index })).said(), { index });
  t.deepEqual((await run(['echo'])).said(), { rest: [], input: '' });
});

test('commands that come at the same time run at the same time', async (t) => {
  const { run } = launcherIn(t);
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => run(['echo', String(n)])));
  t.deepEqual(
    answers.map(({ said }) => said().rest),
    Array.from({ length: 8 }, (_, n) => [String(n)]),
  );
});

test('words that a shell could not tell apart, or that are very many, reach git as well', async (t) => {
  const { run } = launcherIn(t);
  for (const words of [['a\nb'], ['a b', ...Array.from({ length: 1_000 }, () => 'a path')]])
    t.deepEqual((await run(['echo', ...words])).said().rest, words);
  const indexFile = '/tmp/a\n/index ';
  t.like((await run(['echo'], { indexFile })).said(), { index: indexFile });
});
