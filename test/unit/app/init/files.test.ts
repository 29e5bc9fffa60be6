import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { withAnswer } from '../../../../src/app/init/answers.js';
import { applyChanges } from '../../../../src/app/init/changes.js';
import { configText, literal } from '../../../../src/app/init/config-text.js';
import { missingIgnoreLines, withLines } from '../../../../src/app/init/ignore-lines.js';
import { addPostbuild } from '../../../../src/app/init/npm-postbuild.js';
import { fc, runs } from '../../../support/property.js';
import { siteOf } from '../../../support/site-files.js';
import { tempDir } from '../../../support/temp-dir.js';

test('a line is missing only if it is there in no spelling, and is added once', (t) => {
  t.deepEqual(missingIgnoreLines(['.env', 'public/', 'dist/'], '/public\r\n.env \n'), ['dist/']);
  t.deepEqual(missingIgnoreLines(['dist/', '/dist'], ''), ['dist/']);
  for (const line of ['_site', '/_site/', '_site/**', '  _site/\r'])
    t.deepEqual(missingIgnoreLines(['_site/'], `a\n${line}\nb\n`), [], line);
  t.deepEqual(missingIgnoreLines(['_site/', '/resources/_gen/'], '/_site_old/\nresources/\n'), ['_site/']);
  t.deepEqual(missingIgnoreLines(['docs/dist/', 'docs/cache/'], 'dist\n/cache\n'), ['docs/cache/']);
  t.deepEqual(missingIgnoreLines(['docs/dist/'], 'dist\n!dist\n'), ['docs/dist/']);
  t.deepEqual(missingIgnoreLines(['.env'], '.env\n!/.env\n'), ['.env']);
});

test('lines are added with the line ends of the text, after a last line without one', (t) => {
  t.is(withLines('x', ['a']), 'x\na\n');
  t.is(withLines('x\r\ny', ['a', 'b']), 'x\r\ny\r\na\r\nb\r\n');
});

const REASON = 'a test';

test('changes are written: new files, and existing ones with the permissions that they have', async (t) => {
  const dir = tempDir(t);
  fs.writeFileSync(join(dir, 'script'), 'a', { mode: 0o755 });
  fs.mkdirSync(join(dir, 'real'));
  fs.writeFileSync(join(dir, 'real/config'), 'a');
  fs.symlinkSync('real/config', join(dir, 'config'));
  await applyChanges(dir, [
    { path: 'script', before: 'a', after: 'b', reason: REASON },
    { path: 'config', before: 'a', after: 'b', reason: REASON },
    { path: 'new/.env', before: undefined, after: 'x', reason: REASON, mode: 0o600 },
  ]);
  t.is(fs.statSync(join(dir, 'script')).mode & 0o777, 0o755);
  t.is(fs.statSync(join(dir, 'new/.env')).mode & 0o777, 0o600);
  t.is(fs.readFileSync(join(dir, 'real/config'), 'utf8'), 'b');
  t.true(fs.lstatSync(join(dir, 'config')).isSymbolicLink());
  t.deepEqual(fs.readdirSync(dir).sort(), ['config', 'new', 'real', 'script']);
});

test('nothing is written if one of the files has changed meanwhile, has appeared, or is not UTF-8', async (t) => {
  const dir = tempDir(t);
  const bytes = Buffer.from([0x61, 0xe4, 0x0a]);
  fs.writeFileSync(join(dir, 'there'), bytes);
  const first = { path: 'new', before: undefined, after: 'x', reason: REASON };
  for (const before of [undefined, 'old', bytes.toString('utf8')])
    await t.throwsAsync(applyChanges(dir, [first, { path: 'there', before, after: 'y', reason: REASON }]), {
      message: /^there has .*it was left alone; run pressmark init again$/,
    });
  t.deepEqual(fs.readdirSync(dir), ['there']);
  fs.symlinkSync('/nowhere/secret', join(dir, '.env'));
  const env = { path: '.env', before: undefined, after: 'x', reason: REASON };
  await t.throwsAsync(applyChanges(dir, [first, env]), { message: /^\.env has appeared/ });
  t.true(fs.lstatSync(join(dir, '.env')).isSymbolicLink());
  t.deepEqual(fs.readFileSync(join(dir, 'there')), bytes);
});

test('a file that cannot be written is named, and no secret is there before git ignores it', async (t) => {
  const dir = tempDir(t);
  fs.symlinkSync('/proc/self', join(dir, 'folder')); // nobody can write there
  const changes = [
    { path: 'config', before: undefined, after: 'x', reason: REASON },
    { path: '.env', before: undefined, after: 'x', reason: REASON, secret: true },
    { path: 'folder/.gitignore', before: undefined, after: '.env', reason: REASON },
  ];
  await t.throwsAsync(applyChanges(dir, changes), {
    message:
      /^folder\/\.gitignore cannot be written: .* run pressmark init again, which writes what is missing$/,
  });
  t.deepEqual(fs.readdirSync(dir).sort(), ['config', 'folder']);
});

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
];

for (const [form, before, after] of FORMS)
  test(`postbuild is added after build, in the form of the file: ${form}`, (t) => {
    t.deepEqual(add(before), { kind: 'add', text: after });
    t.deepEqual(add(after), { kind: 'nothing' }, 'a second time changes nothing');
  });

test('without a script that builds the site, or with the step in it, there is nothing to add', (t) => {
  for (const text of ['{}', '[]', '{"scripts":[]}', '{"scripts":{"build":"npx pressmark build"}}'])
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
  t.is(advice(`{"packageManager":"yarn@1.22.22",${build}}`), 'add');
});

test('the config of a generator site has what was answered', (t) => {
  const text = configText({
    siteUrl: undefined,
    service: { name: 'Acme', comment: 'ac' },
    content: 'content',
    output: 'public',
    built: {
      generator: 'hugo',
      options: {},
      build: 'hugo --minify',
      file: 'posts/:slug.md',
      permalink: '/posts/:slug/',
      body: 'html',
      frontMatter: { layout: 'post', 'en-US': ["it's", true] },
    },
  });
  t.regex(text, /^ {2}\/\/ siteUrl: 'https:\/\/example\.com',/m);
  t.regex(text, /^ {2}service: \{ name: 'Acme', comment: 'ac' \},/m);
  t.regex(text, /^ {4}body: 'html',/m);
  t.true(text.includes(`frontMatter: { layout: 'post', 'en-US': ["it's", true] },`));
});

// Made before any test begins: its table of all characters takes a second, in which no other test of the process would go on.
const anySetting = fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue());

test('whatever stands in a setting, the config reads back the same', (t) => {
  fc.assert(
    fc.property(anySetting, (value) => {
      t.deepEqual(new Function(`return (${literal(value)})`)(), JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: runs(50) },
  );
});

const frontMatter = (text: string, key?: string) =>
  withAnswer({}, { flag: 'front-matter', ...(key !== undefined && { key }) }, text).frontMatter;

test('a front matter value is read as YAML would read it', (t) => {
  t.deepEqual(frontMatter('weight = 3'), { weight: 3 });
  t.deepEqual(frontMatter('code="3"'), { code: '3' });
  t.deepEqual(frontMatter('tags=[posts, notes]'), { tags: ['posts', 'notes'] });
  t.deepEqual(frontMatter('empty='), { empty: '' });
  t.deepEqual(frontMatter('day=2026-11-20'), { day: '2026-11-20' });
  t.deepEqual(frontMatter('Jane Doe', 'author'), { author: 'Jane Doe' });
});

test('a front matter answer that cannot be is refused', (t) => {
  for (const text of ['layout', '=post', 'x=[a', 'x=[null]', 'x={a: [1, ~]}'])
    t.throws(() => frontMatter(text), { code: 'USAGE' }, text);
});
