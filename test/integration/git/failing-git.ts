import fs from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '../../support/temp-dir.js';

/** A git that fails at a command that a test names. */
export function gitThatFails(t: Parameters<typeof tempDir>[0]) {
  const bin = tempDir(t);
  const rule = join(bin, 'rule');
  const { PATH = '' } = process.env;
  const script = `#!/bin/sh
PATH='${PATH}'
[ ! -e '${rule}' ] || case " $* " in *" $(cat '${rule}') "*) exit 128;; esac
exec git "$@"
`;
  fs.writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  return {
    env: { PATH: `${bin}:${PATH}` },
    /** From now on, each such command fails. */
    fail: (command: string) => fs.writeFileSync(rule, command),
    /** From now on, all commands work. */
    clear: () => fs.rmSync(rule, { force: true }),
  };
}
