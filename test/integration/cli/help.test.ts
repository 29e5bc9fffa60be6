import test from 'ava';
import { listCommand } from '../../../src/cli/list.js';
import { urlsCommand } from '../../../src/cli/urls.js';
import { runHere } from '../../support/in-process.js';
import { run } from '../../support/receiver.js';
import { tempDir } from '../../support/temp-dir.js';

test('help lists the commands within 80 columns, and help <command> is its --help', async (t) => {
  const [help, flag, ofStart, startFlag] = await Promise.all([
    run(['help']),
    run(['--help']),
    run(['help', 'start']),
    run(['start', '--help']),
  ]);
  t.is(help.code, 0);
  t.regex(help.stdout, /^ {2}publish /m);
  t.is(help.stdout, flag.stdout);
  t.deepEqual(
    help.stdout.split('\n').filter((line) => line.length > 80),
    [],
  );
  t.is(ofStart.code, 0);
  t.regex(ofStart.stdout, /^Usage: pressmark start/);
  t.is(ofStart.stdout, startFlag.stdout);
});

test('a command that does not exist is wrong usage, with help and --help too', async (t) => {
  for (const words of [['stat'], ['stat', '--help'], ['help', 'stat']]) {
    const { code, stderr } = await run(words);
    t.is(code, 2, words.join(' '));
    t.regex(stderr, /unknown command 'stat'\n\(Did you mean (?:one of )?(?:start|status)/);
  }
});

test('list and urls say that there are no articles yet', async (t) => {
  const args = ['--dir', tempDir(t)];
  t.is((await runHere(listCommand(), args)).stdout, 'no articles yet\n');
  t.is((await runHere(listCommand(), [...args, '--json'])).stdout, '[]\n');
  t.is((await runHere(urlsCommand(), args)).stdout, 'no articles yet\n');
});
