import test from 'ava';
import { RULES } from '../../../src/conformance/rules/all.js';
import { SENDER_RULES } from '../../../src/conformance/sender/rules/all.js';

test('a rule has the number of its place in the list, which is not moved and not given twice', (t) => {
  const numbers = RULES.map(({ number }) => number);
  t.is(new Set(numbers).size, RULES.length);
  const numberOf = (id: string) => RULES.find((rule) => rule.id === id)?.number;
  t.deepEqual(
    ['reachable', 'signature-missing', 'publish-again-same-url', 'concurrent-one-wins'].map(numberOf),
    [1, 6, 88, 200],
  );
});

test('the rules about senders keep their numbers too', (t) => {
  const numbers = new Map(SENDER_RULES.map(({ id, number }) => [id, number]));
  t.deepEqual(
    [
      'body-size',
      'accepted-is-final',
      'refresh-refused-after-edit',
      'update-large-retried',
      'record-url',
    ].map((id) => numbers.get(id)),
    [14, 21, 44, 75, 87],
  );
});
