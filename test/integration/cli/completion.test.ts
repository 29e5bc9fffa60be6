import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { COMMANDS } from '../../../src/cli/program.js';
import { runHere } from '../../support/in-process.js';
import { tempDir } from '../../support/temp-dir.js';

test('bash completes commands, options, and words where there are some', async (t) => {
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
  t.deepEqual(offered('p').sort(), ['plugin', 'plugins', 'postbuild', 'publish']);
  t.deepEqual(offered('help', 'del'), ['deliveries']);
  t.deepEqual(offered('publish', '--base'), ['--base-url']);
  t.deepEqual(offered('deliveries', 'c'), ['cancel']);
  t.deepEqual(offered('deliveries', '--status', 'p'), ['pending']);
  t.deepEqual(offered('publish', '--report', ''), [], 'a file, which bash knows');
  t.deepEqual(offered('publish', ''), []);
});

test('zsh takes the script for bash, and that for fish has every command with each of its options', async (t) => {
  const script = async (shell: string) => (await runHere(['completion', shell])).stdout;
  const [bash, zsh, fish] = [await script('bash'), await script('zsh'), await script('fish')];
  t.is(zsh, `autoload -Uz bashcompinit && bashcompinit\n${bash}`);
  for (const load of Object.values(COMMANDS)) {
    const command = await load();
    const name = command.name();
    for (const { long } of command.options) {
      const when = `-n '__fish_seen_subcommand_from ${name}' -l ${long?.slice(2)}`;
      t.regex(fish, new RegExp(`${when}(?: |$)`, 'm'));
    }
  }
});
