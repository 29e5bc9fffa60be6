import fs from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { tempDir } from './temp-dir.js';

/** A git that writes down each command that it is asked for, and waits before it as long as a test wants. */
export function gitThatCounts(t: ExecutionContext) {
  const bin = tempDir(t);
  const [commands, hold, held] = ['commands', 'hold', 'held'].map((name) => join(bin, name));
  if (commands === undefined || hold === undefined || held === undefined) throw new Error('no files');
  const { PATH = '' } = process.env;
  const script = [
    '#!/bin/sh',
    `PATH='${PATH}'`,
    // the first argument that neither is a setting nor says that one follows
    'name= isSetting=',
    'for argument; do',
    '  if [ -n "$isSetting" ]; then isSetting=',
    '  elif [ "$argument" = -c ]; then isSetting=yes',
    '  else name=$argument; break',
    '  fi',
    'done',
    `if [ -e '${hold}' ]; then echo "$name" >> '${held}'; fi`,
    `while [ -e '${hold}' ]; do sleep 0.05; done`,
    `echo "$name" >> '${commands}'`,
    'exec git "$@"',
    '',
  ];
  fs.writeFileSync(join(bin, 'git'), script.join('\n'), { mode: 0o755 });
  return {
    env: { PATH: `${bin}:${PATH}` },
    /** From now on, each command waits; those that were written down are forgotten. */
    hold: () => {
      fs.writeFileSync(hold, '');
      fs.rmSync(commands, { force: true });
    },
    /** Whether a command waits. */
    isHeld: () => fs.existsSync(held),
    release: () => fs.rmSync(hold),
    /** How often a command was run since. */
    count: (command: string) =>
      fs
        .readFileSync(commands, 'utf8')
        .split('\n')
        .filter((line) => line === command).length,
  };
}
