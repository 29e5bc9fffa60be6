import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'ava';
import { startGroup } from '../../../../src/git/cli/git-process.js';
import { parts } from '../../../../src/git/cli/long-running-git.js';
import { createLongRunningProcess } from '../../../../src/git/cli/long-running-process.js';

const RUN = { timeoutMs: 20_000, signals: [] };

/** A partner that answers each line with its process id and the line; `die` ends it, `hang` is not answered. */
const ECHO = `while read -r line; do
  case $line in die) echo 'I died' >&2; exit 3;; hang) sleep 600;; esac
  echo "$$ $line"
done`;

function startEcho() {
  let started = 0;
  const conversation = createLongRunningProcess(() => {
    started++;
    return startGroup('sh', ['-c', ECHO], { cwd: '/', env: { PATH: process.env.PATH } });
  });
  return {
    conversation,
    started: () => started,
    say: async (line: string, run: Parameters<typeof conversation.ask>[3] = RUN) =>
      (await conversation.ask('git echo', `${line}\n`, parts(1, '\n'), run)).toString().trim().split(' '),
  };
}

test('questions are answered in their order by one process', async (t) => {
  const { conversation, say, started } = startEcho();
  const answers = await Promise.all(['one', 'two', 'three'].map((line) => say(line)));
  t.deepEqual(
    answers.map(([, line]) => line),
    ['one', 'two', 'three'],
  );
  t.is(new Set(answers.map(([pid]) => pid)).size, 1);
  t.is(started(), 1);
  conversation.end();
});

test('a process that dies fails the question that it was asked, with its words; the next one has another', async (t) => {
  const { say, started } = startEcho();
  const [died, next] = await Promise.allSettled([say('die'), say('one')]);
  t.is(died.status, 'rejected');
  const { code, message, cause } = died.status === 'rejected' ? died.reason : died;
  t.deepEqual([code, message, cause.message], ['GIT_FAILED', 'git echo ended with exit code 3', 'I died']);
  t.is(next.status === 'fulfilled' && next.value[1], 'one');
  t.is(started(), 2);
});

test('a process that takes too long, or is stopped, is killed; the questions behind it are asked of another', async (t) => {
  const { say, started } = startEcho();
  const stop = new AbortController();
  const late = say('hang', { ...RUN, timeoutMs: 100 });
  const aborted = say('hang', { ...RUN, signals: [stop.signal] });
  const answered = say('one');
  await t.throwsAsync(late, { code: 'GIT_FAILED', message: 'git echo took longer than 0.1 s' });
  stop.abort();
  await t.throwsAsync(aborted, { code: 'GIT_FAILED', message: 'git echo was stopped' });
  t.is((await answered)[1], 'one');
  t.is(started(), 3);
  await t.throwsAsync(say('two', { ...RUN, signals: [stop.signal] }), { message: 'git echo was stopped' });
});

test('after its end a process is started again', async (t) => {
  const { conversation, say, started } = startEcho();
  const [first] = await say('one');
  conversation.end();
  const [second] = await say('two');
  t.not(first, second);
  t.is(started(), 2);
});

test('a program that cannot be run fails the question', async (t) => {
  const { ask } = createLongRunningProcess(() => startGroup('/nowhere/git', [], { cwd: '/', env: {} }));
  await t.throwsAsync(ask('git echo', 'one\n', parts(1, '\n'), RUN), {
    code: 'GIT_FAILED',
    message: /^git echo could not be run: .*ENOENT/,
  });
});

test('a process that waits for questions keeps the one that asks them from ending no longer than the answers', async (t) => {
  const script = `
    const { createLongRunningProcess } = await import(process.argv[1]);
    const { startGroup } = await import(process.argv[2]);
    const { ask } = createLongRunningProcess(() => startGroup('cat', [], { cwd: '/', env: process.env }));
    await ask('git echo', 'hello\\n', (piece) => piece.includes(10), { timeoutMs: 9_000_000, signals: [] });
    console.log('answered');`;
  const files = ['long-running-process.js', 'git-process.js'].map(
    (name) => new URL(`../../../../src/git/cli/${name}`, import.meta.url).href,
  );
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, ...files], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [[said], [code]] = await Promise.all([once(child.stdout, 'data'), once(child, 'exit')]);
  t.deepEqual([String(said), code], ['answered\n', 0]);
});
