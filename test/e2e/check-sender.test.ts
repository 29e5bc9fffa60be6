import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { SENDER_RULES } from '../../src/conformance/sender/rules/all.js';
import { bareEnvironment, PROGRAM } from '../support/receiver.js';

test('Pressmark’s own sender keeps every rule of the contract', async (t) => {
  const child = spawn(process.execPath, [PROGRAM, 'check-sender', '--json'], {
    env: bareEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGTERM'));
  const { rules } = JSON.parse(await text(child.stdout)) as { rules: { id: string; result: string }[] };
  t.deepEqual(
    rules.filter(({ result }) => result !== 'passed'),
    [],
  );
  t.is(rules.length, SENDER_RULES.length);
});
