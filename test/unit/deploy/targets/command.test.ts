import fs from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { commandTarget } from '../../../../src/deploy/targets/command.js';
import { tempDir } from '../../../support/temp-dir.js';

const { signal } = new AbortController();

function setUp(t: ExecutionContext, command: string, timeoutMs = 600_000) {
  const dir = tempDir(t);
  const notesDir = tempDir(t);
  const folder = tempDir(t);
  const env = { ...process.env, PRESSMARK_SECRET: 'hidden', PRESSMARK_DEPLOY_HOOK: 'hidden' };
  return {
    dir,
    notesDir,
    folder,
    deploy: () => commandTarget({ command, cwd: dir, env, notesDir, timeoutMs }).deploy({ folder }, signal),
    read: (name: string) => fs.readFileSync(join(dir, name), 'utf8'),
  };
}

test('the command gets the output, and no secret', async (t) => {
  const { folder, deploy, read } = setUp(
    t,
    'printf "%s|%s%s" "$PRESSMARK_OUTPUT" "$PRESSMARK_SECRET" "$PRESSMARK_DEPLOY_HOOK" > got',
  );
  await deploy();
  t.is(read('got'), `${folder}|`);
});

test('the command gets a list of what was written or removed since it last succeeded; of all files where that is lost', async (t) => {
  const { dir, notesDir, folder, deploy, read } = setUp(
    t,
    'cat "$PRESSMARK_CHANGED_FILE" > list; test ! -e down',
  );
  const write = (name: string, text: string) => fs.writeFileSync(join(folder, name), text);
  fs.mkdirSync(join(folder, 'b'));
  write('a b.html', 'one');
  write('b/index.html', 'one');
  write('c.css', 'one');
  await deploy();
  t.is(read('list'), 'a b.html\nb/index.html\nc.css\n', 'at the first deploy all files');

  write('a b.html', 'two, longer');
  fs.writeFileSync(join(dir, 'down'), '');
  await t.throwsAsync(deploy(), { code: 'DEPLOY_FAILED' });
  fs.rmSync(join(dir, 'down'));
  fs.rmSync(join(folder, 'b/index.html'));
  write('new.html', 'one');
  await deploy();
  t.is(read('list'), 'a b.html\nb/index.html\nnew.html\n', 'what a failed deploy had is listed again');
  await deploy();
  t.is(read('list'), '');

  for (const name of fs.readdirSync(notesDir)) fs.truncateSync(join(notesDir, name), 5);
  await deploy();
  t.is(read('list'), 'a b.html\nc.css\nnew.html\n');
});

test('a command that fails or never ends is a failure with the end of its output', async (t) => {
  await t.throwsAsync(setUp(t, 'echo no credentials; exit 3').deploy(), {
    code: 'DEPLOY_FAILED',
    message: /^the deploy command "echo no credentials; exit 3" ended with exit code 3:\nno credentials$/,
  });
  await t.throwsAsync(setUp(t, 'sleep 100', 300).deploy(), {
    code: 'DEPLOY_FAILED',
    message: /was ended after/,
  });
});
