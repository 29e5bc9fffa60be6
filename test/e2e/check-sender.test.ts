import test from 'ava';
import { SENDER_RULES } from '../../src/conformance/sender/rules/all.js';
import { run } from '../support/receiver.js';

test('Pressmark’s own sender keeps every rule of the contract', async (t) => {
  const { code, stdout, stderr } = await run(['check-sender', '--json']);
  const { rules } = JSON.parse(stdout) as { rules: { id: string; result: string }[] };
  t.deepEqual(
    rules.filter(({ result }) => result !== 'passed'),
    [],
    stderr,
  );
  t.is(rules.length, SENDER_RULES.length);
  t.is(code, 0);
});
