import test from 'ava';
import yaml from 'js-yaml';
import { parse } from 'yaml';
import type { FrontMatterValue } from '../../../../src/article/format/mapping.js';
import { literal, quoted, yamlEntry } from '../../../../src/article/front-matter/yaml-text.js';
import { fc, runs } from '../../../support/property.js';
import { extra, text } from '../arbitrary.js';

/** What readers of YAML 1.1 and 1.2 make of a document. */
const readings = (document: string): unknown[] => [
  yaml.load(document),
  parse(document, { version: '1.1' }),
  parse(document, { version: '1.2' }),
];

test('texts, lists and keys read the same everywhere', (t) => {
  fc.assert(
    fc.property(text, text, extra, (a, b, keys) => {
      const entries = yamlEntry('c', [a, b]) + yamlEntry('e', keys as FrontMatterValue);
      const document = `a: ${quoted(a)}\nb: ${literal(b)}\n${entries}`;
      for (const reading of readings(document)) t.deepEqual(reading, { a, b, c: [a, b], e: keys });
    }),
    { numRuns: runs(25) },
  );
});

test('an ordinary text is a literal block, so that people can read it and diffs go by lines', (t) => {
  t.is(literal('<p>one</p>\n<p>two</p>'), '|-\n  <p>one</p>\n  <p>two</p>');
  t.is(literal('one\n\ntwo\n'), '|\n  one\n\n  two');
  for (const hostile of ['', ' one', 'one\n\n', 'one\r\ntwo', 'end ']) t.regex(literal(hostile), /^"/);
});
