import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { pathOf, put, testSite } from './test-site.js';

/** The files of a theme that fail, each in its way, and what the log says of each. */
const FAILURES: readonly (readonly [file: string, text: string, says: RegExp])[][] = [
  [
    [
      'article.eta',
      '<% layout("./layout") %>\n\n<h1><%= it.no.such %></h1>',
      /template article\.eta:3: Cannot read/,
    ],
    ['tag.eta', '<p>\n<h1><%= it.title </h1>', /template tag\.eta:2: unclosed tag/],
    ['author.eta', '<p>\n<% if ( { %>', /template author\.eta:2: Unexpected token/],
    ['home.eta', "\n<%= it.t('nonsense') %>", /template home\.eta:2: words\/en\.json has no \\"nonsense\\"/],
    [
      'archive.eta',
      "<p>\n<%~ include('./partials/nowhere') %>",
      /template archive\.eta:2: there is no template partials\/nowhere\.eta; add it/,
    ],
  ],
  [
    [
      'partials/date.eta',
      '\n<% throw new Error("no luck") %>',
      /template partials\/date\.eta:2: no luck \(in partials\/byline\.eta:\d+\)/,
    ],
    ['favicon.svg', '<svg>\n<%= it.no.such %></svg>', /template favicon\.svg:2: Cannot read/],
  ],
  [
    [
      'partials/footer.eta',
      '<footer><%= it.nothing.there %>',
      /template partials\/footer\.eta:1: .*\(in layout\.eta:\d+\)/,
    ],
  ],
  [['words/en.json', '{ "skip": ', /words\/en\.json: .*JSON/]],
  [['words/en.json', '{ "skip": 3 }', /words\/en\.json: \\*"skip\\*" must be a string/]],
];

test('where a theme fails the log says where, once for all pages, and the old pages stay until it is repaired', async (t) => {
  const site = testSite(t);
  site.write('a');
  await site.builder.build('all');
  const before = site.output();
  for (const files of FAILURES) {
    site.logged.length = 0;
    for (const [file, text] of files) put(join(site.options.templatesDir, file), text);
    const { failed } = await site.builder.build('all');
    t.true(failed > 0);
    if (files.length === 1) t.true(site.logged.length === 1 && site.logged[0]?.includes(`"pages":${failed}`));
    t.deepEqual(Object.keys(site.output()), Object.keys(before));
    for (const [file, , says] of files) t.regex(site.logged.join(''), says, file);
    fs.rmSync(site.options.templatesDir, { recursive: true });
  }
  t.is((await site.builder.build('all')).failed, 0);
  t.deepEqual(site.output(), before);
});

test('the style sheet that an old page links stays until that page can be made again', async (t) => {
  const site = testSite(t);
  site.write('a');
  await site.builder.build('all');
  const [sheet = 'none'] = /assets\/style\.[0-9a-f]+\.css/.exec(site.page('articles/a/index.html')) ?? [];
  const { templatesDir } = site.options;
  put(join(templatesDir, 'style.css'), '.mine {}');
  put(join(templatesDir, 'article.eta'), '<%= it.no.such %>');
  t.is((await site.builder.build('all')).failed, 1);
  t.true(site.has(sheet));
  fs.rmSync(join(templatesDir, 'article.eta'));
  await site.builder.build('all');
  t.false(site.has(sheet));
});

test('the style sheet that an old page links stays if the page’s article changes during the build', async (t) => {
  const before = testSite(t);
  before.write('a');
  await before.builder.build('all');
  await before.builder.close();
  const [sheet = 'none'] = /assets\/style\.[0-9a-f]+\.css/.exec(before.page('articles/a/index.html')) ?? [];
  const site = testSite(t, { dir: before.dir }); // remembers no text
  put(join(site.options.templatesDir, 'style.css'), '.mine {}');
  const onProgress = (done: number) => {
    if (done === 1) site.write('a', { title: 'Changed' });
  };
  t.is((await site.builder.build('all', { onProgress })).failed, 0);
  t.true(site.page('articles/a/index.html').includes(sheet));
  t.true(site.has(sheet));
  await site.builder.build([pathOf('a')]);
  t.false(site.has(sheet));
});

test('pages that could not be made are tried again with a build of everything, and not after a change elsewhere', async (t) => {
  const site = testSite(t);
  const [a = ''] = ['a', 'b'].map((slug) => site.write(slug));
  put(
    join(site.options.templatesDir, 'article.eta'),
    '<% globalThis.pressmarkTried = (globalThis.pressmarkTried ?? 0) + 1; throw new Error("no luck") %>',
  );
  const tried = () => Reflect.get(globalThis, 'pressmarkTried');
  const { failed, failures } = await site.builder.build('all');
  t.deepEqual([failed, tried()], [2, 2]);
  t.like(await site.builder.build([a]), { failed, failures });
  t.is(tried(), 2);
  await site.builder.build([a], { anew: [a] });
  t.is(tried(), 3);
  await site.builder.build([site.write('a', { title: 'Newer' })]);
  t.is(tried(), 5, 'also the page that links it');
  await site.builder.build('all');
  t.is(tried(), 7);
});
