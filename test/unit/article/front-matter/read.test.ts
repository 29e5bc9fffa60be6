import test from 'ava';
import { editFrontMatter } from '../../../../src/article/front-matter/edit.js';
import { readFrontMatter } from '../../../../src/article/front-matter/read.js';

test('YAML, TOML and JSON are read, each in the forms that generators know', (t) => {
  const data = { title: 'Soil', tags: ['a', 'b'] };
  const files: [string, string][] = [
    ['yaml', '---\ntitle: Soil\ntags:\n- a\n- b\n---\nBody\n'],
    ['yaml', '\ufeff---  \r\ntitle: "Soil"\r\ntags: [a, b]\r\n--- \r\nBody\n'],
    ['yaml', '---\ntitle: Soil\ntags: [\n  a,\n  b,\n]\n...\nBody\n'],
    ['toml', '+++\ntitle = "Soil"\ntags = ["a", "b"]\n+++\nBody\n'],
    ['json', '{\n  "title": "Soil",\n  "tags": ["a", "b"]\n}\nBody\n'],
    ['json-fenced', '---json\n{"title": "Soil", "tags": ["a", "b"]}\n---\nBody\n'],
  ];
  for (const [form, text] of files)
    t.deepEqual<unknown, unknown>(readFrontMatter(text), { form, data, body: 'Body\n' });
});

test('a file without front matter is all body, whatever else it begins with', (t) => {
  for (const text of [
    ...['', 'Text\n---\n', '\ufeffText', '{{< figure >}}\n', '{% include x %}', '{: .lead}'],
    ...['----\n', '\n---\n', '+++ a/file\n'],
  ])
    t.deepEqual(readFrontMatter(text), { form: 'none', data: {}, body: text });
});

test('dates are texts: as they are written in YAML, in the form of ISO 8601 in TOML', (t) => {
  const yaml = readFrontMatter('---\na: 2026-11-20\nb: 2026-11-20 17:00:00 +0900\n---\n');
  t.deepEqual(yaml.data, { a: '2026-11-20', b: '2026-11-20 17:00:00 +0900' });
  const toml = `a = 2026-11-20
b = [2026-11-20T08:00:00Z, 2026-11-20 08:00:00.5+09:00]
c = { 2026-11-20 = 07:32:00, "2026-11-20 " = '''
2026-11-20''' }
[[f]]
g = 2026-11-20t08:00:00
`;
  t.deepEqual(readFrontMatter(`+++\n${toml}+++\n`).data, {
    a: '2026-11-20',
    b: ['2026-11-20T08:00:00Z', '2026-11-20T08:00:00.500+09:00'],
    c: { '2026-11-20': '07:32:00', '2026-11-20 ': '2026-11-20' },
    f: [{ g: '2026-11-20T08:00:00' }],
  });
});

test('a key that JavaScript knows is a key like others', (t) => {
  for (const text of [
    '---\n__proto__: {a: 1}\n---\n',
    '+++\n"__proto__" = { a = 1 }\n+++\n',
    '{"__proto__": {"a": 1}}',
  ]) {
    const { data } = readFrontMatter(text);
    t.deepEqual(Object.keys(data), ['__proto__'], text);
    t.is(Object.getPrototypeOf(data), Object.prototype);
  }
});

test('malformed front matter is refused with the line of the file', (t) => {
  const cases: [string, string][] = [
    ['---\na: 1\nb: [\n---\n', 'line 4: '],
    ['---\n- a\n---\n', 'line 2: the front matter must be a map'],
    ['---\na: &x [1]\nb: *x\n---\n', 'line 1: YAML aliases'],
    ['---\na: 1\n', 'line 1: the front matter is never closed'],
    ['---', 'line 1: the front matter is never closed'],
    ['---\na: 1\n---b\n', 'line 3: the line that closes'],
    // Taken for text, an update would replace all of it.
    ['---\u00a0\na: 1\n---\nText\n', 'line 1: the line that opens'],
    ['---\ra: 1\r---\rText\r', 'line 1: the line that opens'],
    ['+++\ra = 1\r+++\r', 'line 1: the line that opens'],
    ['\n\n---\na: 1\n---\n', 'line 3: front matter must start at the very beginning'],
    ['+++\na = 1\na = 2\n+++\n', 'line 3: '],
    ['{"a": 1,\n"b": "}"', 'line 1: the JSON front matter is never closed'],
    ['{"a": [1,\n\n}\n', 'line '],
    ['---json\n[]\n---\n', 'line 2: the front matter must be a map'],
  ];
  for (const [text, start] of cases) {
    const error = t.throws(() => readFrontMatter(text), { code: 'FRONT_MATTER_INVALID' }, text);
    t.true(error?.message.startsWith(start), `${error?.message}`);
    t.false(error?.message.includes('\n'));
  }
});

test('front matter that is nested without end is refused', (t) => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  for (const text of [`---\na: ${deep}\n---\n`, `+++\na = ${deep}\n+++\n`, `{"a": ${deep}}`])
    t.throws(() => readFrontMatter(text), { code: 'FRONT_MATTER_INVALID' });
});

test('front matter in a programming language is not evaluated, and named as unsupported', (t) => {
  for (const language of ['js', 'toml', 'JSON', ' js ', 'x y'])
    t.throws(() => readFrontMatter(`---${language}\nthrow new Error('evaluated')\n---\n`), {
      code: 'FRONT_MATTER_UNSUPPORTED',
    });
});

test('of a key that is given twice the last value counts, as for Hugo and Jekyll; no edit touches such a file', (t) => {
  const text = '---\naliases: [/a/]\ntitle: A bed\naliases: [/b/]\n---\nText.\n';
  t.deepEqual(readFrontMatter(text).data, { aliases: ['/b/'], title: 'A bed' });
  t.throws(() => editFrontMatter(text, [{ key: 'title', value: 'Another' }]), { code: 'ARTICLE_UNREADABLE' });
});
