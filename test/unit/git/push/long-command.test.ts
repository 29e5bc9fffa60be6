import test from 'ava';
import { PressmarkError } from '../../../../src/errors.js';
import type { GitAnswer } from '../../../../src/git/git.js';
import { createLongCommand, type LongRun } from '../../../../src/git/push/long-command.js';

const ANSWER: GitAnswer = { code: 0, stdout: '', stderr: '', bytes: Buffer.alloc(0) };
const HOUR_MS = 3_600_000;

/** Commands that end when the test says so. */
function commandsByHand() {
  const begun: { run: LongRun; end(answer?: GitAnswer): void; fail(error: Error): void }[] = [];
  const start = (run: LongRun) =>
    new Promise<GitAnswer>((resolve, reject) => {
      begun.push({ run, end: (answer = ANSWER) => resolve(answer), fail: reject });
    });
  return { begun, start };
}

test('a command goes on when its caller’s time is up, and the next caller joins it', async (t) => {
  const { begun, start } = commandsByHand();
  const command = createLongCommand('the git remote', HOUR_MS);
  const error = await t.throwsAsync(command.run('a', start, 1), { instanceOf: PressmarkError });
  t.is(error?.code, 'REMOTE_UNAVAILABLE');
  t.is(begun[0]?.run.timeoutMs, HOUR_MS);
  t.false(begun[0]?.run.signal?.aborted);
  const joined = command.run('a', start, HOUR_MS);
  begun[0]?.end();
  t.true((await joined).isJoined);
  t.is(begun.length, 1);
});

test('a command with another key begins when the one before it has ended, however that ended', async (t) => {
  const { begun, start } = commandsByHand();
  const command = createLongCommand('the git remote', HOUR_MS);
  await t.throwsAsync(command.run('a', start, 1));
  const other = command.run('b', start, HOUR_MS);
  await t.throwsAsync(command.run('c', start, 1));
  t.is(begun.length, 1);
  begun[0]?.fail(new Error('the connection is lost'));
  while (begun.length < 2) await new Promise(setImmediate);
  begun[1]?.end();
  t.false((await other).isJoined);
});

test('a command that says nothing is stopped as soon as another one succeeds beside it, and not before', async (t) => {
  const { begun, start } = commandsByHand();
  const command = createLongCommand('the git remote', HOUR_MS, 0);
  await t.throwsAsync(command.run('a', start, 1));
  const refused = command.run('b', start, HOUR_MS);
  begun[1]?.end({ ...ANSWER, code: 1 });
  t.is((await refused).answer.code, 1);
  t.false(begun[0]?.run.signal?.aborted);
  const accepted = command.run('c', start, 20_000);
  t.true((begun[2]?.run.timeoutMs ?? HOUR_MS) <= 20_000, 'and it has no more time than its caller');
  begun[2]?.end();
  await accepted;
  t.true(begun[0]?.run.signal?.aborted);
});
