import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { commandTarget } from '../../../../src/deploy/targets/command.js';
import { tempDir } from '../../../support/temp-dir.js';

const { signal } = new AbortController();

function setUp(t: ExecutionContext, command: string, timeoutMs = 20_000) {
  const dir = tempDir(t);
  const env = { ...process.env, PRESSMARK_SECRET: 'hidden', PRESSMARK_DEPLOY_HOOK: 'hidden' };
  const target = commandTarget({ command, cwd: dir, env, timeoutMs });
  return { dir, target, read: (name: string) => fs.readFileSync(join(dir, name), 'utf8') };
}

test('the command gets the output, and no secret', async (t) => {
  const { target, read } = setUp(
    t,
    'printf "%s|%s%s" "$PRESSMARK_OUTPUT" "$PRESSMARK_SECRET" "$PRESSMARK_DEPLOY_HOOK" > got',
  );
  await target.deploy({ folder: '/srv/out' }, signal);
  t.is(read('got'), '/srv/out|');
});

test('a command that fails or never ends is a failure with the end of its output', async (t) => {
  const failing = setUp(t, 'echo no credentials; exit 3');
  await t.throwsAsync(failing.target.deploy({ folder: '/x' }, signal), {
    code: 'DEPLOY_FAILED',
    message: /^the deploy command "echo no credentials; exit 3" ended with exit code 3:\nno credentials$/,
  });
  const hanging = setUp(t, 'sleep 100', 300);
  await t.throwsAsync(hanging.target.deploy({ folder: '/x' }, signal), {
    code: 'DEPLOY_FAILED',
    message: /was ended after/,
  });
});
