import test from 'ava';
import type { IncomingBody } from '../../../../src/article/format/mapping.js';
import { astro } from '../../../../src/generators/astro/astro.js';
import { isSafeMarkdown, markdownBody } from '../../../../src/generators/astro/mapping.js';
import { askedSite } from '../asked-site.js';

// What Astro 5.18.2 said of a site in its own words, as far as it matters.
const DATE = {
  anyOf: [
    { type: 'string', format: 'date-time' },
    { type: 'string', format: 'date' },
    { type: 'integer', format: 'unix-time' },
  ],
};
const PROPERTIES = {
  title: { type: 'string' },
  description: { type: 'string' },
  pubDate: DATE,
  updatedDate: DATE,
  tags: { type: 'array', items: { type: 'string' }, default: [] },
  heroImage: { type: 'string' },
  draft: { type: 'boolean', default: false },
  $schema: { type: 'string' },
};
const schemaOf = (properties: object, required = ['title', 'description', 'pubDate'], name = 'blog') => ({
  [name]: {
    $ref: `#/definitions/${name}`,
    definitions: { [name]: { type: 'object', properties, required, additionalProperties: false } },
  },
});
const ANSWER = {
  config: {
    site: 'https://allotment.example',
    base: '/notes/',
    trailingSlash: 'always',
    format: 'directory',
    outDir: 'dist',
    srcDir: 'src',
    fetchesImages: false,
  },
  routes: [
    { pattern: '/about', params: [] },
    { pattern: '/blog/[...slug]', params: ['...slug'] },
    { pattern: '/tags/[tag]', params: ['tag'] },
    { pattern: '/', params: [] },
  ],
  schemas: schemaOf(PROPERTIES),
  entries: {
    blog: [
      { id: 'raised-beds', path: 'src/content/blog/Raised-Beds.md' },
      { id: '2025/leeks', path: 'src/content/blog/2025/leeks/index.md' },
    ],
  },
};
const POST = '---\ntitle: A\ndescription: B\npubDate: 2025-03-01\n---\n';
const POSTS = { 'src/content/blog/Raised-Beds.md': POST, 'src/content/blog/2025/leeks/index.md': POST };

const inspect = async (answer: object = {}, files: Record<string, string> = POSTS) =>
  await astro.inspect(
    askedSite({ 'astro.config.mjs': '', ...files }, { 'node ': JSON.stringify({ ...ANSWER, ...answer }) }),
  );

test('init asks Astro for its configuration, the schemas, the entries and the routes', async (t) => {
  const facts = await inspect();
  t.like(facts, {
    siteUrl: 'https://allotment.example/notes',
    content: 'src/content/blog',
    file: ':slug.md',
    permalink: '/blog/:slug/',
    output: 'dist',
    build: 'npx astro build',
    frontMatter: {},
    ignore: ['dist/', '.astro/', 'node_modules/'],
    questions: [],
    warnings: [],
  });
  t.like(facts.options, { keys: { updated: 'updatedDate', image: 'heroImage' } });
});

test('the address follows from the route, build.format and trailingSlash', async (t) => {
  const permalink = async (config: object, pattern = '/blog/[slug]') =>
    (await inspect({ config: { ...ANSWER.config, ...config }, routes: [{ pattern, params: ['slug'] }] }))
      .permalink;
  t.is(await permalink({ trailingSlash: 'never' }), '/blog/:slug');
  t.is(await permalink({ format: 'file' }), '/blog/:slug.html');
  t.is(await permalink({}, '/[...blog]'), '/:slug/');
  const own = { pattern: '/_server-islands/[name]', params: ['name'] };
  const withOwn = await inspect({ routes: [own, { pattern: '/[...slug]', params: ['...slug'] }] });
  t.like(withOwn, { permalink: '/:slug/', questions: [] });
  const several = ['/notes/[slug]', '/posts/[slug]'].map((pattern) => ({ pattern, params: ['slug'] }));
  t.like((await inspect({ routes: several })).questions, [{ flag: 'permalink', fallback: '/notes/:slug/' }]);
  const post = { id: 'leeks', path: 'content/posts/leeks.md' };
  const ofFolder = await inspect({ routes: several, schemas: {}, entries: { post: [post] } });
  t.like(ofFolder, { content: 'content/posts', permalink: '/posts/:slug/', questions: [] });
  t.like((await inspect({ routes: [] })).questions, [{ flag: 'permalink', fallback: '/blog/:slug/' }]);
});

test('keys are those of the posts that the schema knows, and those that the schema has', async (t) => {
  const properties = {
    title: { type: 'string' },
    summary: { type: 'string' },
    publishDate: DATE,
    coverImage: { type: 'object', properties: { src: { type: 'string' }, alt: { type: 'string' } } },
    author: { type: 'string' },
  };
  const post =
    '---\ntitle: A\nsummary: B\npublishDate: 2025-03-01\nauthor: Ada\ncoverImage: {src: /a.jpg, alt: x}\n---\n';
  const facts = await inspect(
    { schemas: schemaOf(properties, ['title', 'publishDate', 'author', 'coverImage']) },
    {
      'src/content/blog/Raised-Beds.md': post,
      'src/content/blog/2025/leeks/index.md': POST.replace('pubDate', 'publishDate'),
    },
  );
  t.deepEqual(facts.options.keys, {
    description: 'summary',
    date: 'publishDate',
    tags: null,
    image: 'coverImage.src',
    author: 'author',
  });
  t.deepEqual(facts.questions, [], 'what some posts lack is not demanded');
});

/** A site whose schema has further keys, as have its posts. */
const inspectWith = (properties: object, required: string[], keys = '', answer: object = {}) => {
  const post = `${POST.slice(0, -4)}${keys}---\n`;
  const files = Object.fromEntries(Object.keys(POSTS).map((path) => [path, post]));
  return inspect({ schemas: schemaOf({ ...PROPERTIES, ...properties }, required), ...answer }, files);
};

test('a key that the schema demands besides gets the value of the posts, or is asked for', async (t) => {
  const { frontMatter, questions } = await inspectWith(
    {
      season: { type: 'string', enum: ['spring', 'summer'] },
      draft: { type: 'boolean' },
      related: { type: 'array', items: { type: 'string' } },
      authors: { type: 'array', items: { type: 'object' } },
      editor: { type: 'string' },
    },
    ['title', 'pubDate', 'season', 'draft', 'related', 'authors', 'editor'],
    'season: summer\ndraft: false\nrelated: [soil]\nauthors: [enscribe]\neditor: Ada\n',
  );
  t.deepEqual(frontMatter, { season: 'summer', draft: false, related: ['soil'] });
  t.like(questions, [
    { flag: 'front-matter', key: 'authors', fallback: '["enscribe"]' },
    { flag: 'front-matter', key: 'editor', fallback: 'Ada' },
  ]);
});

/** What Astro says of a reference. */
const REFERENCE = {
  anyOf: [
    { type: 'string' },
    { type: 'object', properties: { id: { type: 'string' }, collection: { type: 'string' } } },
  ],
};

test('an author who is an entry of another collection is known by it, and any other gets the value of the posts', async (t) => {
  const authors = [{ id: 'ada', path: 'src/content/authors/ada.json', name: 'Ada Lovelace' }];
  const { options, questions } = await inspectWith(
    { authors: { type: 'array', items: REFERENCE } },
    ['title', 'pubDate', 'authors'],
    'authors: [ada]\n',
    { entries: { ...ANSWER.entries, authors } },
  );
  t.like(options, {
    keys: { author: 'authors[]' },
    authors: { 'Ada Lovelace': 'ada' },
    knownAuthorsOnly: true,
  });
  t.like(questions, [{ flag: 'front-matter', key: 'authors', fallback: '["ada"]' }]);
});

test('what the schema takes of titles, descriptions and tags is known', async (t) => {
  const { options } = await inspectWith(
    {
      title: { type: 'string', maxLength: 60 },
      description: { anyOf: [{ type: 'string', minLength: 50, maxLength: 160 }, { type: 'null' }] },
      tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
    },
    ['title'],
  );
  t.deepEqual(options.limits, { title: 60, description: 160, descriptionFrom: 50, tags: 3 });
});

test('a picture key is left out where a component would have to fetch a remote picture', async (t) => {
  const image = async (component: string, fetchesImages = false, path = 'src/layouts/Post.astro') => {
    const files = { ...POSTS, [path]: component };
    return (await inspect({ config: { ...ANSWER.config, fetchesImages } }, files)).options.keys?.image;
  };
  t.is(await image('<img src={heroImage} />'), 'heroImage');
  t.is(await image('<Image src={heroImage} alt="" />'), undefined);
  t.is(await image('{await getImage({ src: heroImage })}'), undefined);
  // As in Astro's blog starter. Astro 5.18 and 7.3 were seen to link to the picture.
  const sized = '<Image width={1020} height={510} src={heroImage} alt="" />';
  t.is(await image(sized), 'heroImage');
  t.is(await image(sized, true), undefined);
  t.is(await image(`${sized}<Image src={heroImage} />`), undefined);
  t.is(
    await image('<Image src={heroImage} />', false, 'src/notes.md'),
    'heroImage',
    'a text that shows a component',
  );
});

test('a picture key is left out where the site makes a path of the names in its posts', async (t) => {
  const cover = async (value: string, others: Record<string, string> = {}) => {
    const post = POST.replace('title: A', `title: A\nheroImage: ${value}`);
    const facts = await inspect({}, { 'src/content/blog/Raised-Beds.md': post, ...others });
    const asked = facts.questions.map(({ key, fallback }) => [key, fallback]);
    return [facts.options.keys?.image, ...asked];
  };
  // The schema puts a folder before each name, and refuses a post without one.
  for (const others of [{}, { 'public/beds.png': '' }, { 'src/assets/beds.png': '' }])
    t.deepEqual(await cover('beds.png', others), [undefined, ['heroImage', 'beds.png']]);
  t.deepEqual(await cover('beds.png', { 'src/content/blog/beds.png': '' }), ['heroImage']);
  t.deepEqual(await cover('./beds.png'), ['heroImage']);
  t.deepEqual(await cover('https://images.example/beds.png'), ['heroImage']);
});

test('the loader of pressmark/astro makes pages of .html files, and pictures are fetched where Astro may', async (t) => {
  t.true((await inspect({ htmlFiles: ['blog'] })).options.htmlFiles);
  t.is((await inspect({ htmlFiles: ['notes'] })).options.htmlFiles, undefined);
  t.true((await inspect({ config: { ...ANSWER.config, fetchesImages: true } })).options.fetchesImages);
});

test('an article names its slug where the schema demands one, and is at the address of it', async (t) => {
  const { options, questions } = await inspectWith({ slug: { type: 'string' } }, ['slug'], 'slug: a\n');
  t.true(options.slugKey);
  t.deepEqual(questions, []);
  const { isPinned } = astro.mapping({
    body: 'markdown',
    constants: {},
    address: (slug) => `/blog/${slug}/`,
    slugKey: true,
  });
  t.true(isPinned({ path: 'x.md', data: { slug: 'peat' } }, '/blog/peat/'));
  t.false(isPinned({ path: 'peat.md', data: { slug: 'turf' } }, '/blog/peat/'));
});

const mapping = astro.mapping({ body: 'markdown', constants: {}, address: (slug) => `/blog/${slug}/` });
const markdown = (text: string): IncomingBody => ({ kind: 'markdown', markdown: text, html: '<p>HTML</p>' });

// With these bodies, Astro 5.18 or 7.3 did not build the site, showed a page without text, or lost the picture.
test('Markdown whose pictures Astro would import or fetch is stored as HTML', (t) => {
  for (const text of [
    ...['![a](picture.png)', '![a](../../.env)', '![a](https://x.example/%C0.png)'],
    ...['![a][r]\n\n> [r]:\n> ./y.png', '![a](https://x.example/pic&#46;png)'],
    ...['![a](https://x.example/pic\\.png)', '![a]( <b>)', '<img __ASTRO_IMAGE_="garbage">'],
    ...['<script>let a', 'Text <!-- open'],
  ]) {
    t.false(isSafeMarkdown(text, false), text);
    t.is(mapping.body(markdown(text), 'x.md').text, '<div>\n<p>HTML</p>\n</div>', text);
  }
  t.false(isSafeMarkdown('![a](https://x.example/a.png)', true));
});

// Astro 7 drops a body's first lines between two `---` or `+++`; both versions trim the body.
test('the first line of Markdown is neither taken for front matter nor trimmed', (t) => {
  for (const text of ['---\nfoo: bar\n---\nAfter', '\n +++\nfoo = 1\n+++', '    code', '\ufeff---\n---'])
    t.is(markdownBody(text), `<!-- -->\n\n${text}`);
  t.is(markdownBody('Text\n\n---'), 'Text\n\n---');
});

test('a text that Astro takes for the name of a picture is a text', (t) => {
  t.is(mapping.writtenText?.('__ASTRO_IMAGE_./a.png'), '\u2060__ASTRO_IMAGE_./a.png');
  for (const text of ['__ASTRO_IMAGE_./a.png', '\u2060__ASTRO_IMAGE_./a.png', 'About __ASTRO_IMAGE_'])
    t.is(mapping.sentText?.(mapping.writtenText?.(text) ?? ''), text);
});
