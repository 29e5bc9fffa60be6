import test from 'ava';
import type { FrontMatterValue, Timestamp } from '../../../../src/article/format/mapping.js';
import {
  editFrontMatter,
  type FrontMatterChange,
  newFrontMatter,
} from '../../../../src/article/front-matter/edit.js';
import { readFrontMatter } from '../../../../src/article/front-matter/read.js';
import { plainValue } from '../../../../src/article/front-matter/value.js';
import { fc, runs } from '../../../support/property.js';
import { text as anyText } from '../arbitrary.js';

const timestamp = (text: string) => ({ kind: 'timestamp', text }) as const;

const changes: readonly FrontMatterChange[] = [
  { key: 'title', value: 'New "title"' },
  { key: 'tags', value: ['a', 'b c'] },
  { key: 'gone', value: undefined },
  { key: 'lastmod', value: timestamp('2026-11-20T08:00:00Z') },
  { key: 'pressmark', value: { id: '7', json_ld: '{\n  "a": 1\n}', content_html: '<p>a</p>\n\n<p>b</p>\n' } },
];

test('YAML is edited in place, with its comments, blank lines and spelling', (t) => {
  const text = `---
# About the file.
"title": 'Old' # shown in lists
layout:   post

tags: # mine
  # lower case
  - x # first
  - y # last
  # more to come

gone: [1,
  2] # bye
pressmark: # do not touch
  id: "6"
  content_html: |
    <p>a</p>

weight: 010
---
Old body
`;
  const expected = `---
# About the file.
"title": "New \\"title\\"" # shown in lists
layout:   post

tags: ["a", "b c"] # mine
  # lower case
  # more to come

pressmark: # do not touch
  id: "7"
  json_ld: |-
    {
      "a": 1
    }
  content_html: |
    <p>a</p>

    <p>b</p>

weight: 010
lastmod: 2026-11-20T08:00:00Z
---
New body
`;
  t.is(editFrontMatter(text, changes, 'New body\n'), expected);
  t.is(
    editFrontMatter(`\ufeff${text.replaceAll('\n', '\r\n')}`, changes, 'New body\n'),
    `\ufeff${expected.replaceAll('\n', '\r\n')}`,
  );
  t.is(editFrontMatter(expected, changes, 'New body\n'), expected);
});

test('within a map or a list of maps that keeps its keys, only what has changed is written', (t) => {
  const text = `---
cover: # shown above the post
    image: "old.jpg" # 1200 by 630
    # Generators differ in how they read these.
    hidden: no
    taken: 2024-01-01
bigimg:
  - src: old.jpg # wide
    desc: off
  - {src: second.jpg, desc: off}
---
`;
  const cover = { image: 'new.jpg', hidden: 'no', taken: '2024-01-01' };
  const second = { src: 'second.jpg', desc: 'off' };
  t.is(
    editFrontMatter(text, [
      { key: 'cover', value: cover },
      { key: 'bigimg', value: [{ src: 'new.jpg', desc: 'off' }, second] },
    ]),
    text.replaceAll(/"?old.jpg"?/g, '"new.jpg"'),
  );
  const flow = '---\ncover: {image: old.jpg, hidden: no, # not yet\n  of: {by: Ada, on: 2024-01-01}}\n---\n';
  const wanted = { image: 'new, {a}: b', hidden: 'no', of: { by: 'Olga', on: '2024-01-01' } };
  t.is(
    editFrontMatter(flow, [{ key: 'cover', value: wanted }]),
    flow.replace('old.jpg', '"new, {a}: b"').replace('Ada', '"Olga"'),
  );
  for (const [before, value] of [
    ['{b: , c}', { b: 'x', c: 'y' }],
    ['{b: !!str 7, c:[]}', { b: true, c: 'y' }],
    ['{b: 7, c:[]}', { b: 7, c: 'y' }],
  ] as const)
    t.deepEqual(readFrontMatter(editFrontMatter(`---\na: ${before}\n---\n`, [{ key: 'a', value }])).data, {
      a: value,
    });
  const { taken: _, ...fewer } = cover;
  t.deepEqual(readFrontMatter(editFrontMatter(text, [{ key: 'cover', value: fewer }])).data.cover, fewer);
});

test('a comment at the margin below a map is not part of it', (t) => {
  const file = (map: string) => `---\na:${map}\n# About b.\nb: 1\n---\n`;
  const before = file('\n  x:\n    y: 1\n    # About y.');
  t.is(editFrontMatter(before, [{ key: 'a', value: 'T' }]), file(' "T"'));
  t.is(editFrontMatter(before, [{ key: 'a', value: undefined }]), '---\n# About b.\nb: 1\n---\n');
});

test('a comment at the margin within a list is part of it', (t) => {
  for (const indent of ['', '  ']) {
    const before = `---\ntags:\n${indent}- a\n#  - b\n${indent}- c\n# About b.\nb: 1\n---\n`;
    t.is(
      editFrontMatter(before, [{ key: 'tags', value: ['d'] }]),
      '---\ntags: ["d"]\n# About b.\nb: 1\n---\n',
    );
  }
});

test('a long text replaces a value with blanks behind it, and a block that ends the front matter stays', (t) => {
  const long = 'word '.repeat(60).trim();
  for (const value of [' Old. ', ' ', ' "Old"\t'])
    t.is(
      editFrontMatter(`---\na:${value}\nb: |+\n  x\n\n---\n`, [{ key: 'a', value: long }]),
      `---\na: |-\n  ${long}\nb: |+\n  x\n\n---\n`,
    );
  for (const below of ['  # About a.\n', '\n   \n'])
    t.is(
      editFrontMatter(`---\na: Old\n${below}b: 1\n---\n`, [{ key: 'a', value: long }]),
      `---\na: "${long}"\n${below}b: 1\n---\n`,
    );
  t.is(
    editFrontMatter('---\nb: |+\n  x\n\n---\n', [{ key: 'a', value: 1 }]),
    '---\nb: |+\n  x\n\na: 1\n---\n',
  );
});

test('a list that is closed at the margin, and dots behind the front matter, stay', (t) => {
  const file = (title: string) => `---\ntitle: ${title}\ntags: [\n  a,\n]\n...\nBody\n`;
  t.is(editFrontMatter(file('Old'), [{ key: 'title', value: 'New' }]), file('"New"'));
});

test('TOML is written anew, with the keys in their order and dates as they were', (t) => {
  const text = `+++
# About the file.
title = 'Old' # shown in lists
gone.a = 1
date = 2026-01-01T08:00:00+09:00
[params]
title = 'Other'
[pressmark] # do not touch
id = '7'
[[menus.main]]
pressmark = 1
+++
Old body
`;
  const expected = `+++
title = "New \\"title\\""
date = 2026-01-01T08:00:00.000+09:00
tags = [ "a", "b c" ]
lastmod = 2026-11-20T08:00:00.000Z

[params]
title = "Other"

[pressmark]
id = "7"
json_ld = "{\\n  \\"a\\": 1\\n}"
content_html = "<p>a</p>\\n\\n<p>b</p>\\n"

[[menus.main]]
pressmark = 1
+++
New body
`;
  t.is(editFrontMatter(text, changes, 'New body\n'), expected);
  t.is(editFrontMatter(text, [{ key: 'title', value: 'Old' }], 'New\n'), text.replace('Old body', 'New'));
  t.is(
    editFrontMatter(expected.replaceAll('\n', '\r\n'), changes.slice(0, 1)),
    expected.replaceAll('\n', '\r\n'),
  );
});

test('TOML: an integer stays one, and so does a float', (t) => {
  const kept = 'f = 1.0\ni = 1\nl = [ 2.0, 3.5 ]\nbig = 1e+21\n';
  t.is(
    editFrontMatter(`+++\n${kept}+++\n`, [
      { key: 'new', value: 2 },
      { key: 'part', value: 0.5 },
    ]),
    `+++\n${kept}new = 2\npart = 0.5\n+++\n`,
  );
});

test('JSON is written anew, indented as it was', (t) => {
  t.is(
    editFrontMatter('{\n\t"title" : "Old",\n\t"gone": {"}": [1]}\n}\nOld', changes.slice(0, 3), 'New'),
    '{\n\t"title": "New \\"title\\"",\n\t"tags": [\n\t\t"a",\n\t\t"b c"\n\t]\n}\nNew',
  );
  const plain: FrontMatterChange[] = [{ key: 'm', value: true }];
  t.is(editFrontMatter('{"w": 1}', plain, 'New'), '{"w":1,"m":true}\nNew');
  t.is(editFrontMatter('---json\r\n{}\r\n---\r\n', plain), '---json\r\n{\r\n  "m": true\r\n}\r\n---\r\n');
});

test('a file without front matter gets YAML, below its byte order mark', (t) => {
  const title: FrontMatterChange[] = [{ key: 'title', value: 'T' }];
  t.is(editFrontMatter('\ufeffText\r\n', title), '\ufeff---\r\ntitle: "T"\r\n---\r\nText\r\n');
  t.is(editFrontMatter('---\n---\nText', title), '---\ntitle: "T"\n---\nText');
  t.is(editFrontMatter('---\na: 1\n---', [], 'Text'), '---\na: 1\n---\nText');
  t.is(newFrontMatter(title, 'Text'), '---\ntitle: "T"\n---\nText');
});

test('what would not read back is refused', (t) => {
  const title: FrontMatterChange[] = [{ key: 'title', value: 'T' }];
  const unreadable = { code: 'ARTICLE_UNREADABLE' };
  // Another key would become null, or an alias of nothing.
  t.throws(() => editFrontMatter('---\ntitle: &t Old\nother: *t\n---\n', title), unreadable);
  t.throws(() => editFrontMatter('---\n? title\n: Old\n---\n', title), unreadable);
  t.throws(() => editFrontMatter('Text', [], '---\na: 1\n---\n'), unreadable);
  t.throws(() => editFrontMatter('---\na: 1\n---\n', [{ key: 'd', value: timestamp('a: b') }]), unreadable);
  const rounded = { ...unreadable, message: /would be rounded/ };
  t.throws(() => editFrontMatter('{"id": 12345678901234567890}', title), rounded);
  t.throws(() => editFrontMatter('+++\nat = 2026-01-01T08:00:00.123456Z\n+++\n', title), rounded);
  t.notThrows(() => editFrontMatter('+++\n# 12345678901234567890\nid = 1234567890123456789\n+++\n', title));
});

test('a block whose last line ends with spaces is replaced with them', (t) => {
  for (const html of ['a \n', 'a\n\t \n', 'a  \n\n']) {
    const value = { id: '7', content_html: html };
    const once = editFrontMatter('---\r\npressmark:\r\n  id: 6\r\n\r\n---\r\n', [
      { key: 'pressmark', value },
    ]);
    const twice = editFrontMatter(once, [{ key: 'pressmark', value: { ...value, id: '8' } }]);
    t.deepEqual(readFrontMatter(twice).data.pressmark, { ...value, id: '8' });
  }
});

// Everything below makes texts of files at random: each entry in one of the ways in which a person writes it.

/** An entry of a front matter: `head` up to where a value begins, `tail` from where it ends, on the last line. */
interface Entry {
  readonly key: string;
  readonly above: string;
  readonly head: string;
  readonly value: string;
  readonly tail: string;
}

const KEYS = 'title,x-1,a b,true,__proto__,constructor,été,a.b,7,,y,last'.split(',');

const newText = fc.oneof(
  anyText,
  fc.constantFrom(
    ...['true', '2026-01-01', '0x1', 'null', '~', '---\n+++\n"""', '+++', "'''", 'a\n\n\n b\n', '\\"'],
  ),
);
const leaf = fc.oneof(
  newText,
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const newMap = fc.dictionary(
  fc.oneof(fc.constantFrom('id', 'json_ld', 'content_html', 'no', 'a b', '__proto__'), anyText),
  fc.oneof(leaf, fc.array(newText, { maxLength: 3 }), fc.dictionary(fc.constantFrom('a', 'b'), leaf)),
  { maxKeys: 4, noNullPrototype: true },
);
const newValue: fc.Arbitrary<FrontMatterValue | undefined> = fc.oneof(
  leaf,
  fc.array(newText, { maxLength: 4 }),
  newMap,
  fc.constantFrom(
    timestamp('2026-11-20T08:00:00Z'),
    timestamp('2026-11-20'),
    timestamp('2026-11-20 08:00:00+09:00'),
  ),
  fc.constant(undefined),
);

const comment = fc.constantFrom('', ' # note', '\t# "a: [b', ' #');
const above = fc.constantFrom('', '\n', '# note\n', '\n# a: 1\n\n', '#\n  # indented\n');

const yamlKey = (key: string) => fc.constantFrom(`"${key}"`, `'${key}'`, ...(key === 'title' ? [key] : []));

// Separated by a broken bar.
const yamlInline = fc.constantFrom(
  ...`¦ plain text¦ 12¦ "double # quoted"¦ 'it''s'¦ [a, "b]", {c: d}]¦ [a, # one
  b]¦ {}¦ &anchor x¦ !!str 12¦   spaced¦ "two

  lines"¦ two
  plain

  lines¦
  below¦ 2026-01-01¦ ~¦ a:b#c`.split('¦'),
);
const yamlBlock = fc.constantFrom(
  ...`
- a
- b # last¦
  - a

  # in between
  - c: 1
    d: 2¦
  a: 1
  b: {c: d}¦
    a:
      - |
        x¦ |
  text # not a comment

    more¦ >-
  folded
  text¦ |2
    text¦ &a
  b: 1¦
  # first
  a: 1`.split('¦'),
);

const yamlEntry = (key: string): fc.Arbitrary<Entry> =>
  fc
    .tuple(
      above,
      yamlKey(key),
      fc.constantFrom(':', ' :'),
      fc.oneof(fc.tuple(yamlInline, comment), fc.tuple(yamlBlock, fc.constant(''))),
    )
    .map(([over, name, colon, [value, tail]]) => ({ key, above: over, head: name + colon, value, tail }));

/** Entries with different keys, one of which is to be changed. */
const entries = fc
  .subarray(KEYS, { minLength: 1 })
  .chain((keys) => fc.tuple(fc.tuple(...keys.map(yamlEntry)), fc.nat(keys.length - 1)));

const around = fc.record({
  bom: fc.constantFrom('', '\ufeff'),
  crlf: fc.boolean(),
  end: fc.constantFrom('', '# the end\n', '\n'),
  body: fc.constantFrom('', 'Body\n', '\n---\n+++\n{"a": 1}\n'),
});

const sorted = (data: object) => Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1));

const cases = { numRuns: runs(50) };

test('YAML: one key is changed, and everything else is byte for byte the same', (t) => {
  fc.assert(
    fc.property(entries, newValue, around, ([entries, index], value, { bom, crlf, end, body }) => {
      const ends = (text: string) => (crlf ? text.replaceAll('\n', '\r\n') : text);
      const whole = ({ above, head, value, tail }: Entry) => `${above}${head}${value}${tail}\n`;
      const target = entries[index] as Entry;
      const { key } = target;
      const before = `---\n${entries.slice(0, index).map(whole).join('')}${target.above}`;
      const others = entries.slice(index + 1).map(whole);
      const behind = `${others.join('')}${end}---\n${body}`;
      const text = bom + ends(`${before}${whole({ ...target, above: '' })}${behind}`);
      const edited = editFrontMatter(text, [{ key, value }]);

      const [was, is] = [readFrontMatter(text), readFrontMatter(edited)];
      const expected = new Map(Object.entries(was.data));
      if (value === undefined) expected.delete(key);
      else expected.set(key, plainValue(value));
      t.deepEqual(sorted(is.data), sorted(Object.fromEntries(expected)));
      t.is(is.body, was.body);
      if (edited === text) return;
      if (value === undefined) t.is(edited, bom + ends(before + behind));
      else
        t.true(
          edited.startsWith(bom + ends(before + target.head)) && edited.endsWith(ends(`\n${behind}`)),
          edited,
        );
      if (crlf) t.notRegex(edited, /[^\r]\n/);
    }),
    cases,
  );
});

test('several keys are changed, removed and added at once, in every form', (t) => {
  const empty = ['---\n---\n', '+++\n+++\n', '{}\n', '---json\n{}\n---\n'];
  const several = fc.array(fc.record({ key: fc.oneof(fc.constantFrom(...KEYS), anyText), value: newValue }), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(fc.constantFrom(...empty), several, several, anyText, (start, first, second, body) => {
      const inToml = (one: Timestamp | number) => {
        if (typeof one === 'number') return one;
        return start.startsWith('+') ? readFrontMatter(`+++\na = ${one.text}\n+++\n`).data.a : one.text;
      };
      const last = new Map([...first, ...second].map(({ key, value }) => [key, value]));
      const expected = [...last].flatMap(([key, value]) =>
        value === undefined ? [] : [[key, plainValue(value, inToml)] as const],
      );
      const { data, body: after } = readFrontMatter(
        editFrontMatter(editFrontMatter(start, first), second, body),
      );
      t.deepEqual(sorted(data), sorted(Object.fromEntries(expected)));
      t.is(after, body);
    }),
    cases,
  );
});

test('YAML in braces gets a line for each key', (t) => {
  const text = '---\n{title: Old, "gone": [1, 2], w: 1, d: 2026-01-01, s: "a\nb",}\n---\n';
  t.is(
    editFrontMatter(text, changes.slice(0, 3)),
    '---\ntitle: "New \\"title\\""\nw: 1\nd: 2026-01-01\ns: "a\n  b"\ntags: ["a", "b c"]\n---\n',
  );
  t.is(editFrontMatter('---\n{gone: 1,}\n---\n', [{ key: 'gone', value: undefined }]), '---\n---\n');
  t.is(editFrontMatter('---\n{}\n---\n', [{ key: 'a', value: 1 }]), '---\na: 1\n---\n');
});
