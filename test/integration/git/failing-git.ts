import fs from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '../../support/temp-dir.js';

/** A git that fails at a command that a test names. */
export function gitThatFails(t: Parameters<typeof tempDir>[0]) {
  const bin = tempDir(t);
  const [rule, hold, held] = [join(bin, 'rule'), join(bin, 'hold'), join(bin, 'held')];
  const { PATH = '' } = process.env;
  const script = `#!/bin/sh
PATH='${PATH}'
if [ -e '${rule}' ]; then
  case " $* " in *" $(cat '${rule}') "*)
    while [ -e '${hold}' ]; do : > '${held}'; sleep 0.02; done
    exit 128;;
  esac
fi
exec git "$@"
`;
  fs.writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
  const release = () => fs.rmSync(hold, { force: true });
  return {
    env: { PATH: `${bin}:${PATH}` },
    /** From now on, each such command fails. */
    fail: (command: string) => fs.writeFileSync(rule, command),
    /** The command that fails waits for `release`, such as until the receiver has answered. */
    hold: () => fs.writeFileSync(hold, ''),
    /** Whether it waits, or has waited. */
    isHeld: () => fs.existsSync(held),
    release,
    /** From now on, all commands work. */
    clear: () => {
      fs.rmSync(rule, { force: true });
      release();
    },
  };
}
