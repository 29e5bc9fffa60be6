import test from 'ava';
import type { Answers } from '../../../../src/app/init/answers.js';
import {
  type ExistingConfig,
  type Inspection,
  inspectSite,
  recogniseSite,
} from '../../../../src/app/init/inspect-site.js';
import { type InitPlan, planInit } from '../../../../src/app/init/plan.js';
import { readingReport } from '../../../../src/app/init/reading-report.js';
import type { Generator, SiteFacts } from '../../../../src/generators/generator.js';
import { siteOf } from '../../../support/site-files.js';
import { standIn } from '../../../support/stand-in-generator.js';

interface Given {
  readonly files?: Readonly<Record<string, string>>;
  readonly generators?: readonly Generator[];
  readonly answers?: Answers;
  readonly existing?: ExistingConfig;
  readonly isInWorkTree?: boolean;
  readonly knownUrl?: string;
}

const HUGO_FILES = { 'hugo.toml': 'baseURL = "https://garden.example/notes/"\n' };
const hugo = (facts: Partial<SiteFacts> = {}) => [standIn('hugo', 'hugo.toml', facts)];

async function inspect({
  files = HUGO_FILES,
  generators = hugo(),
  answers = {},
  existing,
  knownUrl,
}: Given): Promise<Inspection> {
  const recognition = recogniseSite(siteOf(files), existing, answers, generators);
  if (recognition.kind === 'question') throw new Error(recognition.question.text);
  const site = {
    files: siteOf(files),
    ask: async () => undefined,
    asked: [],
    failures: [],
    close: () => undefined,
  };
  return inspectSite(site, recognition, answers, knownUrl);
}

async function plan(given: Given): Promise<InitPlan> {
  const { files = HUGO_FILES, answers = {}, isInWorkTree = true, knownUrl } = given;
  return planInit(siteOf(files), await inspect(given), answers, isInWorkTree, false, knownUrl);
}

const written = ({ changes }: InitPlan) =>
  Object.fromEntries(changes.map(({ path, after }) => [path, after]));

test('a site of another generator gets a config with what its definition has read', async (t) => {
  const files = { ...HUGO_FILES, 'package.json': '{}', 'package-lock.json': '{}' };
  const result = await plan({ files, generators: hugo({ frontMatter: { layout: 'post' } }) });
  const { 'pressmark.config.mjs': config = '', '.gitignore': ignore } = written(result);
  for (const line of [
    "generator: { name: 'hugo', timeZone: 'Asia/Tokyo' },",
    "siteUrl: 'https://garden.example/notes',",
    "content: 'content',",
    "output: 'public',",
    "build: 'hugo',",
    "file: 'posts/:slug.md',",
    "permalink: '/posts/:slug/',",
    "frontMatter: { layout: 'post' },",
  ])
    t.true(config.includes(`  ${line}`), line);
  t.notRegex(config, /body/);
  t.is(ignore, '.env\n.pressmark/\nnode_modules/\npublic/\n');
  t.deepEqual(result.warnings, []);
  t.deepEqual(result.toCommit, ['pressmark.config.mjs', '.gitignore', 'package.json', 'package-lock.json']);
  t.deepEqual((await plan({ files, isInWorkTree: false })).toCommit, []);
});

test('answers go before what was read, and a site URL that differs is reported', async (t) => {
  const given: Given = {
    answers: {
      content: 'docs',
      file: ':slug.md',
      permalink: '/n/:slug.html',
      body: 'html',
      siteUrl: 'https://other.example',
      frontMatter: { tags: ['a', 'b'] },
    },
  };
  const result = await plan(given);
  const { 'pressmark.config.mjs': config = '' } = written(result);
  for (const line of [
    "'docs'",
    "':slug.md'",
    "'/n/:slug.html'",
    "'https://other.example'",
    "body: 'html'",
    "{ tags: ['a', 'b'] }",
  ])
    t.true(config.includes(line), line);
  t.like(result.warnings, [{ level: 'warn', fix: 'set https://other.example there too' }]);
  t.regex(result.warnings[0]?.text ?? '', /https:\/\/garden\.example\/notes, not https:\/\/other\.example/);
  const report = readingReport(await inspect(given), result.siteUrl, given.answers ?? {});
  t.deepEqual(
    report.find(({ what }) => what === 'content'),
    { what: 'content', value: 'docs', from: 'answered' },
  );
});

test('the report names each thing that was read, and from where', async (t) => {
  const generators = hugo({
    options: { timeZone: 'Asia/Tokyo', keys: { date: 'pubDate', image: null }, keptTags: ['nav', 'top'] },
    siteUrlSource: 'baseURL',
    languageSource: 'defaultContentLanguage',
  });
  const report = readingReport(await inspect({ generators }), 'https://garden.example/notes', {});
  const lines = report.map(
    ({ what, value, from }) => `${what}: ${value}${from === undefined ? '' : ` (${from})`}`,
  );
  t.deepEqual(lines, [
    'generator: hugo (hugo.toml)',
    'site URL: https://garden.example/notes (baseURL)',
    'content: content',
    'new articles: posts/:slug.md',
    'permalink: /posts/:slug/',
    'output: public',
    'build: hugo',
    'language: de (defaultContentLanguage)',
    'time zone: Asia/Tokyo',
    'keys: date: pubDate, image: none',
    'kept tags: nav, top (the site may select posts by them, so no article gets one; see keptTags)',
  ]);
});

test('the words of a starter are no address of a site', async (t) => {
  for (const siteUrl of [
    'https://example.org',
    'https://username.github.io',
    'https://update-me.com/',
    'https://www.your-site.com',
  ]) {
    const generators = hugo({ siteUrl });
    const { questions } = await inspect({ generators });
    t.like(questions, [{ flag: 'site-url', fallback: undefined }], siteUrl);
    t.is((await plan({ generators })).siteUrl, undefined, siteUrl);
  }
  for (const siteUrl of ['https://ada.github.io', 'https://our-blog.dev', 'https://change.org'])
    t.deepEqual((await inspect({ generators: hugo({ siteUrl }) })).questions, [], siteUrl);
});

test('only what cannot be found out is a question', async (t) => {
  const generators = hugo({
    siteUrl: undefined,
    questions: [
      { flag: 'front-matter', key: 'author', text: 'Who?' },
      { flag: 'front-matter', key: 'category', text: 'Which?', fallback: 'notes' },
    ],
  });
  const flags = async (given: Given) =>
    (await inspect({ generators, ...given })).questions.map(({ flag, key }) => key ?? flag);
  t.deepEqual(await flags({}), ['site-url', 'author', 'category']);
  t.deepEqual(await flags({ knownUrl: 'https://garden.example' }), ['author', 'category']);
  const answers = { siteUrl: 'https://x.example', frontMatter: { author: 'Me' } };
  t.deepEqual(await flags({ answers }), ['category']);
  const existing = { name: 'pressmark.config.mjs', settings: { generator: 'hugo' } };
  t.deepEqual(await flags({ existing }), []);
});

test('several generators with the same evidence are a question, which --generator answers', async (t) => {
  const files = siteOf({ 'hugo.toml': '', '_config.yml': '' });
  const generators = [...hugo(), standIn('jekyll', '_config.yml')];
  const result = recogniseSite(files, undefined, {}, generators);
  t.is(result.kind === 'question' && result.question.flag, 'generator');
  t.regex(
    result.kind === 'question' ? result.question.text : '',
    /hugo \(hugo\.toml\), jekyll \(_config\.yml\) or plain/,
  );
  t.like(recogniseSite(files, undefined, { generator: 'jekyll' }, generators), {
    kind: 'known',
    generator: { name: 'jekyll' },
  });
  t.throws(() => recogniseSite(files, undefined, { generator: 'jekyl' }, generators), {
    message: /"jekyl" is not known; use hugo, jekyll or plain; did you mean jekyll\?/,
  });
});

test('edits of the site’s own files and the postbuild script are one change for each file', async (t) => {
  const text = '{\n  "type": "module",\n  "scripts": {\n    "build": "astro build"\n  }\n}\n';
  const before = text.replace('  "type": "module",\n', '');
  const files = { ...HUGO_FILES, 'package.json': before, '_config.yml': 'a: 1\n' };
  const edits = [
    { path: 'package.json', text, reason: 'add the type' },
    { path: '_config.yml', text: 'a: 1\nexclude: [x]\n', reason: 'exclude x' },
  ];
  const { changes } = await plan({ files, generators: hugo({ edits }) });
  t.like(
    changes.filter(({ path }) => path === 'package.json'),
    [
      {
        before,
        after: text.replace('"astro build"', '"astro build",\n    "postbuild": "pressmark postbuild public"'),
      },
    ],
  );
  t.like(
    changes.find(({ path }) => path === '_config.yml'),
    { before: 'a: 1\n', after: 'a: 1\nexclude: [x]\n' },
  );
});

test('a config that lacks what the site needs is left, and its owner is told the settings and where articles go without them', async (t) => {
  const settings = { generator: 'hugo', siteUrl: 'https://garden.example/notes' };
  const existing = { name: 'pressmark.config.js', settings: { ...settings, articles: { file: ':slug.md' } } };
  const { changes, warnings } = await plan({ existing });
  t.false(changes.some(({ path }) => path.startsWith('pressmark.config')));
  t.like(warnings, [
    { fix: "add them to pressmark.config.js: build: 'hugo', articles: { permalink: '/posts/:slug/' }" },
  ]);
  const report = readingReport(await inspect({ existing }), settings.siteUrl, {});
  t.like(
    report.filter(({ what }) => ['content', 'new articles', 'permalink'].includes(what)),
    [
      { value: 'content', from: 'the default' },
      { value: ':slug.md', from: 'pressmark.config.js' },
      { value: '/articles/:slug/', from: 'the default' },
    ],
  );
});

test('a config that does not name the generator is left, and its owner is told', async (t) => {
  const existing = { name: 'pressmark.config.js', settings: { site: false } };
  const { changes, warnings } = await plan({ existing });
  t.false(changes.some(({ path }) => path.startsWith('pressmark.config')));
  t.like(warnings, [{ text: 'this is a site of hugo, but pressmark.config.js does not name a generator' }]);
  t.regex(warnings[0]?.fix ?? '', /^set generator: 'hugo' in pressmark\.config\.js/);
});

/** From where package.json takes Pressmark, and what of it is to be committed. */
const SOURCES: readonly (readonly [from: string, toCommit: readonly string[], warns: boolean])[] = [
  ['file:vendor/pressmark-0.1.0.tgz', ['vendor/pressmark-0.1.0.tgz'], false],
  ['./vendor/pressmark-0.1.0.tgz', ['vendor/pressmark-0.1.0.tgz'], false],
  ['^0.1.0', [], false],
  ['https://packages.example/pressmark.tgz', [], false],
  ['file:../pressmark', [], true],
  ['link:/srv/pressmark', [], true],
];

test('the package in the site’s folder is committed, as a clone installs it from there; one outside of it is a warning', async (t) => {
  for (const [from, toCommit, warns] of SOURCES) {
    const files = { ...HUGO_FILES, 'package.json': JSON.stringify({ dependencies: { pressmark: from } }) };
    const result = await plan({ files });
    t.deepEqual(result.toCommit.slice(3), toCommit, from);
    const words = `package.json takes pressmark from ${from.slice(5)}, which is not there where the site is cloned`;
    t.deepEqual(
      result.warnings.map(({ text }) => text),
      warns ? [words] : [],
      from,
    );
  }
});

test('git ignores the output that an existing config of Pressmark’s own builder names', async (t) => {
  const existing = { name: 'pressmark.config.mjs', settings: { output: './www/' } };
  const { '.gitignore': ignore } = written(await plan({ files: {}, generators: [], existing }));
  t.is(ignore, '.env\n.pressmark/\nwww/\n');
});

test('an empty secret and a line that takes .env out of .gitignore count for nothing', async (t) => {
  const { '.env': env = '', '.gitignore': ignore } = written(
    await plan({
      files: { ...HUGO_FILES, '.env': 'A=1\nPRESSMARK_SECRET=\n', '.gitignore': '.env\n!.env\n' },
    }),
  );
  t.regex(env, /^A=1\nPRESSMARK_SECRET=[\w-]{43}\n$/);
  t.regex(ignore ?? '', /^\.env\n!\.env\n\.env\n/);
});
