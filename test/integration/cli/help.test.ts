import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { COMMANDS } from '../../../src/cli/program.js';
import { reply, startEndpoint } from '../../support/endpoint.js';
import { runHere } from '../../support/in-process.js';
import { tempDir } from '../../support/temp-dir.js';

test('help lists the commands within 80 columns, and help <command> is its --help', async (t) => {
  const help = await runHere(['help']);
  t.is(help.code, 0);
  const groups = help.stdout
    .split(/^(?=[A-Z][a-z ]+:$)/m)
    .map((group) => group.match(/^(?:[A-Z][a-z ]+:| {2}[a-z-]+)/gm));
  t.deepEqual(
    groups.slice(2).map((group) => group?.slice(0, 2).join('')),
    [
      'Receiver:  init',
      'Articles:  list',
      'Sender:  connect',
      'Checker:  check',
      'Plugins and admin:  plugin',
      'Shell:  completion',
    ],
  );
  t.is((await runHere(['--help'])).stdout, help.stdout);
  t.deepEqual(
    help.stdout.split('\n').filter((line) => line.length > 80),
    [],
  );
  const ofStart = await runHere(['help', 'start']);
  t.is(ofStart.code, 0);
  t.regex(ofStart.stdout, /^Usage: pressmark start/);
  t.is((await runHere(['start', '--help'])).stdout, ofStart.stdout);
});

test('a command that does not exist is wrong usage, with help too', async (t) => {
  const said = /unknown command 'stat'\n\(Did you mean (?:one of )?(?:start|status)/;
  const { code, stderr } = await runHere(['stat']);
  t.is(code, 2);
  t.regex(stderr, said);
  const ofHelp = await runHere(['help', 'stat']);
  t.is(ofHelp.code, 2);
  t.regex(ofHelp.stderr, said);
});

test('--config names another file, for the processes that a command starts too; one that is missing is wrong usage', async (t) => {
  const dir = tempDir(t);
  const config = join(tempDir(t), 'other.config.json');
  fs.writeFileSync(config, '{ "siteUrl": "https://named.example", "git": false }');
  const found = await runHere(['doctor', '--dir', dir, '--config', config, '--json']);
  t.regex(found.stdout, /named\.example/);
  const missing = await runHere(['list', '--dir', dir, '--config', 'none.json']);
  t.is(missing.code, 2);
  t.regex(
    missing.stderr,
    /^pressmark: the config ".*none\.json" is not there; correct --config or PRESSMARK_CONFIG\n$/,
  );
});

test('--quiet prints errors, and JSON where it is asked for; --verbose prints the causes of an error', async (t) => {
  const dir = tempDir(t);
  fs.mkdirSync(join(dir, 'content'));
  t.deepEqual(await runHere(['list', '--dir', dir, '--quiet']), { code: 0, stdout: '', stderr: '' });
  t.is((await runHere(['list', '--dir', dir, '--quiet', '--json'])).stdout, '[]\n');
  t.is((await runHere(['list', '--dir', dir])).stdout, 'no articles yet\n', 'the next command prints again');
  const broken = join(dir, 'pressmark.config.json');
  fs.writeFileSync(broken, '{');
  const quiet = await runHere(['list', '--dir', dir, '--quiet']);
  t.is(quiet.code, 2);
  t.regex(quiet.stderr, /^pressmark: .*cannot be read: [^\n]+\n$/);
  const verbose = await runHere(['list', '--dir', dir, '--verbose']);
  t.regex(verbose.stderr, /^pressmark: .*cannot be read.*\n {2}because: SyntaxError: /);
  t.is((await runHere(['list', '--dir', dir, '--quiet', '--verbose'])).code, 2);
});

test('bash completes commands, options, and the words that an argument may be', async (t) => {
  const { code, stdout } = await runHere(['completion', 'bash']);
  t.is(code, 0);
  const dir = tempDir(t);
  const script = join(dir, 'completion.bash');
  fs.writeFileSync(script, stdout);
  /** What bash has to offer for the last of these words. */
  const offered = (...words: string[]) =>
    execFileSync(
      'bash',
      [
        '--norc',
        '-uc',
        `source "$1"; shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
        "$(complete -p pressmark | sed 's/.*-F \\([^ ]*\\).*/\\1/')"
        printf '%s\\n' "\${COMPREPLY[@]}"`,
        'bash',
        script,
        'pressmark',
        ...words,
      ],
      { encoding: 'utf8' },
    )
      .split('\n')
      .filter((line) => line !== '');
  t.deepEqual(offered('pu'), ['publish']);
  t.deepEqual(offered('help', 'del'), ['deliveries']);
  t.deepEqual(offered('publish', '--base'), ['--base-url']);
  t.deepEqual(offered('deliveries', 'c'), ['cancel']);
  t.deepEqual(offered('publish', '--report', ''), [], 'a file, which bash knows');
});

test('the script for fish has every command with each of its options', async (t) => {
  const { stdout } = await runHere(['completion', 'fish']);
  for (const load of Object.values(COMMANDS)) {
    const command = await load();
    for (const { long } of command.options)
      t.regex(
        stdout,
        new RegExp(`-n '__fish_seen_subcommand_from ${command.name()}' -l ${long?.slice(2)}(?: |$)`, 'm'),
      );
  }
});

test('demo --exit shows the whole life of an article, from its publication to a refused update, and removes its site; at a port in use it makes none', async (t) => {
  const { origin } = await startEndpoint(t, reply(200));
  const taken = await runHere(['demo', '--exit', '--port', new URL(origin).port]);
  t.is(taken.code, 1);
  t.regex(taken.stderr, /is in use/);
  const { code, stdout, stderr } = await runHere(['demo', '--exit']);
  t.deepEqual([code, stderr], [0, '']);
  const statuses = [...stdout.matchAll(/^(\d{3}) {2}/gm)].map(([, status]) => status);
  t.deepEqual(statuses, ['200', '200', '200', '200', '200', '200', '200', '409']);
  // The demo does not wait for ever: on a machine that is very slow it may go on without one of them.
  t.regex(stdout, /^ +commit {2}[0-9a-f]{10} {2}(?:Publish|Update): What a pressmark is/m);
  t.regex(stdout, /^ +page {4}\/articles\/[^/]+\/, live after \d+ ms$/m);
  // Not by a TMPDIR for the command: the other tests of the process would put their folders there.
  t.deepEqual(
    fs.readdirSync(tmpdir()).filter((name) => name.startsWith('pressmark-demo-')),
    [],
  );
});
