import test from 'ava';
import type { IncomingBody } from '../../../../src/article/format/mapping.js';
import { eleventy } from '../../../../src/generators/eleventy/eleventy.js';
import { harmlessHtml } from '../../../../src/generators/eleventy/mapping.js';
import type { GeneratorOptions } from '../../../../src/generators/generator.js';
import { fc } from '../../../support/property.js';
import { siteOf } from '../../../support/site-files.js';
import { askedSite } from '../asked-site.js';

const post = (frontMatter: string) => `---\n${frontMatter}\n---\nWords.\n`;
const mapping = (options: GeneratorOptions = {}) =>
  eleventy.mapping({ ...options, body: 'markdown', constants: {}, address: (slug) => `/blog/${slug}/` });

// What Eleventy 3.1.7 said of a site in its own words, as far as it matters.
const ANSWER = {
  input: 'content',
  includes: '../_includes',
  output: '_site',
  pathPrefix: '/notes/',
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
const listed = (...names: string[]) => ({
  pages: names.map((name) => ({ path: `./content/blog/${name}.md`, address: `/blog/${name}/` })),
});

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
  const manifest = { 'package.json': '{"homepage":"https://home.example"}' };
  const { siteUrl } = await inspect({ ...POSTS, ...manifest }, { data: {}, pathPrefix: '/' });
  t.is(siteUrl, 'https://home.example');
});

test('a layout and tags that all posts name themselves are those of an article', async (t) => {
  const own = post('date: 2025-03-04\nlayout: entry.njk\ntags: [posts, soil]');
  const { frontMatter, options } = await inspect(
    {
      'content/blog/a.md': own,
      'content/blog/b.md': own.replace('soil', 'water'),
      '_includes/list.njk': '{% for post in collections.posts %}{{ collections["made"] }}{% endfor %}',
    },
    { ...listed('a', 'b'), collections: ['made'], selecting: ['water', 'all'] },
  );
  t.deepEqual(frontMatter, { layout: 'entry.njk', tags: ['posts'] });
  t.deepEqual(options.keptTags?.toSorted(), ['posts', 'water']);
  const empty = { pages: [], layouts: '../_includes/layouts' };
  const { frontMatter: usual } = await inspect({ '_includes/layouts/post.njk': '' }, empty);
  t.deepEqual(usual, { layout: 'post.njk' });
});

test('keys follow those of the posts, and images are written only where the site names remote ones', async (t) => {
  const keysOf = async (frontMatter: string) =>
    (await inspect({ 'content/blog/a.md': post(`date: 2026-01-01\n${frontMatter}`) }, listed('a'))).options
      .keys;
  t.deepEqual(await keysOf('summary: Short\nupdated: 2026-02-01\nimage: https://a.example/a.png'), {
    description: 'summary',
    updated: 'updated',
    image: 'image',
  });
  t.is(await keysOf('description: Short\nimage: ./a.png'), undefined);
});

test('options say what of the configuration matters to bodies', async (t) => {
  const layout = { '_includes/base.njk': '<main id="top"><p id=x>{{ content }}' };
  const images = { eleventyImageTransformPlugin: {} };
  for (const [answer, options, files] of [
    [{ formats: ['md', 'njk'] }, { htmlFiles: false }],
    [{ extensions: ['md'] }, { templateSwitch: false }],
    [{ engineOverride: 'engine' }, { templateSwitch: false }],
    [{ rawHtml: false }, { rawHtml: false }],
    [{ excerptSeparator: '<!-- cut -->' }, { excerptSeparator: '<!-- cut -->' }],
    [
      { bundled: ['style', 'script[src]'], plugins: images },
      { markedElements: ['style', 'script', 'src', 'img'] },
    ],
    [{ plugins: { eleventyImageTransformPlugin: { failOnError: false } } }, {}],
    [{ plugins: { IdAttributePlugin: {} } }, { usedIds: ['top', 'x'] }, layout],
    [{ plugins: { IdAttributePlugin: { checkDuplicates: false } } }, {}, layout],
    [{ data: { site: { timeZone: 'Europe/Vienna' } } }, { timeZone: 'Europe/Vienna' }],
  ] as const)
    t.deepEqual<object, object>((await inspect({ ...POSTS, ...files }, answer)).options, options);
});

test('the answer about pages says what would run articles as templates', (t) => {
  const off = { templateSwitch: false };
  for (const [answer, options, isNamed] of [
    [{ extensions: ['scss'] }, {}, false],
    [{ extensions: ['scss', 'html'] }, {}, true],
    [{ engineOverride: 'engine' }, {}, true],
    [{ extensions: ['md'] }, off, false],
  ] as const) {
    const said = eleventy
      .addressQuery?.(siteOf({}), options)
      .problem?.(JSON.stringify({ ...ANSWER, ...answer }));
    if (isNamed) t.regex(said ?? '', /would run templates in articles; set templateSwitch: false/);
    else t.is(said, undefined);
  }
});

test('the flags of the site’s own build script count where Eleventy is asked', (t) => {
  const script =
    'npm run css && npx @11ty/eleventy@3 --input=src --quiet --config "my config.js"; echo built';
  const files = siteOf({ 'package.json': JSON.stringify({ scripts: { build: script } }) });
  t.regex(eleventy.addressQuery?.(files, {}).command ?? '', / -- src '' 'my config\.js' 3>&1/);
});

test('a site is built by the script that runs Eleventy for production, with its styles', async (t) => {
  const build = async (scripts: Record<string, string>) =>
    (await inspect({ 'package.json': JSON.stringify({ scripts }) })).build;
  t.is(
    await build({ production: 'npm run sass && npx eleventy', serve: 'eleventy --serve' }),
    'npm run production',
  );
  t.is(await build({ build: 'npm run site', site: 'eleventy', production: 'x' }), 'npm run build');
  for (const name of ['serve', 'site'])
    t.is(await build({ [name]: 'eleventy', production: 'vite' }), 'npx @11ty/eleventy', name);
});

test('tags without a page of their own by slugify are none, unless the site’s posts have some', async (t) => {
  const tagged = (tags: string) => ({ 'content/blog/compost.md': post(`date: 2026-04-01\ntags: ${tags}`) });
  t.is((await inspect(tagged('[日本, soil]'))).options.tagSlugs, undefined);
  t.false((await inspect(tagged('[日本, 知识, soil]'))).options.tagSlugs);
  t.false((await inspect(tagged('[C, C#]'))).options.tagSlugs);
  const { tagKey } = mapping({ tagSlugs: false });
  t.deepEqual(['知识', 'Soil', 'C', 'c++'].map(tagKey), ['知识', 'soil', 'c', 'c++']);
  for (const tag of ['all', '__proto__', '..', '知/识', '.知识', '!!!']) t.is(tagKey(tag), '', tag);
});

const plain = { elements: [], ids: undefined };
const markdown = (text: string): IncomingBody => ({
  kind: 'markdown',
  markdown: text,
  html: `<p>${text}</p>`,
});
const html = (text: string): IncomingBody => ({ kind: 'html', html: text });

/** What renders a Markdown article: `md`, or `html` where it is stored as such. */
const engineOf = (text: string, options: GeneratorOptions = {}) =>
  mapping(options).body(markdown(text), 'a.md').frontMatter.templateEngineOverride;

test('Markdown and HTML are stored as sent, with the switch that turns templates off', (t) => {
  const text = '{{ 7 * 7 }} {% include ".env" %} {# x #} --- +++';
  for (const [incoming, engine] of [
    [markdown(text), 'md'],
    [html(text), 'html'],
  ] as const)
    t.deepEqual(mapping().body(incoming, `a.${engine}`), {
      text,
      frontMatter: { templateEngineOverride: engine },
    });
  t.is(mapping().extension(html('x')), '.html');
  t.is(mapping({ htmlFiles: false }).extension(html('x')), '.md');
});

test('Markdown with what a plugin of the site may stop at is stored as HTML', (t) => {
  for (const text of ['[a](http://[b)', '<http://[b>', '[a]\n\n[a]: /50%', '<a href="http://[">x</a>'])
    t.is(engineOf(text), 'html', text);
  t.is(engineOf('![a](/b.png)'), 'md');
  t.is(engineOf('![a](/b.png)', { markedElements: ['img'] }), 'html');
  t.is(engineOf('<b id="a">b</b>', { usedIds: ['a'] }), 'html');
});

test('where the switch does not work, no delimiter of a template is left in a body', (t) => {
  const { body } = mapping({ templateSwitch: false });
  t.is(engineOf('x', { templateSwitch: false }), 'html');
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('{{', '{%', '{#', '<%', '<?', '#}', '}}'), (text, delimiter) => {
      t.notRegex(body(markdown(`${text}${delimiter}${text}`), 'a.md').text, /[{}]|<[%?]/);
    }),
  );
});

test('an excerpt separator in a body is kept from being taken out', (t) => {
  const { body } = mapping({ excerptSeparator: '---' });
  const separatorOf = (text: string) => body(markdown(text), 'a.md').frontMatter.excerpt_separator;
  t.is(separatorOf('a\n\n---\n\nb'), '<!-- no excerpt -->');
  t.is(separatorOf('a'), undefined);
});

test('elements of a body stay out of the bundles of the site', (t) => {
  const sent = '<p>a</p><script async>let a = "<script>";</script><!-- <style> --><style>p{}</style>';
  t.is(
    mapping({ markedElements: ['script', 'style'] }).body(html(sent), 'a.html').text,
    '<p>a</p><script eleventy:ignore async>let a = "<script>";</script><!-- <style> --><style eleventy:ignore>p{}</style>',
  );
  t.is(engineOf('a\n\n<script>b</script>'), 'html');
});

test('HTML is left as it is, byte for byte, but for an id that is there already and a URL that Eleventy cannot read', (t) => {
  const whole =
    '<p CLASS=a>1 < 2 &amp; <a href = "/a?b=%20#c">x</a><br/><img src=a.png srcset="a.png 1x, b.png 2x"></p><pre>{{ x }}</pre>';
  t.is(harmlessHtml(whole, plain), whole);
  t.is(harmlessHtml('<b id=a></b><i id=a></i>', { elements: [], ids: [] }), '<b id=a></b><i ></i>');
  for (const [given, harmless] of [
    ['<a href="/50%/">x</a>', '<a href="/50%25/">x</a>'],
    ["<img src='/%C0.png'>", "<img src='/%25C0.png'>"],
    ['<script src="//"></script>', '<script src="about:invalid"></script>'],
    ['<img srcset="a.png 1x, http://[ 2x">', '<img srcset="">'],
  ] as const)
    t.is(harmlessHtml(given, plain), harmless);
});
