import test from 'ava';
import { literalsOf, property, text } from '../../../../src/generators/eleventy/js-literals.js';
import { fc } from '../../../support/property.js';

test('properties are found by the keys around them, in JavaScript and in JSON', (t) => {
  const source =
    "export default () => ({ dir: { input: 'content', /* output: 'no' */ output: \"_site\" }, drafts: false })";
  const read = literalsOf(source);
  t.is(text(read, 'dir', 'input'), 'content');
  t.is(text(read, 'dir', 'output'), '_site');
  t.is(property(read, 'drafts'), false);
  t.is(text(literalsOf('{"a": {"url": "https://a.example//x"}}'), 'a', 'url'), 'https://a.example//x');
});

test('an expression counts as its default, and as nothing where it has none', (t) => {
  const read = literalsOf(
    "const a = { url: process.env.URL || 'https://a.example', name: make('x'), no: one + 'x', last: b ?? `y` }",
  );
  t.is(text(read, 'url'), 'https://a.example');
  t.is(text(read, 'last'), 'y');
  t.is(text(read, 'name'), undefined);
  t.is(text(read, 'no'), undefined);
});

test('the strings that a method is called with are found', (t) => {
  const { calls } = literalsOf(
    "config.addExtension(['md', 'html'], {}); config.setInputDirectory('src'); // config.setOutputDirectory('x')",
  );
  t.deepEqual(calls, [
    { name: 'addExtension', strings: ['md', 'html'] },
    { name: 'setInputDirectory', strings: ['src'] },
  ]);
});

test('the name of a constant counts as its literal', (t) => {
  const { properties, calls } = literalsOf(`const INPUT = "src", other = 1
    const out = 'dist'
    let changed = 'a';
    const { dir } = x;
    setDataDirectory(out);
    export default { dir: { input: INPUT, output: out, data: changed, includes: INPUT.length, INPUT }, list: [out] }`);
  t.deepEqual(
    properties.map(({ path, value }) => [path.join('.'), value]),
    [
      ['dir.input', 'src'],
      ['dir.output', 'dist'],
      ['dir.INPUT', 'src'],
      ['list', 'dist'],
    ],
  );
  t.deepEqual(calls, [{ name: 'setDataDirectory', strings: ['dist'] }]);
});

test('literals in an array are properties of its key', (t) => {
  const { properties } = literalsOf("export default { tags: ['posts', \"notes\"], layout: 'post.njk' }");
  t.deepEqual(
    properties.map(({ path, value }) => [path.join('.'), value]),
    [
      ['tags', 'posts'],
      ['tags', 'notes'],
      ['layout', 'post.njk'],
    ],
  );
});

test('no text is too strange to be read', (t) => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    "'",
    '"',
    '`',
    '\\',
    ':',
    ',',
    '//',
    '/*',
    '*/',
    '=>',
    '||',
    '(',
    ')',
    '\n',
    'a',
    '7',
  );
  fc.assert(fc.property(fc.array(piece), (pieces) => t.notThrows(() => literalsOf(pieces.join('')))));
});
