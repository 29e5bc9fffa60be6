import fs from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { tempDir } from './temp-dir.js';

/** A git that fails, or kills the receiver that runs it, at a command that a test names. */
export function gitThatFails(t: ExecutionContext) {
  const bin = tempDir(t);
  const rule = join(bin, 'rule');
  const { PATH = '' } = process.env;
  const script = [
    '#!/bin/sh',
    `PATH='${PATH}'`,
    `if [ -e '${rule}' ]; then`,
    `  read -r what command times < '${rule}'`,
    '  case " $* " in *" $command "*)',
    '    case $what in fail) exit 128;; esac',
    `    if [ "$times" -gt 1 ]; then echo "$what $command $((times - 1))" > '${rule}'; else`,
    `      rm '${rule}'`,
    '      case $what in killed-after) git "$@";; esac',
    '      kill -9 $PPID; exit 137',
    '    fi;;',
    '  esac',
    'fi',
    'exec git "$@"',
    '',
  ];
  fs.writeFileSync(join(bin, 'git'), script.join('\n'), { mode: 0o755 });
  return {
    env: { PATH: `${bin}:${PATH}` },
    set: (what: 'fail' | 'killed-before' | 'killed-after', command: string, times = 1) =>
      fs.writeFileSync(rule, `${what} ${command} ${times}\n`),
    mend: () => fs.rmSync(rule, { force: true }),
  };
}
