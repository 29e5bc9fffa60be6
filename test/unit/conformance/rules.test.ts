import test from 'ava';
import { RULES } from '../../../src/conformance/rules/all.js';

/** The headings of the contract, and the tables and paragraphs that rules are taken from. */
const SECTIONS = [
  'Request envelope',
  'Article',
  'Body additions',
  'article.lookup data',
  'Lookup target',
  'article.updated data',
  'States and transitions',
  'Endpoints',
  'Request headers',
  'article.published',
  'webhook.test',
  'article.lookup',
  'article.updated',
  'Authentication',
  'Events',
  'Errors',
  'Limits',
  'Versioning',
];

test('every rule has an id of its own and names a section of the contract', (t) => {
  const ids = RULES.map(({ id }) => id);
  t.deepEqual([...new Set(ids)], ids);
  for (const { id, section, says, hint } of RULES) {
    t.regex(id, /^[a-z0-9]+(-[a-z0-9]+)*$/);
    t.true(SECTIONS.includes(section.split(',', 1)[0] ?? ''), `${id}: ${section}`);
    t.regex(says, /\.$/);
    t.regex(hint, /[.?]$/, id);
  }
});

test('a rule has the number of its place in the list, which is not moved and not given twice', (t) => {
  const numbers = RULES.map(({ number }) => number);
  t.is(new Set(numbers).size, RULES.length);
  const numberOf = (id: string) => RULES.find((rule) => rule.id === id)?.number;
  t.deepEqual(
    ['reachable', 'signature-missing', 'publish-again-same-url', 'concurrent-one-wins'].map(numberOf),
    [1, 6, 88, 200],
  );
});
