import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { put, testSite } from './test-site.js';

/** A theme's file that fails, and what the log must say of it. */
const FAILURES: Record<string, { file: string; text: string; says: RegExp }> = {
  'a value that is not there': {
    file: 'article.eta',
    text: '<% layout("./layout") %>\n\n<h1><%= it.nothing.there %></h1>',
    says: /template article\.eta:3: Cannot read/,
  },
  'a partial in a partial': {
    file: 'partials/date.eta',
    text: '\n<% throw new Error("no luck") %>',
    says: /template partials\/date\.eta:2: no luck \(in partials\/byline\.eta:\d+\)/,
  },
  'the layout': {
    file: 'layout.eta',
    text: '<html>\n\n\n<%= it.nothing.there %>',
    says: /template layout\.eta:4: Cannot read/,
  },
  'a tag that is not closed': {
    file: 'tag.eta',
    text: '<p>\n<h1><%= it.title </h1>',
    says: /template tag\.eta:2: unclosed tag/,
  },
  'a tag that is not JavaScript': {
    file: 'tag.eta',
    text: '<p>\n<% if ( { %>',
    says: /template tag\.eta:2: Unexpected token/,
  },
  'a partial that is not there': {
    file: 'tag.eta',
    text: "<p>\n<%~ include('./partials/nowhere') %>",
    says: /template tag\.eta:2: there is no template partials\/nowhere\.eta; add it/,
  },
  'words that are not JSON': { file: 'words/en.json', text: '{ "skip": ', says: /words\/en\.json: .*JSON/ },
  'a word that is not a string': {
    file: 'words/en.json',
    text: '{ "skip": 3 }',
    says: /words\/en\.json: \\*"skip\\*" must be a string/,
  },
  'a phrase that no file of words has': {
    file: 'home.eta',
    text: "\n<%= it.t('nonsense') %>",
    says: /template home\.eta:2: words\/en\.json has no \\"nonsense\\"/,
  },
  'the icon': {
    file: 'favicon.svg',
    text: '<svg>\n<%= it.nothing.there %></svg>',
    says: /template favicon\.svg:2: Cannot read/,
  },
};

test('where a theme fails the log says where, and the old pages stay until it is repaired', async (t) => {
  const site = testSite(t);
  site.write('a');
  await site.builder.build('all');
  const names = Object.keys(site.output());
  for (const [what, { file, text, says }] of Object.entries(FAILURES)) {
    site.logged.length = 0;
    const template = join(site.options.templatesDir, file);
    put(template, text);
    site.write('a', { description: what });
    t.true((await site.builder.build('all')).failed > 0, what);
    t.deepEqual(Object.keys(site.output()), names, what);
    t.regex(site.logged.join(''), says, what);
    for (const [page, html] of Object.entries(site.output()))
      if (page.endsWith('.html')) t.true(html.trim().endsWith('</html>'), `${what}: ${page}`);
    fs.rmSync(template);
    t.is((await site.builder.build('all')).failed, 0, what);
  }
});

test('a failure that every page has is logged once, with the number of pages', async (t) => {
  const site = testSite(t, { settings: { search: true } });
  for (const slug of ['a', 'b', 'c']) site.write(slug);
  put(join(site.options.templatesDir, 'partials/footer.eta'), '<footer><%= it.nothing.there %>');
  const { failed } = await site.builder.build('all');
  t.true(failed > 8);
  t.is(site.logged.length, 1);
  t.regex(site.logged[0] ?? '', /template partials\/footer\.eta:1: Cannot read .*\(in layout\.eta:\d+\)/);
  t.true(site.logged[0]?.includes(`"pages":${failed}`));
});

test('pages that could not be made are tried again with a build of everything, and not after a change elsewhere', async (t) => {
  const site = testSite(t);
  const [a] = ['a', 'b'].map((slug) => site.write(slug));
  const template = join(site.options.templatesDir, 'article.eta');
  put(
    template,
    '<% globalThis.pressmarkTried = (globalThis.pressmarkTried ?? 0) + 1; throw new Error("no luck") %>',
  );
  const tried = () => Reflect.get(globalThis, 'pressmarkTried');
  const { failed, failures } = await site.builder.build('all');
  t.deepEqual([failed, tried()], [2, 2]);
  t.like(await site.builder.build([a ?? '']), { failed, failures });
  t.is(tried(), 2);
  await site.builder.build([a ?? ''], { anew: [a ?? ''] });
  t.is(tried(), 3);
  await site.builder.build([site.write('a', { title: 'Newer' })]);
  t.is(tried(), 5, 'also the page that links it');
  await site.builder.build('all');
  t.is(tried(), 7);
});
