import test from 'ava';
import yaml from 'js-yaml';
import { newFrontMatter } from '../../../../src/article/front-matter/edit.js';
import { readOwnYaml } from '../../../../src/article/front-matter/own-yaml.js';
import { cutFrontMatter } from '../../../../src/article/front-matter/read.js';
import { editYaml } from '../../../../src/article/front-matter/yaml-edit.js';
import type { FrontMatterValue } from '../../../../src/article/mapping.js';
import { fc, runs } from '../../../support/property.js';
import { text as anyText } from '../arbitrary.js';

const cases = { numRuns: runs(100) };

const byLibrary = (source: string) => yaml.load(source, { schema: yaml.CORE_SCHEMA }) ?? {};

const lines = fc
  .array(fc.oneof(fc.constantFrom('', 'a', '  b', ' ', 'key: "x"', '- a', '# b', '|'), anyText), {
    maxLength: 6,
  })
  .map((all) => all.join('\n'));
const moment: fc.Arbitrary<FrontMatterValue> = fc
  .constantFrom('2026-11-20', '2026-11-20T08:00:00Z', '2026-11-20 17:00:00 +0900', '2026-11-20T08:00')
  .map((text) => ({ kind: 'timestamp', text }));
const value = fc.oneof<fc.Arbitrary<FrontMatterValue>[]>(
  lines,
  fc.boolean(),
  fc.array(anyText, { maxLength: 3 }),
  moment,
);
const key = fc.oneof(
  { arbitrary: fc.constantFrom('title', 'date', 'body_digest', 'x-y', 'constructor'), weight: 30 },
  fc.constantFrom('y', 'True', 'null', '1'),
);
const map = fc.dictionary(key, value, { minKeys: 1, maxKeys: 4, noNullPrototype: true });
const data = fc.dictionary(key, fc.oneof(value, map), { minKeys: 1, maxKeys: 5, noNullPrototype: true });

const edit = fc.record({
  at: fc.integer({ min: 0, max: 9_999 }),
  cut: fc.oneof(fc.constant(0), fc.nat(6)),
  put: fc.oneof(
    { arbitrary: fc.constantFrom('a', 'word', 'é', '1'), weight: 6 },
    { arbitrary: fc.constantFrom(' ', '\n', '\n  ', '\n    '), weight: 2 },
    anyText,
  ),
});

test('the quick reader gives what the YAML reader gives, whatever was done to the front matter', (t) => {
  let [whole, edited] = [0, 0];
  fc.assert(
    fc.property(data, fc.array(edit, { maxLength: 3 }), (values, edits) => {
      const entries = Object.entries(values).map(([key, value]) => ({ key, value }));
      let text = newFrontMatter(entries, 'The body.\n');
      for (const { at, cut, put } of edits) {
        const position = 4 + Math.floor((at / 10_000) * (text.length - 4));
        text = text.slice(0, position) + put + text.slice(position + cut);
      }
      let source: string;
      try {
        const cut = cutFrontMatter(text);
        source = text.slice(cut.start, cut.end);
      } catch {
        return; // no front matter is left
      }
      const quickly = readOwnYaml(source);
      if (quickly === undefined) return;
      if (edits.length > 0) edited++;
      else whole++;
      t.deepEqual(quickly, byLibrary(source));
    }),
    cases,
  );
  // A reader that leaves everything to the other one would prove nothing.
  t.true(
    Math.min(whole, edited) > cases.numRuns / 60,
    `${whole} whole and ${edited} edited ones were read quickly`,
  );
});

test('front matter in the quick form is edited as the YAML library has it edited', (t) => {
  fc.assert(
    fc.property(data, data, fc.subarray(['title', 'date', 'x-y']), (values, changed, removed) => {
      const entries = Object.entries(values).map(([key, value]) => ({ key, value }));
      const source = newFrontMatter(entries, '').slice('---\n'.length, -'---\n'.length);
      fc.pre(readOwnYaml(source) !== undefined);
      const changes = new Map([
        ...Object.entries(changed),
        ...removed.map((key) => [key, undefined] as const),
      ]);
      // The quick reader leaves a document with a comment to the library.
      const comment = '# A comment.\n';
      t.is(comment + editYaml(source, changes), editYaml(comment + source, changes));
    }),
    cases,
  );
});

test('a number, true, false and null are read as the YAML reader reads them', (t) => {
  for (const value of ['0', '7', '-12', '1.5', '-2.75', '1.50', '999999999999999', 'true', 'false', 'null']) {
    const source = `title: ${value}\n`;
    t.deepEqual(readOwnYaml(source), byLibrary(source));
  }
  for (const value of [
    '-0',
    '007',
    '+1',
    '1e3',
    '0x3',
    '.5',
    '1.',
    '1_000',
    '1:30',
    '12345678901234567890',
    '~',
    'Null',
  ])
    t.is(readOwnYaml(`title: ${value}\n`), undefined, value);
});

test('what Pressmark writes is read quickly, and what a person writes is left to the YAML reader', (t) => {
  const entries = [
    { key: 'title', value: 'Soil' },
    { key: 'date', value: { kind: 'timestamp', text: '2026-11-20T08:00:00Z' } },
    { key: 'draft', value: false },
    { key: 'tags', value: ['a', 'b'] },
    { key: 'pressmark', value: { id: 'a', content_html: '<p>a</p>\n\n<p>b</p>\n', json_ld: ' "' } },
  ] as const;
  const text = newFrontMatter(entries, '');
  t.deepEqual(readOwnYaml(text.slice(4, -4)), {
    title: 'Soil',
    date: '2026-11-20T08:00:00Z',
    draft: false,
    tags: ['a', 'b'],
    pressmark: { id: 'a', content_html: '<p>a</p>\n\n<p>b</p>\n', json_ld: ' "' },
  });
  for (const source of [
    'title: plain\n',
    "title: 'single'\n",
    'title: "a" # a comment\n',
    'title: "a"\r\n',
    'title: "a"\ntitle: "b"\n',
    'title: "a"\n  b\n',
    'date: 2026-11-20\n  b\n',
    'title: |2\n  a\n',
    'title: |\n   a\n  b\n',
    'title: |\n  a\n\n',
    'tags: [1]\n',
    'weight: 0x3\n',
    'True: "a"\n',
    '"title": "a"\n',
    '__proto__: "a"\n',
    'pressmark:\n',
    'pressmark:\ntitle: "a"\n',
    'pressmark:\n    id: "a"\n',
    'pressmark:\n  id:\n    a: "b"\n',
    'pressmark:\n  id: "a"\n url: "b"\n',
    'title: "a"',
    ' title: "a"\n',
    '\ntitle: "a"\n',
  ])
    t.is(readOwnYaml(source), undefined, source);
});
