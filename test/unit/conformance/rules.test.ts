import test from 'ava';
import { RULES } from '../../../src/conformance/rules/all.js';

test('a rule has the number of its place in the list, which is not moved and not given twice', (t) => {
  const numbers = RULES.map(({ number }) => number);
  t.is(new Set(numbers).size, RULES.length);
  const numberOf = (id: string) => RULES.find((rule) => rule.id === id)?.number;
  t.deepEqual(
    ['reachable', 'signature-missing', 'publish-again-same-url', 'concurrent-one-wins'].map(numberOf),
    [1, 6, 88, 200],
  );
});
