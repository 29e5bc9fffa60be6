import test from 'ava';
import { expectSameText, Unmet } from '../../../src/conformance/expect.js';
import { rulesWith } from '../../../src/conformance/rule-list.js';
import { RULES } from '../../../src/conformance/rules/all.js';
import { inWords } from '../../../src/conformance/sender/rule.js';
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

const LIST = `
# Errors; V2; should; needs first
7 one: It is one.
9 other (Limits, Attempts; V3; must; needs one): It is: (another) one.
  Make them so.
`;

test('a rule has what its line says, else what the heading says, and the next fix below it', (t) => {
  const fix = { hint: 'Make them so.', code: 1 };
  t.deepEqual(rulesWith(LIST, { one: { code: 1 }, other: { code: 1 } }), [
    {
      number: 7,
      id: 'one',
      section: 'Errors',
      from: 2,
      level: 'should',
      needs: ['first'],
      says: 'It is one.',
      ...fix,
    },
    {
      ...{ number: 9, id: 'other', section: 'Limits, Attempts', from: 3, level: 'must' },
      ...{ needs: ['first', 'one'], says: 'It is: (another) one.', ...fix },
    },
  ]);
});

test('a list of rules that does not fit the code, or is not whole, is an error', (t) => {
  const parts = { one: {}, other: {} };
  for (const [list, given, message] of [
    [LIST, { one: {} }, 'the rule other has no code'],
    [LIST, { ...parts, more: {} }, 'the list has no rule more'],
    [LIST.replace('  Make them so.', ''), parts, 'the rule one has no fix'],
    [
      LIST.replace('7 one:', 'one:'),
      parts,
      /^this is neither a heading nor a rule nor a fix: one: It is one\.$/,
    ],
  ] as const)
    t.throws(() => rulesWith<object>(list, given), { message });
});

test('a report says how long something took, and where two texts part', (t) => {
  t.deepEqual([500, 89_000, 600_000, 7_200_000].map(inWords), ['0.5 s', '89 s', '10.0 min', '2.0 h']);
  const unmet = t.throws(() => expectSameText('title', 'abc', 'xbc'), { instanceOf: Unmet });
  t.is(unmet?.expected, 'title, unchanged; at character 0: "abc"');
});
