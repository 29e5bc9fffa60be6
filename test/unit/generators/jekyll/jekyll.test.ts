import test from 'ava';
import type { IncomingBody } from '../../../../src/article/format/mapping.js';
import type { MappingOptions } from '../../../../src/generators/generator.js';
import { addExcludes } from '../../../../src/generators/jekyll/config-file.js';
import { jekyll } from '../../../../src/generators/jekyll/jekyll.js';
import { fc } from '../../../support/property.js';
import { siteOf } from '../../../support/site-files.js';
import { askedSite } from '../asked-site.js';

// What Jekyll 4.3.1 said of a site in its own words, as far as it matters.
const ANSWER = {
  version: '4.3.1',
  config: {
    source: '.',
    destination: '_site',
    collections_dir: '',
    include: ['.htaccess'],
    future: false,
    markdown: 'kramdown',
    baseurl: '/notes',
    url: 'https://allotment.example',
    timezone: 'Asia/Tokyo',
    lang: 'en',
    theme: 'minima',
  },
  layouts: ['default', 'post'],
  pages: [
    { path: '_posts/2001-02-03-probe.md', address: '/2001/02/03/probe/' },
    { path: '_posts/2025-03-02-first-sowing.markdown', address: '/beds/2025/03/02/first-sowing/' },
    { path: '_recipes/bean-soup.md', address: '/recipes/bean-soup/' },
  ],
  defaults: { layout: null },
};

const answer = (config: object = {}, more: object = {}) => ({
  'ruby -e': JSON.stringify({ ...ANSWER, ...more, config: { ...ANSWER.config, ...config } }),
});
const facts = async (files: Record<string, string> = {}, printed = answer()) =>
  await jekyll.inspect(askedSite({ '_config.yml': '', ...files }, printed));
const pages = (...addresses: string[]) => ({
  pages: addresses.map((address, n) => ({ path: `_posts/2025-03-0${n + 1}-beans.md`, address })),
});

test('init asks Jekyll, and a new article has the address of one that is not there', async (t) => {
  const found = await facts({ '_posts/2025-03-02-first-sowing.markdown': '---\ncategories: beds\n---\n' });
  t.like(found, {
    siteUrl: 'https://allotment.example/notes',
    language: 'en',
    content: '_posts',
    file: ':year-:month-:day-:slug.md',
    permalink: '/:year/:month/:day/:slug/',
    output: '_site',
    build: 'jekyll build',
    frontMatter: { layout: 'post' },
    questions: [],
  });
  t.deepEqual(found.options, {
    timeZone: 'Asia/Tokyo',
    keys: { category: 'categories' },
    categories: ['beds'],
  });
});

test('authors are known by the site’s data, where the posts name them by their keys', async (t) => {
  const files = { '_posts/2025-03-01-beans.md': '---\nauthor: ada\n---\n' };
  const authors = { ada: { name: 'Ada Lovelace' } };
  const optionsOf = async (posts: Record<string, string>) =>
    (await facts(posts, answer({}, { ...pages('/a/'), authors }))).options;
  t.deepEqual((await optionsOf(files)).authors, { 'Ada Lovelace': 'ada' });
  t.is((await optionsOf({ '_posts/2025-03-01-beans.md': '---\nauthor: Ada\n---\n' })).authors, undefined);
});

test('the switch against Liquid is used where the version that builds the site is known to have it', async (t) => {
  const has = async (files: Record<string, string>, printed = answer()) =>
    (await facts(files, printed)).options.templateSwitch;
  t.is(await has({}), undefined, 'the host may have Jekyll 3');
  t.true(await has({ Gemfile: 'gem "jekyll"\n' }));
  t.is(await has({ Gemfile: 'gem "jekyll"\n' }, answer({}, { version: '3.10.0' })), undefined);
  t.true(await has({}, answer({ defaults: [{ values: { render_with_liquid: false } }] })));
});

test('folder, domain and build follow from the configuration and the files of the site', async (t) => {
  for (const [expected, config, files] of [
    [{ content: 'src/_posts' }, { source: 'src' }],
    [{ content: 'src/pages/_posts' }, { source: 'src', collections_dir: 'pages' }],
    [{ siteUrl: undefined }, { url: null }],
    [{ siteUrl: 'https://a.example/notes' }, { url: null }, { CNAME: 'a.example\n' }],
    [{ build: 'bundle exec jekyll build' }, {}, { Gemfile: "gem 'jekyll'\n" }],
    [
      { build: 'npm run build', output: 'dist' },
      {},
      { 'package.json': '{"scripts":{"build":"jekyll build -d dist"}}' },
    ],
  ] as const)
    t.like(await facts(files, answer(config)), expected);
  t.regex(jekyll.addressQuery?.(siteOf({ Gemfile: "gem 'jekyll'\n" }), {}).command ?? '', /^bundle exec /);
});

test('exclude lines are added below those that are there', (t) => {
  for (const [before, after] of [
    [
      'a: 1\nexclude: # mine\n  - x # one\n\n# end\nb: 2\n',
      'a: 1\nexclude: # mine\n  - x # one\n  - p/\n\n# end\nb: 2\n',
    ],
    ['exclude:\n- x', 'exclude:\n- x\n- p/\n'],
    ['exclude:\nb: 2\n', 'exclude:\n  - p/\nb: 2\n'],
    ['a: 1\r\n', 'a: 1\r\n\r\nexclude:\r\n  - p/\r\n'],
    ['a: 1', 'a: 1\n\nexclude:\n  - p/\n'],
    ['exclude: [x, "y"] # z\n', 'exclude: [x, "y", "p/"] # z\n'],
    ['exclude: []\n', 'exclude: ["p/"]\n'],
    ['exclude: [\n  x # ]\n  ]', 'exclude: [\n  x, "p/" # ]\n  ]'],
  ] as const)
    t.is(addExcludes(before, ['p/']), after);
  for (const config of ['exclude: x\n', '{ a: 1 }\n', 'exclude:\n  - a: [\n'])
    t.is(addExcludes(config, ['p/']), undefined, config);
});

test('where the site may be built by Jekyll 3, a first exclude repeats what it would forget', async (t) => {
  const exclude = ['Gemfile', 'node_modules', 'vendor/bundle/'];
  const text = async (files: Record<string, string>, version = '3.10.0') =>
    (await facts(files, answer({ exclude }, { version }))).edits?.[0]?.text ?? '';
  t.regex(await text({}), /- vendor\/bundle\//);
  t.notRegex(await text({}, '4.3.1'), /vendor\/bundle|node_modules/);
  const own = await facts({ '_config.yml': 'exclude:\n- a\n' }, answer({ exclude: ['a'] }));
  t.regex(own.edits?.[0]?.text ?? '', /- node_modules\//);
  t.regex(await text({}), /- plugins\//);
  t.notRegex(await text({ 'plugins/guide.md': '' }), /- plugins\//);
  const { edits, warnings } = await facts({ '_config.yml': '{ a: 1 }' });
  t.deepEqual(edits, []);
  t.regex(warnings[0]?.text ?? '', /exclude lacks \.pressmark\//);
  t.deepEqual((await facts({}, answer({ source: 'src' }))).edits, []);
});

test('doctor names what publishes the secret', (t) => {
  const count = (config: string) => jekyll.problems?.(siteOf({ '_config.yml': config }), '_posts').length;
  for (const include of ["['.*']", '\n  - .htaccess\n  - .env\n', '"*"'])
    t.is(count(`title: x\ninclude: ${include}\nurl: .env\n`), 1, include);
  t.is(count('include: [.htaccess]\nexclude: [.env]\n'), 0);
});

const mappingOf = (options: Partial<MappingOptions> = {}) =>
  jekyll.mapping({ body: 'markdown', constants: {}, address: (slug) => `/${slug}/`, ...options });
const markdown = (text: string): IncomingBody => ({ kind: 'markdown', markdown: text, html: '<p>x</p>' });
const html = (text: string): IncomingBody => ({ kind: 'html', html: text });

test('nothing but the strings of the escape is left for Liquid to run', (t) => {
  const liquid = fc.array(fc.constantFrom('{', '%', '}', '"', ' ', 'a', '\n', '-', 'raw'), { maxLength: 30 });
  fc.assert(
    fc.property(liquid, fc.boolean(), fc.constantFrom('a.md', 'a.html'), (parts, isHtml, path) => {
      const text = parts.join('');
      const { text: escaped } = mappingOf().body(isHtml ? html(text) : markdown(text), path);
      t.notRegex(escaped.replace(/\{\{ "\{[{%]" \}\}/g, '\0'), /\{[{%]/);
      if (isHtml && path === 'a.html') t.is(escaped.replace(/\{\{ "(\{[{%])" \}\}/g, '$1'), text);
    }),
  );
});

// Old versions of kramdown run code from {::options}, and make broken UTF-8 of a reference to no character.
test('Markdown that kramdown may run, or that may swallow the page, is stored as HTML', (t) => {
  const excerptOf = (body: IncomingBody) =>
    mappingOf({ templateSwitch: true }).body(body, 'a.md').frontMatter.excerpt_separator;
  for (const text of ['{::options template="x" /}', 'a\n{: onclick="x"}', 'a &#xD800; b', 'a <!-- b'])
    t.is(excerptOf(markdown(text)), '', text);
  t.is(excerptOf(markdown('a')), undefined);
  t.is(mappingOf().extension(markdown('a\n{: .x}')), '.html');
  t.is(mappingOf().extension(markdown('a')), '.md');
});

test('an HTML file is the HTML as sent, without an excerpt', (t) => {
  const stored = (text: string, options = {}) => mappingOf(options).body(html(text), '2025-03-02-a.html');
  const text = '<p>One <b>word</b>.</p>\n<pre>\n\n{% b %}</pre>';
  t.deepEqual(stored(text, { templateSwitch: true }), {
    text,
    frontMatter: { render_with_liquid: false, excerpt_separator: '' },
  });
  t.deepEqual(stored(text), {
    text: '<p>One <b>word</b>.</p>\n<pre>\n\n{{ "{%" }} b %}</pre>',
    frontMatter: { render_with_liquid: undefined, excerpt_separator: '' },
  });
});

test('HTML in a Markdown file of Jekyll is kept from kramdown, whatever it holds', (t) => {
  const stored = (text: string, options = {}) =>
    mappingOf({ templateSwitch: true, ...options }).body(html(text), '2025-03-02-a.markdown');
  t.deepEqual(stored('<p>a\n\nb</p>\n<pre>\n\n{:/nomarkdown}\n</pre>\n'), {
    text: '{::nomarkdown}\n<p>a\n\nb</p>\n<pre>\n\n&#123;:/nomarkdown}\n</pre>\n{:/nomarkdown}\n',
    frontMatter: { render_with_liquid: false, excerpt_separator: '' },
  });
  // In a script, a character reference would be shown as it is written.
  const script = '<script type="text/plain">{::comment}a{:/comment}</script>';
  t.is(stored(script).text, `{::nomarkdown}\n${script}\n{:/nomarkdown}\n`);
  t.is(
    stored('<h2>a</h2>\n\n<pre>b\n\nc</pre>', { rawHtml: true }).text,
    '<div>\n<h2>a</h2>\n&#10;<pre>b\n&#10;c</pre>\n</div>',
  );
});
