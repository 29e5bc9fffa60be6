import test from 'ava';
import { addExcludes } from '../../../../src/generators/jekyll/config-file.js';
import { jekyll } from '../../../../src/generators/jekyll/jekyll.js';
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

test('source and collections_dir move the folder of the posts', async (t) => {
  t.is((await facts({}, answer({ source: 'src' }))).content, 'src/_posts');
  t.is((await facts({}, answer({ source: 'src', collections_dir: 'pages' }))).content, 'src/pages/_posts');
});

test('without url the domain is that of CNAME', async (t) => {
  t.is((await facts({}, answer({ url: null }))).siteUrl, undefined);
  t.is((await facts({ CNAME: 'a.example\n' }, answer({ url: null }))).siteUrl, 'https://a.example/notes');
});

test('the switch against Liquid is used where the version that builds the site is known to have it', async (t) => {
  const has = async (files: Record<string, string>, printed = answer()) =>
    (await facts(files, printed)).options.templateSwitch;
  t.is(await has({}), undefined, 'the host may have Jekyll 3');
  t.true(await has({ Gemfile: 'gem "jekyll"\n' }));
  t.is(await has({ Gemfile: 'gem "jekyll"\n' }, answer({}, { version: '3.10.0' })), undefined);
  t.true(await has({}, answer({ defaults: [{ values: { render_with_liquid: false } }] })));
});

test('the site is built by Bundler where its Gemfile has Jekyll, by npm where its script runs Jekyll', async (t) => {
  t.is((await facts({ Gemfile: "gem 'jekyll'\n" })).build, 'bundle exec jekyll build');
  const script = { 'package.json': '{"scripts":{"build":"jekyll build -d dist"}}' };
  t.like(await facts(script), { build: 'npm run build', output: 'dist' });
  t.regex(
    jekyll.addressQuery?.(siteOf({ Gemfile: "gem 'jekyll'\n" }), {}).command ?? '',
    /^bundle exec ruby -e /,
  );
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
  t.regex(warnings[0]?.text ?? '', /does not exclude \.pressmark\//);
  t.deepEqual((await facts({}, answer({ source: 'src' }))).edits, []);
});

test('doctor names what publishes the secret', (t) => {
  const count = (config: string) =>
    jekyll.problems?.(siteOf({ '_config.yml': config }), { content: '', options: {} }).length;
  for (const include of ["['.*']", '\n  - .htaccess\n  - .env\n', '"*"'])
    t.is(count(`title: x\ninclude: ${include}\nurl: .env\n`), 1, include);
  t.is(count('include: [.htaccess]\nexclude: [.env]\n'), 0);
});
