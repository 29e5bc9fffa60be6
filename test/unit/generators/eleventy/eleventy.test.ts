import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { eleventy } from '../../../../src/generators/eleventy/eleventy.js';
import { inspect } from '../../../../src/generators/eleventy/inspect.js';
import type { GeneratorOptions, SiteFiles } from '../../../../src/generators/generator.js';
import { siteOf } from '../../../support/site-files.js';

function siteIn(folder: string): SiteFiles {
  const files: Record<string, string> = {};
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      files[path.slice(folder.length).replaceAll('\\', '/').replace(/^\//, '')] = fs.readFileSync(
        path,
        'utf8',
      );
    }
  return siteOf(files);
}

const OWN_SITE = fileURLToPath(new URL('../../../../../test/e2e/generators/eleventy/site', import.meta.url));

const config = (text: string) => `export default function (eleventyConfig) {\n  return { ${text} };\n}\n`;
const post = (frontMatter: string) => `---\n${frontMatter}\n---\nWords.\n`;
const mapping = (options: GeneratorOptions = {}) =>
  eleventy.mapping({ ...options, body: 'markdown', constants: {}, address: (slug) => `/blog/${slug}/` });

const readOptions = (files: SiteFiles) => eleventy.options?.(files) ?? {};

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

test('our own site is read without a question', (t) => {
  t.deepEqual(inspect(siteIn(OWN_SITE)), {
    siteUrl: 'https://allotment.example/notes',
    language: 'en-GB',
    theme: undefined,
    content: 'content/blog',
    file: ':slug.md',
    permalink: '/blog/:slug/',
    output: '_site',
    build: 'npm run build',
    frontMatter: {},
    options: { keptTags: ['posts'] },
    edits: [],
    ignore: [],
    questions: [],
    warnings: [],
  });
});

test('a site without any configuration has the folders that Eleventy takes then', (t) => {
  const facts = inspect(
    siteOf({
      'package.json': '{"devDependencies":{"@11ty/eleventy":"3"},"homepage":"https://a.example/"}',
      'posts/one.md': post('title: One\nlayout: post.liquid\ntags: [posts, bees]'),
      'posts/two.md': post('title: Two\nlayout: post.liquid\ntags: [posts]'),
      'index.liquid': '{% for post in collections.posts %}{% endfor %}',
    }),
  );
  t.like(facts, {
    siteUrl: 'https://a.example',
    content: 'posts',
    permalink: '/posts/:slug/',
    output: '_site',
    build: 'npx @11ty/eleventy',
    frontMatter: { layout: 'post.liquid', tags: ['posts'] },
    ignore: ['_site/', 'node_modules/'],
  });
  t.deepEqual(facts.questions, []);
});

test('folders, the base path and flags of the build script are read', (t) => {
  const facts = inspect(
    siteOf({
      '.eleventy.js':
        "module.exports = (config) => { config.setInputDirectory('src'); config.setOutputDirectory('dist'); };",
      'package.json': '{"scripts":{"build":"eleventy --pathprefix=/garden/ --output=out"}}',
      'src/_data/site.json':
        '{"author":{"url":"https://other.example"},"url":"https://a.example","lang":"sv"}',
      'src/articles/2026-01-02-one.md': post('title: One'),
    }),
  );
  t.like(facts, {
    siteUrl: 'https://a.example/garden',
    language: 'sv',
    content: 'src/articles',
    permalink: '/articles/:slug/',
    output: 'out',
    build: 'npm run build',
  });
});

test('folders in constants are read', (t) => {
  const facts = inspect(
    siteOf({
      '.eleventy.js':
        'const { input } = require("./folders.js");\nconst OUT = "dist"\nmodule.exports = () => ({ dir: { input, output: OUT, data: DATA } });',
      'folders.js': 'const input = "src";\nconst DATA = "../data";\nmodule.exports = { input };',
      'data/site.json': '{"url":"https://a.example"}',
      'src/posts/one.md': post('title: One'),
    }),
  );
  t.like(facts, {
    siteUrl: 'https://a.example',
    content: 'src/posts',
    permalink: '/posts/:slug/',
    output: 'dist',
  });
});

test('the address of a template is not taken for the public one', (t) => {
  const facts = inspect(
    siteOf({
      'eleventy.config.js': '',
      '_data/metadata.js': 'export default { url: "https://example.com/" }',
      'blog/a.md': post('date: 2026-01-01'),
    }),
  );
  t.is(facts.siteUrl, undefined);
  t.deepEqual(
    facts.questions.map(({ flag, fallback }) => [flag, fallback]),
    [['site-url', 'https://example.com']],
  );
});

test('the address of new articles follows the rule of the data file', (t) => {
  const rules: [string, string][] = [
    ['/posts/{{ page.fileSlug }}/', '/posts/:slug/'],
    ['posts/{{ page.fileSlug }}/index.html', '/posts/:slug/'],
    ['/{{ page.date | date: "%Y/%m" }}/{{ page.fileSlug | slugify }}.html', '/:year/:month/:slug.html'],
    ['{{ page.filePathStem }}/', '/blog/:slug/'],
  ];
  for (const [permalink, pattern] of rules) {
    const facts = inspect(
      siteOf({
        'eleventy.config.js': '',
        'blog/blog.json': JSON.stringify({ permalink }),
        'blog/a.md': post('date: 2026-01-01'),
      }),
    );
    t.is(facts.permalink, pattern);
  }
  const facts = inspect(
    siteOf({
      'eleventy.config.js': '',
      'blog/blog.11tydata.js': 'export default { permalink: (data) => `/b/$' + '{data.page.fileSlug}/` }',
      'blog/a.md': post('date: 2026-01-01'),
    }),
  );
  t.is(facts.permalink, '/b/:slug/');
});

test('init asks where a rule cannot be read, and where there are no posts', (t) => {
  const facts = inspect(
    siteOf({
      'eleventy.config.js': '',
      'blog/blog.11tydata.js': 'import { rule } from "../rules.js"; export default { permalink: rule }',
      'blog/a.md': post('date: 2026-01-01'),
    }),
  );
  t.deepEqual(
    facts.questions.map(({ flag, fallback }) => [flag, fallback]),
    [
      ['site-url', undefined],
      ['permalink', '/blog/:slug/'],
    ],
  );
  t.deepEqual(
    inspect(siteOf({ 'eleventy.config.js': config("dir: { input: 'src' }") })).questions.map(
      ({ flag, fallback }) => [flag, fallback],
    ),
    [
      ['content', 'src/posts'],
      ['site-url', undefined],
    ],
  );
});

test('the address of new articles follows the permalink that the configuration gives to every page', (t) => {
  const rule = (value: string) =>
    inspect(
      siteOf({
        'eleventy.config.cjs': `module.exports = (cfg) => { cfg.addGlobalData("permalink", ${value}); };`,
        '_data/site.json': '{"url":"https://a.example"}',
        'articles/a.md': post('date: 2026-01-01'),
      }),
    );
  t.is(rule('() => (data) => `$' + '{data.page.filePathStem}.html`').permalink, '/articles/:slug.html');
  t.is(rule("'/p/{{ page.fileSlug }}/'").permalink, '/p/:slug/');
  t.deepEqual(
    rule('() => addressOf').questions.map(({ text }) => text),
    ['eleventy.config.cjs computes the addresses of posts. Which address does a new article get?'],
  );
});

test('front matter in JSON is read', (t) => {
  const facts = inspect(
    siteOf({
      'eleventy.config.js': 'export default () => {};',
      'posts/a.md': post('title: A\nlayout: post.njk\ntags: post'),
      'posts/b.md': '---json\n{"title":"B","layout":"post.njk","tags":["post","bees"]}\n---\nWords.\n',
      'index.njk': '{{ collections.post | length }}',
    }),
  );
  t.deepEqual(facts.frontMatter, { layout: 'post.njk', tags: ['post'] });
});

test('layout and collection tags of a data file are not repeated in articles', (t) => {
  const facts = inspect(
    siteOf({
      'eleventy.config.js':
        "export default (c) => c.addCollection('recent', (api) => api.getFilteredByTag('posts'));",
      'blog/blog.json': '{"layout":"post.njk","tags":"posts"}',
      'blog/a.md': post('date: 2026-01-01\ntags: [posts, bees]\nlayout: post.njk'),
      'index.njk': '{{ collections.recent | length }} {{ collections["featured"] }}',
    }),
  );
  t.deepEqual(facts.frontMatter, {});
  t.deepEqual(facts.options.keptTags, ['posts', 'featured']);
});

test('a passthrough folder is never the folder of posts', (t) => {
  const facts = inspect(
    siteOf({
      'eleventy.config.js': '',
      'public/posts/a.html': '<p>',
      'public/posts/b.html': '<p>',
      'news/c.md': post('date: 2026-01-01'),
    }),
  );
  t.is(facts.content, 'news');
  t.false(facts.ignore.some((line) => line.includes('public')));
});

test('keys follow those of the posts, and images are written only where the site names remote ones', (t) => {
  const keysOf = (frontMatter: string) =>
    inspect(siteOf({ 'eleventy.config.js': '', 'blog/a.md': post(`date: 2026-01-01\n${frontMatter}`) }))
      .options.keys;
  t.deepEqual(keysOf('summary: Short\nupdated: 2026-02-01\nimage: https://a.example/a.png'), {
    description: 'summary',
    updated: 'updated',
    image: 'image',
  });
  t.is(keysOf('description: Short\nimage: ./a.png'), undefined);
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
    ['All', 'all'],
    ['page', 'page'],
    ['constructor', 'constructor'],
    ['Đà Nẵng', 'da-nang'],
  ];
  for (const [tag, name] of names) t.is(tagKey(tag), name, tag);
});

test('a tag that stops the build, or could leave the output folder, has no page', (t) => {
  const { tagKey } = mapping();
  for (const tag of ['__proto__', 'all', '..', '../../evil', 'a/../b', '..\\x', ''])
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

test('ids that the layouts use are known where a page may not have one twice', (t) => {
  const files = {
    '_includes/base.njk': '<main id="skip"><p id="{{ x }}">',
    'eleventy.config.js': 'c.addPlugin(IdAttributePlugin)',
  };
  t.deepEqual(readOptions(siteOf(files)), { usedIds: ['skip'] });
  t.deepEqual(readOptions(siteOf({ ...files, 'eleventy.config.js': '' })), {});
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

test('drafts are hidden and future posts are not', (t) => {
  const { hidden } = mapping();
  const now = new Date('2026-01-01');
  t.is(hidden({ path: 'a.md', data: { draft: true } }, now), 'draft');
  t.is(hidden({ path: 'a.md', data: { permalink: false } }, now), 'draft');
  t.is(hidden({ path: 'a.md', data: { date: '2099-01-01' } }, now), undefined);
});

test('options say what of the configuration matters to bodies', (t) => {
  const options = (text: string) => readOptions(siteOf({ 'eleventy.config.js': text }));
  t.deepEqual(options("c.addExtension('html', { key: 'njk' })"), { templateSwitch: false });
  t.deepEqual(options("c.addExtension(['txt', 'md'], { key: 'njk' })"), { templateSwitch: false });
  t.deepEqual(options(config("keys: { engineOverride: 'engine' }")), { templateSwitch: false });
  t.deepEqual(options(config("templateFormats: ['md', 'njk']")), { htmlFiles: false });
  t.deepEqual(options("c.setTemplateFormats('md,html')"), {});
  t.deepEqual(options('c.setFrontMatterParsingOptions({ excerpt: true })'), { excerptSeparator: '---' });
  t.deepEqual(
    options("c.setFrontMatterParsingOptions({ excerpt: true, excerpt_separator: '<!-- more -->' })"),
    {
      excerptSeparator: '<!-- more -->',
    },
  );
  t.deepEqual(options("c.addBundle('js', { bundleHtmlContentFromSelector: 'script' })"), {
    markedElements: ['script'],
  });
  t.deepEqual(options("c.setLibrary('md', markdownIt())"), { rawHtml: false });
  t.deepEqual(options("c.setLibrary('md', markdownIt({ html: true }))"), {});
  t.deepEqual(
    readOptions(
      siteOf({
        'eleventy.config.js': "import bundles from './config/bundles.js';",
        'config/bundles.js': "c.addExtension('html', { key: 'njk' });",
      }),
    ),
    { templateSwitch: false },
    'a module of the site that the configuration imports',
  );
});

test('doctor names what keeps articles from their addresses, and the fix', (t) => {
  const good = { siteUrl: 'https://allotment.example/notes', content: 'content/blog', output: '_site' };
  const own = siteIn(OWN_SITE);
  t.deepEqual(eleventy.problems(own, good), []);
  const texts = (files: SiteFiles, settings: Partial<typeof good> = {}) =>
    eleventy.problems(files, { ...good, ...settings }).map(({ level, text }) => `${level}: ${text}`);
  t.regex(
    texts(own, { siteUrl: 'https://allotment.example' }).join(),
    /^fail: Eleventy's pathPrefix is \/notes\//,
  );
  t.deepEqual(texts(own, { siteUrl: 'https://elsewhere.example/notes' }), [
    "warn: The site's data has the address https://allotment.example/notes/, but siteUrl is https://elsewhere.example/notes.",
  ]);
  const unprefixed = siteOf({
    'eleventy.config.js': config("dir: { input: 'content' }"),
    'content/_data/metadata.json': '{"author":{"url":"https://wren.example"}}',
  });
  t.deepEqual(texts(unprefixed), [
    'warn: siteUrl is https://allotment.example/notes, but Eleventy has no pathPrefix: links and style sheets lead to the wrong path.',
  ]);
  t.deepEqual(texts(unprefixed, { siteUrl: 'https://allotment.example' }), []);
  t.regex(texts(own, { output: 'public' }).join(), /^fail: Eleventy writes to _site\//);
  t.regex(texts(own, { content: 'blog' }).join(), /^fail: Articles are written to blog\//);
  const changed = (path: string, text: string) => {
    const read = (asked: string) => (asked === path ? text : own.read(asked));
    return { ...own, read };
  };
  t.regex(
    texts(
      changed(
        'content/blog/blog.11tydata.js',
        'export default { eleventyComputed: { permalink: (d) => `/x/$' + '{d.page.fileSlug}/` } }',
      ),
    ).join(),
    /^fail: content\/blog\/blog\.11tydata\.js sets eleventyComputed\.permalink/,
  );
  t.deepEqual(
    texts(
      changed(
        'content/blog/blog.11tydata.js',
        'export default { eleventyComputed: { permalink: (data) => (data.draft ? false : data.permalink) } }',
      ),
    ),
    [],
  );
});

test('init and doctor warn of configurations in which text may be lost or the build may stop', (t) => {
  const warnings = (text: string) =>
    inspect(siteOf({ 'eleventy.config.js': text })).warnings.map((one) => one.text);
  t.regex(warnings("c.addExtension('html', { key: 'njk' })").join(), /addExtension\('html'\)/);
  t.regex(warnings("c.setLibrary('md', markdownIt())").join(), /escapes raw HTML/);
  t.regex(warnings('c.setFrontMatterParsingOptions({ excerpt: (file) => {} })').join(), /cuts excerpts/);
  t.regex(warnings("c.addPassthroughCopy('**/*.png', { mode: 'html-relative' })").join(), /html-relative/);
  t.false(
    warnings("c.addPassthroughCopy('**/*.png', { mode: 'html-relative', failOnError: false })")
      .join()
      .includes('html-relative'),
  );
});

test("Pressmark's state is not an input of Eleventy", (t) => {
  const files = { 'eleventy.config.js': '', 'posts/a.md': post('date: 2026-01-01') };
  const settings = { siteUrl: 'https://a.example', content: 'posts', output: '_site' };
  t.regex(eleventy.problems(siteOf(files), settings)[0]?.text ?? '', /\.pressmark\//);
  t.deepEqual(eleventy.problems(siteOf({ ...files, '.gitignore': '.pressmark/\n' }), settings), []);
});
