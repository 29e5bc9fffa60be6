import test from 'ava';
import { runHere } from '../../support/in-process.js';
import { run } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

test('help lists the commands within 80 columns, and help <command> is its --help', async (t) => {
  const help = await run(['help']);
  t.is(help.code, 0);
  t.regex(help.stdout, /^ {2}publish /m);
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

test('a command that does not exist is wrong usage, with help and --help too', async (t) => {
  const said = /unknown command 'stat'\n\(Did you mean (?:one of )?(?:start|status)/;
  const { code, stderr } = await run(['stat']);
  t.is(code, 2);
  t.regex(stderr, said);
  for (const words of [
    ['stat', '--help'],
    ['help', 'stat'],
  ]) {
    const ended = await runHere(words);
    t.is(ended.code, 2, words.join(' '));
    t.regex(ended.stderr, said);
  }
});

test('list and urls say that there are no articles yet', async (t) => {
  const args = ['--dir', tempDir(t)];
  t.is((await runHere(['list', ...args])).stdout, 'no articles yet\n');
  t.is((await runHere(['list', ...args, '--json'])).stdout, '[]\n');
  t.is((await runHere(['urls', ...args])).stdout, 'no articles yet\n');
});
