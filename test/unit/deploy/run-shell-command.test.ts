import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { runShellCommand, shellFailure } from '../../../src/deploy/run-shell-command.js';
import { tempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const env = { PATH: process.env.PATH };

test('a build command runs in the site’s folder, and its output is kept', async (t) => {
  const cwd = tempDir(t);
  const chunks: Buffer[] = [];
  const result = await runShellCommand({
    command: 'echo made > page.html; echo done; echo careful >&2; sleep 600 & echo $! > pid',
    cwd,
    env,
    onOutput: (chunk) => chunks.push(chunk),
  });
  t.is(result.kind, 'succeeded');
  const pid = Number(fs.readFileSync(join(cwd, 'pid'), 'utf8'));
  await until('what it has left in the background has ended', () => !isAlive(pid));
  t.is(fs.readFileSync(join(cwd, 'page.html'), 'utf8'), 'made\n');
  t.deepEqual(result.output.split('\n').toSorted(), ['', 'careful', 'done']);
  t.is(Buffer.concat(chunks).toString(), result.output);
});

test('a build command that fails gives its exit code and the end of its output', async (t) => {
  const command =
    'i=0; while [ $i -lt 20000 ]; do echo "page $i"; i=$((i+1)); done; echo bad template; exit 3';
  const result = await runShellCommand({ command, cwd: tempDir(t), env });
  if (result.kind !== 'failed') return t.fail();
  t.is(result.exitCode, 3);
  t.true(result.output.length <= 65_536 && result.output.length > 60_000);
  t.true(result.output.endsWith('page 19999\nbad template\n'));
  t.regex(
    shellFailure('build command', 'hugo', result),
    /^the build command "hugo" ended with exit code 3:\n(?:page \d+\n)+bad template$/,
  );
});

// As Jekyll 4.3.1 on Ruby 3.1 prints it, and Node.js 20.
test('the reason of a failed build has the error and no stack trace', async (t) => {
  const frames = Array.from(
    { length: 30 },
    (_, line) => `\tfrom /usr/lib/liquid/block.rb:${line + 1}:in \`parse'\n`,
  );
  const reason = (output: string) =>
    shellFailure('build command', 'x', { kind: 'failed', ms: 1, exitCode: 1, signal: null, output });
  t.is(
    reason(
      `\u001b[31m  Liquid Exception: Unknown tag 'x' in a.md\u001b[0m\n/usr/lib/liquid/a.rb:36:in \`parse': Unknown tag 'x'\n${frames.join('')}`,
    ),
    "the build command \"x\" ended with exit code 1:\n  Liquid Exception: Unknown tag 'x' in a.md\n/usr/lib/liquid/a.rb:36:in `parse': Unknown tag 'x'",
  );
  const node = 'Error: no title\n    at build (file:///site/build.mjs:3:9)\n\nNode.js v20.19.0\n';
  t.is(reason(node), 'the build command "x" ended with exit code 1:\nError: no title\n\nNode.js v20.19.0');
  const eleventy = '[11ty] 1. no title (via Error)\n[11ty]     at build (file:///site/build.mjs:3:9)\n';
  t.is(reason(eleventy), 'the build command "x" ended with exit code 1:\n[11ty] 1. no title (via Error)');
  t.true(reason(`  from a${':1:in b'.repeat(30_000)}\u2028`).includes('from a:1:in b'), 'read in time');
});

test('a build command that takes too long is ended with all its processes', async (t) => {
  const cwd = tempDir(t);
  const command = 'sh -c "echo \\$\\$ > pid; exec sleep 600" & wait';
  const path = join(cwd, 'pid');
  // As long as the machine takes to start the process in the background.
  for (let timeoutMs = 300; !fs.existsSync(path) || fs.statSync(path).size === 0; timeoutMs *= 2) {
    const result = await runShellCommand({ command, cwd, env, timeoutMs });
    t.is(result.kind, 'timed-out');
  }
  const pid = Number(fs.readFileSync(path, 'utf8'));
  await until('the process in the background has ended', () => !isAlive(pid));
  t.pass();
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a build ends with a Pressmark that is killed', async (t) => {
  const dir = tempDir(t);
  const module = new URL('../../../src/deploy/run-shell-command.js', import.meta.url).href;
  const command = 'echo $$ > pid; trap "" TERM PIPE; while :; do sleep 0.1; done';
  const script = `import(${JSON.stringify(module)}).then(({ runShellCommand }) =>
    runShellCommand({ command: ${JSON.stringify(command)}, cwd: ${JSON.stringify(dir)}, env: process.env }))`;
  const parent = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
  const path = join(dir, 'pid');
  await until('the build runs', () => fs.existsSync(path) && fs.readFileSync(path, 'utf8').endsWith('\n'));
  const pid = Number(fs.readFileSync(path, 'utf8'));
  t.true(isAlive(pid));
  parent.kill('SIGKILL');
  await until('the build has ended', () => !isAlive(pid));
  t.false(isAlive(pid));
});
