import test from 'ava';
import { addPostbuild, runsPostScripts } from '../../../../src/app/init/npm-postbuild.js';

const add = (text: string, output = 'dist') => addPostbuild(text, output, true);

/** A package.json, its new form, and what its form is. */
const FORMS: readonly [string, string, string][] = [
  [
    'two spaces, a final newline',
    '{\n  "name": "site",\n  "scripts": {\n    "dev": "astro dev",\n    "build": "astro build",\n    "preview": "x"\n  }\n}\n',
    '{\n  "name": "site",\n  "scripts": {\n    "dev": "astro dev",\n    "build": "astro build",\n    "postbuild": "pressmark postbuild dist",\n    "preview": "x"\n  }\n}\n',
  ],
  [
    'tabs, Windows line ends, no final newline, build is the last',
    '{\r\n\t"scripts": {\r\n\t\t"build": "astro build"\r\n\t}\r\n}',
    '{\r\n\t"scripts": {\r\n\t\t"build": "astro build",\r\n\t\t"postbuild": "pressmark postbuild dist"\r\n\t}\r\n}',
  ],
  [
    'one line',
    '{"scripts":{"build":"a \\"b\\" , }"},"x":1}',
    '{"scripts":{"build":"a \\"b\\" , }","postbuild":"pressmark postbuild dist"},"x":1}',
  ],
  [
    'a byte order mark, odd spaces, escapes elsewhere',
    '\ufeff{ "a\\/b": "\\ud83d\\ude00",\n "scripts" : { "build"  :  "x" } }\n',
    '\ufeff{ "a\\/b": "\\ud83d\\ude00",\n "scripts" : { "build"  :  "x", "postbuild"  :  "pressmark postbuild dist" } }\n',
  ],
];

for (const [form, before, after] of FORMS)
  test(`postbuild is added after build, all else stays byte for byte: ${form}`, (t) => {
    t.deepEqual(add(before), { kind: 'add', text: after });
    t.deepEqual(add(after), { kind: 'nothing' }, 'a second time changes nothing');
  });

test('a folder whose name a shell would split is quoted', (t) => {
  const result = add('{"scripts":{"build":"x"}}', 'my site');
  t.deepEqual(result, {
    kind: 'add',
    text: '{"scripts":{"build":"x","postbuild":"pressmark postbuild \'my site\'"}}',
  });
});

test('without a script that builds the site there is nothing to add', (t) => {
  for (const text of [
    '{}',
    '{"scripts":{"dev":"x"}}',
    '{"scripts":[]}',
    '[]',
    'null',
    '{"scripts":{"build":3}}',
  ])
    t.deepEqual(add(text), { kind: 'nothing' }, text);
});

test('a build that already includes the step is left alone', (t) => {
  for (const text of [
    '{"scripts":{"build":"hugo && pressmark postbuild public"}}',
    '{"scripts":{"build":"npx pressmark build"}}',
    '{"scripts":{"build":"x","postbuild":"npx pressmark postbuild dist"}}',
  ])
    t.deepEqual(add(text), { kind: 'nothing' }, text);
});

test('an owner’s own postbuild is left, and the owner is told what to add', (t) => {
  const result = add('{"scripts":{"build":"x","postbuild":"y"}}');
  t.is(result.kind, 'advise');
  t.regex(result.kind === 'advise' ? result.advice : '', /add to its end: && pressmark postbuild dist$/);
});

test('a package.json that is not JSON is left, with the reason', (t) => {
  const result = add('{"scripts": {"build": "x",}}');
  t.is(result.kind, 'advise');
  t.regex(
    result.kind === 'advise' ? result.advice : '',
    /^package\.json is not valid JSON \(.+\): correct it/,
  );
});

test('Yarn from version 2 does not run postbuild, so its owner is told', (t) => {
  t.false(runsPostScripts('{"packageManager": "yarn@4.5.0"}', false));
  t.false(runsPostScripts('{}', true));
  for (const manifest of ['{}', '{"packageManager":"yarn@1.22.22"}', '{"packageManager":"pnpm@9.1.0"}'])
    t.true(runsPostScripts(manifest, false), manifest);
  t.is(addPostbuild('{"scripts":{"build":"x"}}', 'dist', false).kind, 'advise');
});
