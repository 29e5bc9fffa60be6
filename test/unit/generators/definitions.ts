import type { Article } from '../../../src/article/article.js';
import type { FrontMatterValue } from '../../../src/article/format/mapping.js';
import type { ArticleState } from '../../../src/article/publication.js';
import type { GeneratorOptions } from '../../../src/generators/generator.js';

/** An article to be written in the form of any generator. */
export const SOIL: Omit<Article, 'revision'> = {
  id: 'soil-1',
  slug: 'soil',
  url: 'https://garden.example/blog/soil/',
  title: 'Soil',
  description: '',
  author: 'Ada',
  tags: [],
  keyword: '',
  image: null,
  date: '2026-01-02T08:00:00Z',
  updated: null,
  jsonLd: '',
  contentHtml: '<p>Soil.</p>',
  body: 'Soil.',
  extra: {},
};

type Data = Readonly<Record<string, unknown>>;

/** What a definition says of files and values, as its generator was seen to have it. */
export interface Definition {
  /** The file by which a site is recognised, and files of the site. */
  readonly recognised: readonly (readonly [
    found: string | undefined,
    files: Readonly<Record<string, string>>,
  ])[];
  readonly articles: readonly string[];
  readonly others: readonly string[];
  readonly slugs: readonly (readonly [slug: string, path: string, data?: Data])[];
  readonly pins: readonly (readonly [address: string, pin: Data, options?: GeneratorOptions])[];
  readonly pinned: readonly (readonly [isPinned: boolean, address: string, data: Data, path?: string])[];
  readonly states: readonly (readonly [ArticleState, Data, options?: GeneratorOptions, path?: string])[];
  /** A text stands for a timestamp, in quotes for a text. */
  readonly dates: readonly (readonly [written: string, iso: string, options?: GeneratorOptions])[];
  /** The names of the pages of tags; empty where there is none. */
  readonly tags: Readonly<Record<string, string>>;
  readonly images?: readonly (readonly [written: string | undefined, url: string])[];
  /** Files of a site whose layouts select posts by tags, and these tags. */
  readonly kept?: readonly [files: Readonly<Record<string, string>>, tags: readonly string[]];
  /** How the generator leaves a post out, by its documentation; absent where it cannot. */
  readonly held?: Data;
}

/** The moment for which states are told. */
export const NOW = '2026-11-20T12:00:00Z';

export const written = (text: string): FrontMatterValue =>
  text.startsWith("'") ? text.slice(1, -1) : { kind: 'timestamp', text };

const TOKYO = { timeZone: 'Asia/Tokyo' } as const;
const FUTURE = { futurePages: true } as const;
const STORED = { pressmark: { id: 'a' } };
const LONG = 'x'.repeat(300);
const manifest = (name: string) => JSON.stringify({ dependencies: { [name]: '1' } });
const same = (key: string, ...tags: readonly string[]) => Object.fromEntries(tags.map((tag) => [tag, key]));

/** What no folder can be called, or would be another folder. */
const NO_FOLDERS = same('', '..', 'a/b', 'a\\b', '%2e%2e', ' ', '!!', '.NET', 'a\nb', LONG);

/** By the names of the generators. */
export const DEFINITIONS: Readonly<Record<string, Definition>> = {
  hugo: {
    recognised: [
      ['hugo.yaml', { 'hugo.yaml': '' }],
      ['config.toml', { 'config.toml': 'baseURL = "/"' }],
      ['config.yml', { 'config.yml': 'title: A', 'layouts/index.html': '' }],
      ['config/_default/', { 'config/_default/hugo.toml': '', 'content/a.md': '' }],
      [undefined, { 'config.toml': 'base_url = "/"\ntitle = "Zola"', 'content/a.md': '' }],
      [undefined, { 'config.json': '{"port": 80}' }],
      [undefined, { 'config/_default/app.yaml': 'a: 1' }],
    ],
    articles: ['a.md', 'a.markdown', 'a.html', 'a/index.de.md'],
    others: ['_index.md', '_index.de.md', 'a.txt', '.a.md', 'a.org'],
    slugs: [
      ['soil', 'posts/soil.md'],
      ['soil', 'posts/soil.de.md'],
      ['soil', 'posts/soil/index.de.md'],
      ['earth', 'posts/soil.markdown', { slug: 'earth' }],
    ],
    pins: [
      ['/posts/soil/', { url: '/posts/soil/' }],
      ['/posts/%C3%A4pfel/', { url: '/posts/äpfel/' }],
      ['/posts/soil.html', { url: '/posts/soil.html', outputs: ['html'] }],
    ],
    pinned: [
      [true, '/posts/soil/', { url: '/posts/soil/' }],
      [true, '/posts/soil/', { url: '/posts/soil' }],
      [true, '/posts/soil/', { URL: '/posts/soil/' }],
      [false, '/posts/soil/', { url: '/posts/Soil/' }],
      [false, '/posts/:slug/', { url: '/posts/:slug/' }],
      [false, '/posts/soil/', {}],
    ],
    states: [
      ['live', { date: '2026-11-20' }],
      ['draft', { draft: true }],
      ['draft', { draft: 'yes' }],
      ['draft', { draft: 1 }],
      ['draft', { published: false }],
      ['draft', { published: null }],
      ['live', { draft: null, published: false }],
      ['draft', { _build: { render: 'never' } }],
      ['expired', { expiryDate: '2026-11-19' }],
      ['scheduled', { date: '2026-11-21' }],
      ['live', { date: '2026-11-20T21:00:00' }, TOKYO],
      ['scheduled', { date: '2026-04-01', publishDate: '2026-12-01T00:00:00+02:00' }],
      ['live', { date: '2124-01-01', publishDate: '2024-01-01' }],
      ['live', {}],
      // The day alone, of an article that is published later that day.
      ['scheduled', { date: '2026-11-20', pressmark: { id: 'a', published: '2026-11-20T20:00:00Z' } }],
    ],
    held: { draft: true },
    dates: [
      ['2024-05-01T20:30:00Z', '2024-05-01T20:30:00Z'],
      ['2024-05-02T05:30:00+09:00', '2024-05-01T20:30:00Z', TOKYO],
      ['2024-05-02', '2024-05-01T20:30:00Z', { ...TOKYO, dates: 'day' }],
      ["'2024-05-02'", '2024-05-01T20:30:00Z', { ...TOKYO, dates: 'day-string' }],
      ["'2024-05-02T05:30:00+09:00'", '2024-05-01T20:30:00Z', { ...TOKYO, dates: 'string' }],
      ["'soon'", 'soon'],
    ],
    tags: {
      ...same('soil', 'Soil', 'SOIL '),
      ...same('new-york', 'New York', 'new-york'),
      'a/b': 'a/b',
      'C++': 'c++',
      '---': '---',
      '%2e%2e': '%2e%2e',
      Äpfel: 'äpfel',
      '{{< x >}}': 'x',
      ...same('', '', '..', '🌱', 'x.', '.net', 'x/.y', '../../x'),
      // These would be in the place of a page of the site, which stops the build.
      ...same('', 'index.xml', 'x/page/2', LONG),
    },
    kept: [
      {
        'layouts/index.html':
          '{{ range .Site.Taxonomies.tags.featured }}{{ end }}{{ range .Site.Taxonomies.tags.ByCount }}{{ end }}',
        'themes/plot/layouts/partials/nav.html':
          '{{ range where .Site.RegularPages "Params.tags" "intersect" (slice "nav") }}{{ end }}{{ index .Site.Taxonomies.tags "top beds" }}',
        'layouts/single.html': '{{ if in .Params.tags "maths" }}<script></script>{{ end }}',
      },
      ['featured', 'nav', 'top beds'],
    ],
  },
  jekyll: {
    recognised: [
      ['_config.yml', { '_config.yml': 'title: x\n', '_posts/a.md': '' }],
      ['_config.toml', { '_config.toml': 'title = "x"\n', Gemfile: 'gem "jekyll"\n' }],
      ['_config.yml', { '_config.yml': 'source: src\n', 'src/_layouts/post.html': '' }],
      [undefined, { '_config.yml': 'title: x\n' }],
      // Hexo's configuration has the same name.
      [undefined, { '_config.yml': 'theme: next\npermalink: :title/\n', 'package.json': manifest('hexo') }],
    ],
    articles: ['2025-03-02-a.md', 'sub/2025-3-2-a.markdown', '25-03-02-a.html', '2025-03-02-a.mkd'],
    others: ['a.md', '2025-03-02.md', '2025-03-02-a.txt', '_2025-03-02-a.md', '.2025-03-02-a.md'],
    slugs: [
      ['late-frost', 'sub/2025-03-02-late-frost.markdown'],
      ['frost', '2025-03-02-late-frost.md', { slug: 'frost' }],
    ],
    pins: [['/a/b/', { permalink: '/a/b/' }]],
    pinned: [
      [true, '/a/%E7%9F%A5%E8%AF%86/', { permalink: '/a/知识/' }],
      [true, '/a/b/', { permalink: 'a/b/' }],
      [false, '/a/b/', { permalink: '/a/b' }],
      [false, '/a/b/', { permalink: '/a/:title/' }],
      [false, '/a/b/', {}],
    ],
    states: [
      ['draft', { published: false }],
      ['draft', { published: 'No' }],
      ['draft', { published: null }],
      ['scheduled', {}, {}, '2026-11-21-a.md'],
      ['scheduled', { date: '2026-11-20 22:00:00 +0900' }],
      ['live', { date: '2026-11-19' }, {}, '2026-11-21-a.md'],
      ['live', {}, FUTURE, '2199-01-01-a.md'],
      ['scheduled', { date: '2026-11-20', pressmark: { id: 'a', published: '2026-11-20T20:00:00Z' } }],
      ['expired', { expiryDate: '2026-11-20', ...STORED }],
    ],
    held: { published: false },
    dates: [
      ['2026-11-21 05:30:00 +0900', '2026-11-20T20:30:00Z', TOKYO],
      ['2026-11-21 05:30:00.250 +0900', '2026-11-20T20:30:00.250Z', TOKYO],
      ['2026-07-01 00:00:00 +0000', '2026-07-01'],
    ],
    tags: { Soil: 'soil', '../x': 'x', 'Süße Böden!': 'süße böden!', '---': '', 'C++': 'c++', 'C#': 'c#' },
    kept: [
      {
        'index.html': '{% for post in site.tags.featured %}{% endfor %}{{ site.tags.size }}',
        '_includes/side.html':
          "{% for post in site.tags['top beds'] %}{% endfor %}{% for one in site.tags[tag] %}{% endfor %}",
        '_layouts/home.html':
          '{% assign some = site.posts | where_exp: "post", "post.tags contains \'nav\'" %}',
        '_layouts/post.html': '{% if page.tags contains "maths" %}<script></script>{% endif %}',
      },
      ['featured', 'top beds', 'nav'],
    ],
    images: [
      ['https://a.example/x%20y.jpg?w=1', 'https://a.example/x%20y.jpg?w=1'],
      ['https://a.example/%5Bx%5D%20y.jpg', 'https://a.example/[x] y.jpg'],
      ['*%5BHTML%5D%3A%20%7B%7B%20x%20%7D%7D', '*[HTML]: {{ x }}'],
    ],
  },
  eleventy: {
    recognised: [
      ['.eleventy.js', { '.eleventy.js': '' }],
      ['eleventy.config.ts', { 'eleventy.config.ts': '' }],
      [undefined, { 'package.json': '{' }],
    ],
    articles: ['a.md', 'a.html'],
    others: ['a.njk', 'a.11tydata.json'],
    // As page.fileSlug was in Eleventy 3.1.
    slugs: [
      ['dated', '2026-03-01-dated.md'],
      ['bundle-2', 'bundle-2/2026-01-02-index.md'],
      ['b', 'a-2026-01-02-b.md'],
      ['folder', '2026-03-01-folder/index.md'],
      ['x', 'x.html'],
      ['2026-03-01', '2026-03-01.md'],
    ],
    pins: [
      ['/blog/x/', { permalink: '/blog/x/' }],
      ['/blog/x.html', { permalink: '/blog/x.html' }],
      ['/blog/x', { permalink: '/blog/x/' }], // Eleventy refuses one without slash and extension
      ['/a/%7B%7B%207%20%7D%7D/', { permalink: '/a/{{ 7 }}/', dynamicPermalink: false }],
    ],
    pinned: [
      [true, '/blog/x/', { permalink: 'blog/x/index.html' }],
      [false, '/x/', {}],
      [false, '/{{ page.fileSlug }}/', { permalink: '/{{ page.fileSlug }}/' }],
    ],
    states: [
      ['draft', { draft: true }],
      ['draft', { permalink: false }],
      ['live', { date: '2099-01-01' }], // Eleventy shows the posts of people
      ['scheduled', { date: '2099-01-01', ...STORED }],
      ['live', { date: '2026-11-20 12:00:00', ...STORED }, TOKYO],
      ['expired', { date: '2025-01-01', expiryDate: '2025-12-31', ...STORED }],
    ],
    held: { permalink: false, eleventyExcludeFromCollections: true },
    dates: [
      ['2026-10-05T01:00:00.500Z', '2026-10-05T10:00:00.500+09:00'],
      ["'2026-10-06T05:00:00+09:00'", '2026-10-05T20:00:00Z', { ...TOKYO, dates: 'string' }],
      ['2026-10-06', '2026-10-05T23:00:00-05:00', { dates: 'day' }],
    ],
    // As the built pages of Eleventy 3.1 were called.
    tags: {
      Soil: 'soil',
      ...same('c', 'C++', 'C#'),
      'Node.js': 'node-js',
      'a&b': 'a-and-b',
      Straße: 'strasse',
      'it’s': 'it-s',
      œuvre: 'uvre',
      'All beds': 'all-beds',
      // The last ones stop the build, or could leave the output folder.
      ...same('', 'Œ', '日本', 'all', 'All', '__proto__', 'a/../b', '..\\x', ''),
    },
    kept: [{ 'nav.njk': '{% for one in collections.nav %}{% endfor %}{{ collections.all }}' }, ['nav']],
  },
  astro: {
    recognised: [
      ['astro.config.ts', { 'astro.config.ts': '' }],
      [undefined, { 'package.json': '{}' }],
    ],
    articles: ['a.md', 'a.mdx'],
    others: ['a.html', 'a.txt'],
    slugs: [
      ['raised-beds', 'Raised-Beds.md'],
      ['truce-with-snails', 'slugs-and-snails.md', { slug: 'truce-with-snails' }],
      ['über-uns-neu', '2024/Über uns (neu).md'],
      ['peat', 'peat/index.md'],
    ],
    pins: [
      ['/posts/peat/', {}],
      ['/posts/%C3%BCber-uns/', { slug: 'über-uns' }, { slugKey: true }],
    ],
    pinned: [
      [true, '/posts/peat/', {}, 'peat.md'],
      [true, '/posts/2024/peat/', {}, '2024/peat.md'],
      [false, '/posts/turf/', {}, 'peat.md'],
      [false, '/posts/peat/', { slug: 'peat' }, 'peat.md'],
    ],
    states: [
      ['draft', { draft: true }],
      ['live', { draft: false, pubDate: '2099-01-01' }], // Astro shows the posts of people
      ['scheduled', { pubDate: '2026-11-20T12:00:01Z', ...STORED }],
      ['expired', { pubDate: '2026-11-01', expiryDate: NOW, ...STORED }],
    ],
    held: { draft: true },
    dates: [['2026-11-19T23:00:00Z', '2026-11-20T08:00:00+09:00']],
    tags: { ...same('soil', 'Soil', 'soil '), 'C++': 'c++', C: 'c', ...NO_FOLDERS },
    images: [
      ['https://x.example/a.png', 'https://x.example/a.png'],
      ...['./a.png', '/a.png', 'file:///etc/passwd', 'https://', '__ASTRO_IMAGE_a.png'].map(
        (url) => [undefined, url] as const,
      ),
    ],
  },
  hexo: {
    recognised: [
      ['_config.yml', { 'package.json': manifest('hexo'), '_config.yml': 'title: Notes\n' }],
      ['_config.yml', { '_config.yml': 'title: Notes\npublic_dir: public\n' }],
      [undefined, { '_config.yml': 'title: Notes\npermalink: pretty\n' }],
      [undefined, { 'package.json': '{}' }],
    ],
    articles: ['a.md', 'b/a.markdown', 'a.html'],
    others: ['_a.md', '.a/b.md', 'a.ejs', 'a.txt'],
    slugs: [['leeks', 'beds/2025-03-09-leeks.md']],
    pins: [['/2025/k%C3%A4fer/', { permalink: '/2025/käfer/' }]],
    pinned: [
      [true, '/2025/k%C3%A4fer/', { permalink: '2025/käfer/' }],
      [false, '/2025/k%C3%A4fer/', { permalink: '/2025/other/' }],
      [false, '/a/', {}],
    ],
    states: [
      ['draft', { published: false }],
      ['scheduled', { date: '2026-11-20 20:00:00' }],
      ['live', { date: '2026-11-20 20:00:00' }, TOKYO],
      ['live', { date: '2026-11-20 20:00:00' }, FUTURE],
      ['live', {}],
    ],
    held: { published: false },
    dates: [
      ['2025-06-01 05:30:00', '2025-05-31T20:30:00.5Z', TOKYO],
      ['2025-05-31 20:30:00', '2025-05-31T20:30:00Z'],
    ],
    tags: {
      ...same('c', 'C++', 'C#'),
      ...same('soil', 'Soil', 'soil'),
      ...same('kafer', 'Käfer', 'kafer'),
      日本語: '日本語',
      ...same('', '#', '..', '', LONG),
    },
  },
  vitepress: {
    recognised: [
      ['.vitepress/config.mts', { '.vitepress/config.mts': '' }],
      ['docs/.vitepress/config.js', { 'docs/.vitepress/config.js': '' }],
      ['.vitepress/config/', { '.vitepress/config/index.ts': '' }],
      [
        'site/blog/.vitepress/config.ts',
        {
          'site/blog/.vitepress/config.ts': '',
          'package.json': JSON.stringify({ scripts: { build: 'vue-tsc && vitepress build site/blog' } }),
        },
      ],
      [undefined, { '.vitepress/cache/x': '', 'package.json': '{}' }],
    ],
    articles: ['a.md', 'b/index.md'],
    others: ['[name].md', 'a.html'],
    slugs: [
      ['leaves', '2025/2025-05-31-leaves.md'],
      ['leaves', '2025/leaves/index.md'],
    ],
    pins: [['/posts/leaves/', {}]],
    pinned: [
      [true, '/posts/leaves/', { date: '2025-05-31' }, '2025/2025-05-31-leaves.md'],
      [false, '/news/leaves/', { date: '2025-05-31' }, '2025/2025-05-31-leaves.md'],
    ],
    states: [
      ['live', { draft: true }], // VitePress knows no drafts
      ['scheduled', { date: '2099-01-01', ...STORED }],
    ],
    dates: [['2025-05-31T18:30:00Z', '2025-05-31T20:30:00+02:00']],
    tags: { Soil: 'soil', '.NET': '' },
  },
  docusaurus: {
    recognised: [
      ['docusaurus.config.ts', { 'docusaurus.config.ts': '' }],
      [undefined, { 'package.json': manifest('@docusaurus/core') }],
    ],
    articles: ['a.md', 'b/a.mdx'],
    others: ['_a.md', '_b/a.md', 'a.test.md', 'a.html'],
    slugs: [
      ['soil', '2024-05-01-soil.md'],
      ['soil', '2024-05-01-soil/index.md'],
      ['first', 'a/b.md', { slug: '/x/first/' }],
    ],
    pins: [
      ['/blog/2026/first-frost/', { slug: '/2026/first-frost' }],
      ['/soil', { slug: '/soil' }, { routeBase: '/' }],
    ],
    pinned: [
      ...['/2026/first-frost', '2026/first-frost', '/2026/first-frost/'].map(
        (slug) => [true, '/blog/2026/first-frost/', { slug }] as const,
      ),
      [false, '/blog/first-frost/', { slug: '/other' }],
      [false, '/blog/a/', {}],
      [false, '/news/a/', { slug: '/a' }],
    ],
    states: [
      ['draft', { draft: true }],
      ['live', { date: '2099-01-01' }],
      ['scheduled', { date: '2099-01-01', ...STORED }],
    ],
    held: { draft: true },
    dates: [
      ['2025-05-31T18:30:00Z', '2025-05-31T20:30:00+02:00'],
      ["'2025-05-31T20:30:00'", '2025-05-31T20:30:00Z', { dates: 'string' }],
    ],
    tags: {
      ...same('grune-ecke', 'Grüne Ecke', 'grune-ecke'),
      知识库: '知识库',
      ...same('', '{#', '..', LONG),
    },
    images: [
      ['https://x.example/a.png', 'https://x.example/a.png'],
      [undefined, './a.png'],
    ],
  },
  'nuxt-content': {
    recognised: [
      ['nuxt.config.ts', { 'nuxt.config.ts': '', 'package.json': manifest('@nuxt/content') }],
      [undefined, { 'nuxt.config.ts': '', 'package.json': '{}' }],
    ],
    articles: ['posts/1.a.md'],
    others: ['a.yml'],
    slugs: [
      ['知', 'posts/1.a.md', { path: '/posts/%E7%9F%A5' }],
      ['a', 'posts/1.a.md'],
      ['b', 'posts/2. b/index.md'],
    ],
    pins: [['/posts/%E7%9F%A5/', { path: '/posts/%E7%9F%A5' }]],
    pinned: [
      [true, '/posts/知/', { path: '/posts/%E7%9F%A5' }],
      [false, '/posts/a', { path: '/posts/%E7%9F%A5' }],
    ],
    states: [
      ['draft', { draft: true }],
      ['scheduled', { date: '2099-01-01', ...STORED }],
    ],
    dates: [['2025-05-31T18:30:00Z', '2025-05-31T20:30:00+02:00']],
    tags: { Soil: 'soil' },
  },
  'markdown-folder': {
    recognised: [
      ['next.config.mjs', { 'next.config.mjs': '', 'package.json': manifest('next') }],
      ['svelte.config.js', { 'svelte.config.js': '', 'package.json': manifest('@sveltejs/kit') }],
      ['gatsby-config.ts', { 'gatsby-config.ts': '', 'package.json': manifest('gatsby') }],
      [undefined, { 'svelte.config.js': '', 'package.json': manifest('svelte') }],
    ],
    articles: ['a.md'],
    others: ['a.mdx', 'a.html'],
    slugs: [
      ['leaves', 'leaves.md'],
      ['leaves', 'leaves/index.md'],
      ['autumn', 'leaves.md', { slug: '/posts/autumn/' }],
    ],
    pins: [['/posts/leaves', {}]],
    pinned: [
      [true, '/posts/leaves/', { date: '2025-05-31' }, 'leaves.md'],
      [false, '/posts/leaves', { slug: '/posts/autumn/' }, 'leaves.md'],
    ],
    states: [
      ['draft', { draft: true }],
      ['draft', { published: false }],
      ['live', { published: true, draft: false }],
    ],
    dates: [['2025-05-31T18:30:00Z', '2025-05-31T20:30:00+02:00']],
    tags: { Soil: 'soil' },
  },
};
