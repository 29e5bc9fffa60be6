import { once } from 'node:events';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { killGroup, startGroup } from '../../../../src/git/cli/git-process.js';
import { namesOfHolders, possibleHolders } from '../../../../src/git/commit/lock-holders.js';
import { gitEnvironment, gitIn } from '../../../support/clones.js';
import { tempDir } from '../../../support/temp-dir.js';

const HOLD = `git -c alias.hold='!echo held; cat' hold; :`;

/** Starts a shell that runs git in a repository, and waits until git runs. */
async function startShell(t: ExecutionContext, script: string) {
  const dir = tempDir(t);
  gitIn(dir, 'init', '--quiet');
  const shell = startGroup('sh', ['-c', script], { cwd: dir, env: gitEnvironment(dir) });
  t.teardown(() => killGroup(shell));
  if (shell.stdout === null) throw new Error('no output');
  await once(shell.stdout, 'data');
  return { dir, lock: join(dir, '.git', 'HEAD.lock') };
}

test('a git that a shell of this process runs holds no lock that is not known', async (t) => {
  const { dir, lock } = await startShell(t, HOLD);
  t.deepEqual(await possibleHolders([dir], [lock]), new Set());
});

test('a git that another program has started may hold a lock', async (t) => {
  // a leader of a session, as a git of another receiver has one
  const { dir, lock } = await startShell(
    t,
    `exec 3<&0; echo "${HOLD}" > script; setsid sh script <&3 & wait`,
  );
  t.is((await possibleHolders([dir], [lock]))?.size, 1);
  t.deepEqual(await possibleHolders(['/nowhere'], [lock]), new Set());
});

test('so may a git whose arguments are the names of commands that hold no lock', async (t) => {
  const hold = `git -c alias.hold='!echo held; cat; :' hold cat-file check-attr; :`;
  const script = `exec 3<&0; echo "${hold}" > script; setsid sh script <&3 & wait`;
  const { dir, lock } = await startShell(t, script);
  t.is((await possibleHolders([dir], [lock]))?.size, 1);
});

test('so may whoever has it open', async (t) => {
  const script = `: > .git/HEAD.lock; exec 3<&0; setsid sh -c 'echo held; cat' <&3 9< .git/HEAD.lock & wait`;
  const { lock } = await startShell(t, script);
  t.not((await possibleHolders(['/nowhere'], [lock]))?.size, 0);
});

test('a program that may hold a lock is named with its process', async (t) => {
  const { dir, lock } = await startShell(
    t,
    `exec 3<&0; echo "${HOLD}" > script; setsid sh script <&3 & wait`,
  );
  const [name = ''] = (await namesOfHolders([dir], [lock])) ?? [];
  t.regex(name, /^git hold \(process \d+\)$/);
});
