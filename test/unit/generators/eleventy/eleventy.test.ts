import test from 'ava';
import { stateAt } from '../../../../src/article/publication.js';
import { eleventy } from '../../../../src/generators/eleventy/eleventy.js';
import type { GeneratorOptions } from '../../../../src/generators/generator.js';
import { siteOf } from '../../../support/site-files.js';
import { askedSite } from '../asked-site.js';

const post = (frontMatter: string) => `---\n${frontMatter}\n---\nWords.\n`;
const mapping = (options: GeneratorOptions = {}) =>
  eleventy.mapping({ ...options, body: 'markdown', constants: {}, address: (slug) => `/blog/${slug}/` });

test('a site is recognised by its configuration file, or by the package it depends on', (t) => {
  for (const name of [
    '.eleventy.js',
    'eleventy.config.js',
    'eleventy.config.mjs',
    'eleventy.config.cjs',
    'eleventy.config.ts',
  ])
    t.is(eleventy.recognise(siteOf({ [name]: '' })), name);
  t.is(
    eleventy.recognise(siteOf({ 'package.json': '{"devDependencies":{"@11ty/eleventy":"^3.0.0"}}' })),
    'package.json',
  );
  t.is(eleventy.recognise(siteOf({ 'package.json': '{"dependencies":{"astro":"5"}}' })), undefined);
  t.is(eleventy.recognise(siteOf({ 'package.json': '{' })), undefined);
});

// What Eleventy 3.1.7 said of a site in its own words, as far as it matters.
const ANSWER = {
  input: 'content',
  includes: '../_includes',
  output: '_site',
  pathPrefix: '/notes/',
  formats: ['md', 'njk', 'html'],
  extensions: [],
  engineOverride: 'templateEngineOverride',
  rawHtml: true,
  bundled: [],
  plugins: { '@11ty/eleventy/html-relative-copy-plugin': {} },
  collections: ['pressmark'],
  data: {
    metadata: {
      url: 'https://allotment.example/elsewhere/',
      language: 'en-GB',
      author: { url: 'https://wren.example' },
    },
  },
  pages: [
    { path: './content/blog/2026-03-01-first-dig.md', address: '/blog/2026-03-01-first-dig/' },
    { path: './content/blog/compost.md', address: '/blog/compost/' },
    { path: './content/blog/rain-butt.html', address: '/blog/rain-butt/' },
    { path: './content/about.md', address: '/about/' },
    { path: './content/index.njk', address: '/' },
  ],
};
const POSTS = {
  'content/blog/2026-03-01-first-dig.md': post('title: First dig\ntags: [Soil]'),
  'content/blog/compost.md': post('title: Compost\ndate: 2026-04-01\ntags: [Soil]'),
  'content/blog/rain-butt.html': post('title: A rain butt\ndate: 2026-05-03'),
  'content/about.md': post('title: About'),
};

const inspect = async (files: Record<string, string> = POSTS, answer: object = {}) =>
  await eleventy.inspect(
    askedSite({ 'eleventy.config.js': '', ...files }, { 'node ': JSON.stringify({ ...ANSWER, ...answer }) }),
  );
const listed = (...pages: [path: string, address: string][]) => ({
  pages: pages.map(([path, address]) => ({ path: `./content/${path}`, address })),
});
const files = (texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).map(([path, text]) => [`content/${path}`, text]));

test('init asks Eleventy for folders, data and pages', async (t) => {
  const facts = await inspect();
  t.like(facts, {
    siteUrl: 'https://allotment.example/notes',
    language: 'en-GB',
    content: 'content/blog',
    file: ':slug.md',
    permalink: '/blog/:slug/',
    output: '_site',
    build: 'npx @11ty/eleventy',
    frontMatter: {},
    options: {},
    ignore: ['_site/', 'node_modules/'],
    questions: [],
    warnings: [],
  });
});

test('files and addresses follow the newest posts, whatever computes the permalink', async (t) => {
  const dated = post('date: 2025-03-04');
  const facts = await inspect(
    files({ 'blog/2025/a.md': dated, 'blog/2025/b.md': dated }),
    listed(['blog/2025/a.md', '/blog/2025/03/a/'], ['blog/2025/b.md', '/blog/2025/03/b/']),
  );
  t.like(facts, { content: 'content/blog', file: ':year/:slug.md', permalink: '/blog/:year/:month/:slug/' });
  const { questions } = await inspect(
    files({ 'blog/a.md': dated, 'blog/b.md': dated }),
    listed(['blog/a.md', '/x/a/'], ['blog/b.md', '/y/b/']),
  );
  t.like(questions, [{ flag: 'permalink' }]);
});

test('dates with a space before the time and the offset show their place in addresses', async (t) => {
  const dated = post('date: 2025-03-04 10:00:00 +0100');
  const facts = await inspect(
    files({ 'blog/2025/a.md': dated, 'blog/2025/b.md': dated }),
    listed(['blog/2025/a.md', '/blog/2025/03/a/'], ['blog/2025/b.md', '/blog/2025/03/b/']),
  );
  t.like(facts, { file: ':year/:slug.md', permalink: '/blog/:year/:month/:slug/' });
});

test('tags by which the configuration or templates of an Eleventy site select posts are known, and are those of an article if all posts name them', async (t) => {
  const templates = {
    ...POSTS,
    'content/nav.njk':
      '{% for one in collections.nav %}{% endfor %}{% for one in collections.chosen %}{% endfor %}',
  };
  const answer = { selecting: ['Soil', 'all'], collections: ['pressmark', 'chosen'] };
  t.deepEqual((await inspect(templates, answer)).options.keptTags, ['Soil', 'nav']);
  const own = {
    'content/blog/2026-03-01-first-dig.md': POSTS['content/blog/2026-03-01-first-dig.md'],
    'content/blog/compost.md': post('title: Compost\ndate: 2026-04-01\ntags: [Soil, Worms]'),
  };
  t.deepEqual((await inspect(own, answer)).frontMatter, { tags: ['Soil'] });
});

test('a site without posts, and one without Eleventy, gets the usual folders', async (t) => {
  const empty = await inspect({ 'content/posts/posts.json': '{}' }, { pages: [] });
  t.like(empty, { content: 'content/posts', permalink: '/posts/:slug/', questions: [] });
  const none = await eleventy.inspect(askedSite({ 'eleventy.config.js': '' }));
  t.like(none, { content: 'posts', output: '_site', siteUrl: undefined });
  t.deepEqual(
    none.questions.map(({ flag }) => flag),
    ['content'],
  );
});

test('a version of Eleventy that was not tried is named', async (t) => {
  const installed = { 'node_modules/@11ty/eleventy/package.json': '{"version":"0.12.1"}' };
  const [warning] = (await inspect({ ...POSTS, ...installed })).warnings;
  t.regex(warning?.text ?? '', /version 0\.12\.1; .* Eleventy 2 and 3/);
});

test('the build script’s flags reach Eleventy', (t) => {
  const command = (build?: string) =>
    eleventy.addressQuery?.(
      siteOf(build === undefined ? {} : { 'package.json': JSON.stringify({ scripts: { build } }) }),
    ).command ?? '';
  t.regex(command('eleventy --input=src --output dist --config=a.mjs'), / -- src dist a\.mjs$/);
  t.regex(command(), / -- '' '' ''$/);
});

test('a layout and tags that all posts name themselves are those of an article', async (t) => {
  const own = post('date: 2025-03-04\nlayout: entry.njk\ntags: [posts, soil]');
  const { frontMatter, options } = await inspect(
    {
      ...files({ 'blog/a.md': own, 'blog/b.md': own.replace('soil', 'water') }),
      '_includes/list.njk': '{% for post in collections.posts %}{{ collections["made"] }}{% endfor %}',
    },
    { ...listed(['blog/a.md', '/blog/a/'], ['blog/b.md', '/blog/b/']), collections: ['made'] },
  );
  t.deepEqual(frontMatter, { layout: 'entry.njk', tags: ['posts'] });
  t.deepEqual(options.keptTags, ['posts']);
  const empty = await inspect(
    { '_includes/layouts/post.njk': '' },
    { pages: [], layouts: '../_includes/layouts' },
  );
  t.deepEqual(empty.frontMatter, { layout: 'post.njk' });
});

test('keys follow those of the posts, and images are written only where the site names remote ones', async (t) => {
  const keysOf = async (frontMatter: string) =>
    (
      await inspect(
        files({ 'blog/a.md': post(`date: 2026-01-01\n${frontMatter}`) }),
        listed(['blog/a.md', '/blog/a/']),
      )
    ).options.keys;
  t.deepEqual(await keysOf('summary: Short\nupdated: 2026-02-01\nimage: https://a.example/a.png'), {
    description: 'summary',
    updated: 'updated',
    image: 'image',
  });
  t.is(await keysOf('description: Short\nimage: ./a.png'), undefined);
});

test('options say what of the configuration matters to bodies', async (t) => {
  const options = async (answer: object, texts = {}) =>
    (await inspect({ ...POSTS, ...texts }, answer)).options;
  t.deepEqual(await options({ formats: ['md', 'njk'] }), { htmlFiles: false });
  t.deepEqual(await options({ extensions: ['md'] }), { templateSwitch: false });
  t.deepEqual(await options({ extensions: ['scss'] }), {});
  t.deepEqual(await options({ engineOverride: 'engine' }), { templateSwitch: false });
  t.deepEqual(await options({ rawHtml: false }), { rawHtml: false });
  t.deepEqual(await options({ excerptSeparator: '<!-- cut -->' }), { excerptSeparator: '<!-- cut -->' });
  t.deepEqual(
    await options({ bundled: ['style', 'script[src]'], plugins: { eleventyImageTransformPlugin: {} } }),
    {
      markedElements: ['style', 'script', 'src', 'img'],
    },
  );
  t.deepEqual(await options({ plugins: { eleventyImageTransformPlugin: { failOnError: false } } }), {});
  const layout = { '_includes/base.njk': '<main id="top"><p id=x>{{ content }}' };
  t.deepEqual(await options({ plugins: { IdAttributePlugin: {} } }, layout), { usedIds: ['top', 'x'] });
  t.deepEqual(await options({ plugins: { IdAttributePlugin: { checkDuplicates: false } } }, layout), {});
  t.deepEqual(await options({ data: { site: { timeZone: 'Europe/Vienna' } } }), {
    timeZone: 'Europe/Vienna',
  });
});

test('doctor names what runs articles as templates', (t) => {
  const texts = (config: string, options = {}) =>
    eleventy
      .problems(siteOf({ 'eleventy.config.js': config }), {
        siteUrl: '',
        content: 'blog',
        output: '_site',
        options,
      })
      .map(({ text }) => text);
  t.regex(texts("c.addExtension('md', {})")[0] ?? '', /runs templates in articles/);
  t.regex(texts("c.addExtension(['scss', 'html'], {})")[0] ?? '', /runs templates in articles/);
  t.regex(texts("keys: { engineOverride: 'x' }")[0] ?? '', /runs templates in articles/);
  t.deepEqual(texts("c.addExtension('md', {})", { templateSwitch: false }), []);
  t.deepEqual(texts("c.addExtension('scss', {})"), []);
});

test('the page of a tag has the name that the slugify filter of Eleventy 3.1 gives it', (t) => {
  const { tagKey } = mapping();
  // As the built pages of Eleventy were called.
  const names: [string, string][] = [
    ['Soil', 'soil'],
    ['C++', 'c'],
    ['C#', 'c'],
    ['Node.js', 'node-js'],
    ['nodejs', 'nodejs'],
    ['a&b', 'a-and-b'],
    ['Straße', 'strasse'],
    ['Ångström', 'angstroem'],
    ['it’s', 'it-s'],
    ["it's", 'its'],
    ['œuvre', 'uvre'],
    ['Œ', ''],
    ['Москва', 'moskva'],
    ['日本', ''],
    ['!!!', ''],
    ['fooBar', 'foobar'],
    ['a_b', 'a-b'],
    ['½', ''],
    ['Tom & Jerry', 'tom-and-jerry'],
    ['I ♥ compost', 'i-love-compost'],
    ['  padded  ', 'padded'],
    ['All beds', 'all-beds'],
    ['page', 'page'],
    ['constructor', 'constructor'],
    ['Đà Nẵng', 'da-nang'],
  ];
  for (const [tag, name] of names) t.is(tagKey(tag), name, tag);
});

test('pictures stay out of Markdown where the site’s renderer does not show those of the web', async (t) => {
  const { options } = await inspect(POSTS, { keepsPictures: false });
  t.deepEqual(options.markedElements, ['img']);
  t.is((await inspect(POSTS, { keepsPictures: true })).options.markedElements, undefined);
});

test('all articles are .md files where the configuration lists such files alone', async (t) => {
  const htmlFiles = async (...globs: string[]) => (await inspect(POSTS, { globs })).options.htmlFiles;
  t.is(await htmlFiles(), undefined);
  t.is(await htmlFiles('content/**/*.{md,html}', 'content/blog/*'), undefined);
  t.false(await htmlFiles('content/blog/**/*.md'));
  const html = { kind: 'html', html: '<p>x</p>' } as const;
  t.is(mapping({ htmlFiles: false }).extension(html), '.md');
});

test('tags without a slug are left out, unless the site’s posts have some', async (t) => {
  const tagged = (tags: string) => ({ 'content/blog/compost.md': post(`date: 2026-04-01\ntags: ${tags}`) });
  t.is((await inspect(tagged('[日本, soil]'))).options.tagSlugs, undefined);
  const { options } = await inspect(tagged('[日本, 知识, soil]'));
  t.false(options.tagSlugs);
  const { tagKey } = mapping({ tagSlugs: false });
  t.is(tagKey('知识'), '知识');
  t.is(tagKey('Soil'), 'soil');
  for (const tag of ['all', '__proto__', '..', '知/识', '.知识', '!!!']) t.is(tagKey(tag), '', tag);
});

test('a tag that stops the build, or could leave the output folder, has no page', (t) => {
  const { tagKey } = mapping();
  for (const tag of ['__proto__', 'all', 'All', '..', '../../evil', 'a/../b', '..\\x', ''])
    t.is(tagKey(tag), '', tag);
});

test('a file is known by the slug that Eleventy gives it', (t) => {
  const { slug } = mapping();
  // As page.fileSlug was in Eleventy 3.1.
  const slugs: [string, string][] = [
    ['plain.md', 'plain'],
    ['2026-03-01-dated.md', 'dated'],
    ['bundle/index.md', 'bundle'],
    ['bundle-2/2026-01-02-index.md', 'bundle-2'],
    ['a-2026-01-02-b.md', 'b'],
    ['2026-03-01-folder/index.md', 'folder'],
    ['same/same.md', 'same'],
    ['x.html', 'x'],
    ['UPPER Case.md', 'UPPER Case'],
    ['2026-03-01.md', '2026-03-01'],
  ];
  for (const [path, name] of slugs) t.is(slug({ path, data: {} }), name, path);
});

test('a pin is a permalink that Eleventy takes, and is recognised again', (t) => {
  const { pin, isPinned } = mapping();
  t.deepEqual(pin('/blog/x/'), { permalink: '/blog/x/' });
  t.deepEqual(pin('/blog/x.html'), { permalink: '/blog/x.html' });
  t.deepEqual(pin('/blog/x'), { permalink: '/blog/x/' }, 'Eleventy refuses one without slash and extension');
  t.deepEqual(pin('/blog/%C3%BC/'), { permalink: '/blog/ü/' });
  t.deepEqual(pin('/a/%7B%7B%207%20%7D%7D/'), { permalink: '/a/{{ 7 }}/', dynamicPermalink: false });
  for (const address of ['/blog/x/', '/blog/x.html', '/blog/%C3%BC/', '/a/%7B%7B%207%20%7D%7D/'])
    t.true(isPinned({ path: 'x.md', data: pin(address) }, address), address);
  t.true(isPinned({ path: 'x.md', data: { permalink: 'blog/x/index.html' } }, '/blog/x/'));
  t.false(isPinned({ path: 'x.md', data: {} }, '/x/'));
  t.false(isPinned({ path: 'x.md', data: { permalink: '/{{ page.fileSlug }}/' } }, '/{{ page.fileSlug }}/'));
});

test('a date is a timestamp in UTC or with a zone, so that the build machine does not decide', (t) => {
  const { date } = mapping();
  t.deepEqual(date('2026-10-05T10:00:00.500+09:00'), {
    kind: 'timestamp',
    text: '2026-10-05T10:00:00.500+09:00',
  });
  t.deepEqual(date('2026-10-05T10:00'), { kind: 'timestamp', text: '2026-10-05T10:00:00.000Z' });
  t.deepEqual(date('2026-10-05T10:00:00+0900'), { kind: 'timestamp', text: '2026-10-05T01:00:00.000Z' });
  t.is(mapping({ dates: 'string' }).date('2026-10-05T10:00:00Z'), '2026-10-05T10:00:00Z');
  t.deepEqual(mapping({ dates: 'day' }).date('2026-10-05T23:00:00-05:00'), {
    kind: 'timestamp',
    text: '2026-10-06',
  });
});

test('drafts have no page, and what Pressmark has stored has none before its date', (t) => {
  const state = (data: Record<string, unknown>, futurePages = false) =>
    stateAt(mapping({ futurePages }).publication({ path: 'a.md', data }), Date.parse('2026-01-01'));
  t.is(state({ draft: true }), 'draft');
  t.is(state({ permalink: false }), 'draft');
  t.is(state({ date: '2099-01-01' }), 'live', 'Eleventy shows the posts of people');
  const pressmark = { id: 'a' };
  t.is(state({ date: '2099-01-01', pressmark }), 'scheduled');
  t.is(state({ date: '2099-01-01', pressmark }, true), 'live');
  t.is(state({ date: '2025-01-01', expiryDate: '2025-12-31', pressmark }), 'expired');
});
