import test from 'ava';
import { eleventy } from '../../../../src/generators/eleventy/eleventy.js';
import type { GeneratorOptions } from '../../../../src/generators/generator.js';
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
  const manifest = { 'package.json': '{"homepage":"https://home.example"}' };
  const { siteUrl } = await inspect({ ...POSTS, ...manifest }, { data: {}, pathPrefix: '/' });
  t.is(siteUrl, 'https://home.example');
});

test('a layout and tags that all posts name themselves are those of an article', async (t) => {
  const own = post('date: 2025-03-04\nlayout: entry.njk\ntags: [posts, soil]');
  const { frontMatter, options } = await inspect(
    {
      ...files({ 'blog/a.md': own, 'blog/b.md': own.replace('soil', 'water') }),
      '_includes/list.njk': '{% for post in collections.posts %}{{ collections["made"] }}{% endfor %}',
    },
    {
      ...listed(['blog/a.md', '/blog/a/'], ['blog/b.md', '/blog/b/']),
      collections: ['made'],
      selecting: ['water', 'all'],
    },
  );
  t.deepEqual(frontMatter, { layout: 'entry.njk', tags: ['posts'] });
  t.deepEqual(options.keptTags?.toSorted(), ['posts', 'water']);
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

test('where Eleventy has begun to run articles as templates, its answer about pages says so', (t) => {
  const problem = (answer: object, options = {}) =>
    eleventy.addressQuery?.(siteOf({}), options).problem?.(JSON.stringify({ ...ANSWER, ...answer }));
  t.is(problem({}), undefined);
  t.is(problem({ extensions: ['scss'] }), undefined);
  t.is(problem({ extensions: ['html'] }, { templateSwitch: false }), undefined);
  for (const answer of [{ extensions: ['html'] }, { engineOverride: 'engine' }])
    t.regex(problem(answer) ?? '', /runs templates in articles; set templateSwitch: false/);
});

test('doctor names what runs articles as templates, whether Eleventy was asked again or not', (t) => {
  const count = (config: string, options = {}) =>
    eleventy.problems?.(siteOf({ 'eleventy.config.js': config }), { content: '', options }).length;
  t.is(count("c.addExtension(['scss', 'html'], {})"), 1);
  t.is(count("keys: { engineOverride: 'x' }"), 1);
  t.is(count("c.addExtension('md', {})", { templateSwitch: false }), 0);
  t.is(count("c.addExtension('scss', {})"), 0);
});

test('the flags of the site’s own build script count where Eleventy is asked', (t) => {
  const script =
    'npm run css && npx @11ty/eleventy@3 --input=src --quiet --config "my config.js"; echo built';
  const files = siteOf({ 'package.json': JSON.stringify({ scripts: { build: script } }) });
  t.regex(eleventy.addressQuery?.(files, {}).command ?? '', / -- src '' 'my config\.js' 3>&1/);
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
