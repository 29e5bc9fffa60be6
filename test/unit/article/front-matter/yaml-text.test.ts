import test from 'ava';
import yaml from 'js-yaml';
import { parse } from 'yaml';
import type { FrontMatterValue } from '../../../../src/article/format/mapping.js';
import { literal, quoted, yamlEntry } from '../../../../src/article/front-matter/yaml-text.js';
import { fc, runs } from '../../../support/property.js';
import { extra, text } from '../arbitrary.js';

const cases = { numRuns: runs(50) };

/** What four readers make of a document. */
function readings(document: string): unknown[] {
  return [
    yaml.load(document),
    yaml.load(document, { schema: yaml.CORE_SCHEMA }),
    parse(document, { version: '1.1' }),
    parse(document, { version: '1.2' }),
  ];
}

test('quoted, literal and listed texts read the same everywhere', (t) => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const document = `a: ${quoted(a)}\nb: ${literal(b)}\n${yamlEntry('c', [a, b])}d: ${literal(a)}\n`;
      for (const reading of readings(document)) t.deepEqual(reading, { a, b, c: [a, b], d: a });
      t.false(quoted(a).includes('\n'));
    }),
    cases,
  );
});

test('an ordinary text is a literal block, so that people can read it and diffs go by lines', (t) => {
  t.is(literal('<p>one</p>\n<p>two</p>'), '|-\n  <p>one</p>\n  <p>two</p>');
  t.is(literal('one\n\ntwo\n'), '|\n  one\n\n  two');
  t.is(literal(''), '""');
  for (const hostile of [' one', 'one\n\n', 'one\r\ntwo', 'tab\there\u0000', 'end '])
    t.true(literal(hostile).startsWith('"'), JSON.stringify(hostile));
});

test('any key is written on lines of its own', (t) => {
  fc.assert(
    fc.property(extra, (keys) => {
      const lines = Object.entries(keys).map(([key, value]) => yamlEntry(key, value as FrontMatterValue));
      for (const reading of readings(lines.join(''))) t.deepEqual(reading ?? {}, { ...keys });
    }),
    cases,
  );
});
