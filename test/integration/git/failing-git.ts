import fs from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '../../support/temp-dir.js';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A git that fails, or kills the receiver that runs it, at a command that a test names. */
export function gitThatFails(t: Parameters<typeof tempDir>[0]) {
  const bin = tempDir(t);
  const rule = join(bin, 'rule');
  const [hold, held] = [join(bin, 'hold'), join(bin, 'held')];
  const { PATH = '' } = process.env;
  const script = [
    '#!/bin/sh',
    `PATH='${PATH}'`,
    `if [ -e '${rule}' ]; then`,
    `  read -r what command times < '${rule}'`,
    '  case " $* " in *" $command "*)',
    `    while [ "$times" = 1 ] && [ -e '${hold}' ]; do [ -s '${held}' ] || echo $$ > '${held}'; sleep 0.02; done`,
    '    case $what in fail) exit 128;; esac',
    `    if [ "$times" -gt 1 ]; then echo "$what $command $((times - 1))" > '${rule}'; else`,
    `      rm '${rule}'`,
    '      case $what in killed-after) git "$@";; esac',
    // its parent is the receiver, or a shell by way of which the receiver runs git
    '      receiver=$PPID',
    '      while grep -q "sh$" /proc/$receiver/comm; do receiver=$(cut -d " " -f 4 /proc/$receiver/stat); done',
    '      kill -9 $receiver; exit 137',
    '    fi;;',
    '  esac',
    'fi',
    'exec git "$@"',
    '',
  ];
  fs.writeFileSync(join(bin, 'git'), script.join('\n'), { mode: 0o755 });
  const release = () => {
    fs.rmSync(hold, { force: true });
    fs.rmSync(held, { force: true });
  };
  return {
    env: { PATH: `${bin}:${PATH}` },
    /** From now on, each such command fails; or the receiver is killed at the `times`th of them. */
    set: (what: 'fail' | 'killed-before' | 'killed-after', command: string, times = 1) =>
      fs.writeFileSync(rule, `${what} ${command} ${times}\n`),
    /** The command that fails or kills waits for `release`, such as until the receiver has answered. */
    hold: () => fs.writeFileSync(hold, ''),
    /** Whether it waits. */
    isHeld: () => fs.existsSync(held),
    /** Whether the command that waits, or has waited, still runs. */
    isRunning: () => {
      const pid = fs.existsSync(held) ? Number(fs.readFileSync(held, 'utf8')) : undefined;
      return pid === 0 || (pid !== undefined && isAlive(pid));
    },
    release,
    /** From now on, all commands work. */
    clear: () => {
      fs.rmSync(rule, { force: true });
      release();
    },
  };
}
