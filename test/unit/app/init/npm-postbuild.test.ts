import test from 'ava';
import { addPostbuild } from '../../../../src/app/init/npm-postbuild.js';
import { siteOf } from '../../../support/site-files.js';

const add = (text: string, output = 'dist', more = {}) =>
  addPostbuild(siteOf({ 'package.json': text, ...more }), output);

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
];

for (const [form, before, after] of FORMS)
  test(`postbuild is added after build, in the form of the file: ${form}`, (t) => {
    t.deepEqual(add(before), { kind: 'add', text: after });
    t.deepEqual(add(after), { kind: 'nothing' }, 'a second time changes nothing');
  });

test('a folder whose name a shell would split is quoted', (t) => {
  const text = '{"scripts":{"build":"x","postbuild":"pressmark postbuild \'my site\'"}}';
  t.deepEqual(add('{"scripts":{"build":"x"}}', 'my site'), { kind: 'add', text });
});

test('without a script that builds the site, or with the step in it, there is nothing to add', (t) => {
  for (const text of [
    '{}',
    '{"scripts":{"dev":"x"}}',
    '{"scripts":[]}',
    '[]',
    'null',
    '{"scripts":{"build":3}}',
    '{"scripts":{"build":"hugo && pressmark postbuild public"}}',
    '{"scripts":{"build":"npx pressmark build"}}',
    '{"scripts":{"build":"x","postbuild":"npx pressmark postbuild dist"}}',
  ])
    t.deepEqual(add(text), { kind: 'nothing' }, text);
  t.deepEqual(addPostbuild(siteOf({}), 'dist'), { kind: 'nothing' });
});

test('what only the owner can do is advised: a postbuild of their own, a file that is not JSON, Yarn from version 2, pnpm before 9', (t) => {
  const advice = (text: string, more = {}) => {
    const step = add(text, 'dist', more);
    return step.kind === 'advise' ? step.advice : step.kind;
  };
  const build = '"scripts":{"build":"x"}';
  t.regex(
    advice('{"scripts":{"build":"x","postbuild":"y"}}'),
    /add to its end: && pressmark postbuild dist$/,
  );
  t.regex(advice('{"scripts": {"build": "x",}}'), /^package\.json is not valid JSON \(.+\): correct it/);
  t.regex(advice(`{"packageManager":"yarn@4.5.0",${build}}`), /^Yarn does not run/);
  t.regex(advice(`{${build}}`, { '.yarnrc.yml': '' }), /^Yarn does not run/);
  t.regex(
    advice(`{${build}}`, { 'pnpm-lock.yaml': "lockfileVersion: '6.0'\n" }),
    /^pnpm before version 9 does not run/,
  );
  t.is(advice(`{${build}}`, { 'pnpm-lock.yaml': "lockfileVersion: '9.0'\n" }), 'add');
  for (const manager of ['yarn@1.22.22', 'pnpm@9.1.0'])
    t.is(advice(`{"packageManager":"${manager}",${build}}`), 'add', manager);
});
