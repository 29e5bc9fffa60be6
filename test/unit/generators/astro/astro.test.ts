import test from 'ava';
import type { IncomingBody } from '../../../../src/article/mapping.js';
import { astro } from '../../../../src/generators/astro/astro.js';
import { inspect } from '../../../../src/generators/astro/inspect.js';
import type { MappingOptions, SiteFiles } from '../../../../src/generators/generator.js';
import { siteOf } from '../../../support/site-files.js';

const CONFIG = `import { defineConfig } from 'astro/config';
// site: 'https://not.example'
export default defineConfig({
  site: 'https://garden.example', /* base: '/x', */
  base: '/notes/',
  integrations: [mdx(), sitemap({ filter: (page) => page !== 'https://garden.example/a/' })],
});
`;

const COLLECTION = `import { defineCollection } from 'astro:content';
import { glob } from 'astro/loaders';
import { z } from 'astro/zod';

const blog = defineCollection({
  loader: glob({ base: './src/content/blog', pattern: '**/*.{md,mdx}' }),
  schema: ({ image }) =>
    z.object({
      title: z.string(),
      description: z.string(),
      pubDate: z.coerce.date(),
      updatedDate: z.coerce.date().optional(),
      heroImage: image().optional(),
      tags: z.array(z.string()).default([]),
    }),
});

export const collections = { blog };
`;

const ROUTE = `---
import { getCollection, render } from 'astro:content';
export async function getStaticPaths() {
  const posts = await getCollection('blog');
  return posts.map((post) => ({ params: { slug: post.id }, props: post }));
}
---
<html lang="en-GB"></html>
`;

const SITE: Record<string, string> = {
  'astro.config.mjs': CONFIG,
  'package.json': '{ "scripts": { "build": "astro build" }, "dependencies": { "astro": "^5.0.0" } }',
  '.gitignore': 'dist\n',
  'src/content.config.ts': COLLECTION,
  'src/pages/blog/[...slug].astro': ROUTE,
  'src/content/blog/one.md': '---\ntitle: One\npubDate: 2024-01-02\ntags: [Soil, soil, Soil]\n---\nText.\n',
};

/** The site with files added, replaced, or removed by undefined. */
function siteWith(texts: Record<string, string | undefined>): SiteFiles {
  const present = Object.entries({ ...SITE, ...texts }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return siteOf(Object.fromEntries(present));
}

const collection = (schema: string, loader = `glob({ base: './src/content/blog', pattern: '**/*.md' })`) =>
  `const blog = defineCollection({ loader: ${loader}, schema: ${schema} });\nexport const collections = { blog };\n`;

const OPTIONS: MappingOptions = {
  body: 'markdown',
  constants: {},
  address: (slug) => `/blog/${slug}/`,
};
const mapping = astro.mapping(OPTIONS);
const markdown = (text: string, html = '<p>HTML</p>'): IncomingBody => ({
  kind: 'markdown',
  markdown: text,
  html,
});

const readOptions = (files: SiteFiles) => astro.options?.(files) ?? {};

test('a site is recognised by its configuration file or its dependency', (t) => {
  t.is(astro.recognise(siteWith({})), 'astro.config.mjs');
  t.is(astro.recognise(siteWith({ 'astro.config.mjs': undefined })), 'package.json');
  t.is(astro.recognise(siteWith({ 'astro.config.mjs': undefined, 'package.json': '{}' })), undefined);
});

test('a site with a collection of articles and a page for each leaves nothing to ask', (t) => {
  const facts = inspect(siteWith({}));
  t.deepEqual(facts.questions, []);
  t.like(facts, {
    siteUrl: 'https://garden.example/notes',
    language: 'en-GB',
    content: 'src/content/blog',
    file: ':slug.md',
    permalink: '/blog/:slug/',
    output: 'dist',
    build: 'npm run build',
  });
  t.deepEqual(facts.tags, ['Soil', 'soil']);
  t.deepEqual(facts.ignore, ['.astro/', 'node_modules/']);
  t.deepEqual(facts.options.keys, {
    title: 'title',
    description: 'description',
    date: 'pubDate',
    updated: 'updatedDate',
    tags: 'tags',
    image: 'heroImage',
  });
});

test('keys and the folder are found under other names, in constants and in template literals', (t) => {
  const facts = inspect(
    siteWith({
      'src/content.config.ts': `const BLOG_PATH = "src/data/posts";
const postSchema = z.object({
  title: z.string(),
  summary: z.string().optional(), // shown in lists
  pubDatetime: z.date(),
  modDatetime: z.date().optional().nullable(),
  topics: z.array(z.string()).default(["others"]),
});
const posts = defineCollection({
  loader: glob({ pattern: "**/[^_]*.md", base: \`./\${BLOG_PATH}\` }),
  schema: postSchema,
});
const authors = defineCollection({ loader: file('src/authors.json'), schema: z.object({ name: z.string() }) });
export const collections: Record<string, unknown> = { posts, authors };
`,
      'src/pages/blog/[...slug].astro': undefined,
      'src/pages/writing/[id]/index.astro': ROUTE.replace("'blog'", "'posts'").replace(
        'slug: post',
        'id: post',
      ),
    }),
  );
  t.is(facts.content, 'src/data/posts');
  t.is(facts.permalink, '/writing/:slug/');
  t.deepEqual(facts.options.keys, {
    title: 'title',
    description: 'summary',
    date: 'pubDatetime',
    updated: 'modDatetime',
    tags: 'topics',
    image: null,
  });
  t.deepEqual(facts.questions, []);
});

test('a picture key is left out where a component would have to fetch a remote picture', (t) => {
  const image = (element: string, config = CONFIG) =>
    readOptions(siteWith({ 'astro.config.mjs': config, 'src/layouts/Post.astro': element })).keys?.image;
  t.is(image('{heroImage && <Image width={1020} height={510} src={heroImage} alt="" />}'), 'heroImage');
  t.is(image('{heroImage && <img src={heroImage} alt="" />}'), 'heroImage');
  t.is(image('{heroImage && <Image src={heroImage} alt="" />}'), null);
  t.is(
    image(
      '<Image width={1} height={1} src={heroImage} />',
      CONFIG.replace("base: '/notes", "image: { domains: ['x.example'] }, base: '/notes"),
    ),
    null,
  );
});

test('the only date that a schema demands is the publication’s, whatever its name', (t) => {
  const keyOf = (dates: string) =>
    inspect(siteWith({ 'src/content.config.ts': collection(`z.object({ title: z.string(), ${dates} })`) }))
      .options.keys?.date;
  t.is(keyOf('pub_date: z.date(), revised: z.date().optional()'), 'pub_date');
  t.is(keyOf('begins: z.coerce.date(), ends: z.coerce.date()'), 'pubDate');
  t.is(keyOf('begins: z.coerce.date(), date: z.coerce.date()'), 'date');
});

test('a date that the schema wants as a text is written as one', (t) => {
  const dates = (schema: string) =>
    readOptions(
      siteWith({ 'src/content.config.ts': collection(`z.object({ title: z.string(), ${schema} })`) }),
    ).dates;
  t.is(dates('date: z.string()'), 'string');
  t.is(dates('date: z.date()'), undefined);
  t.is(dates('date: z.coerce.date()'), undefined);
});

test('the address follows from build.format and trailingSlash', (t) => {
  const permalink = (setting: string) =>
    inspect(
      siteWith({
        'astro.config.mjs': `export default defineConfig({ site: 'https://a.example', ${setting} })`,
      }),
    ).permalink;
  t.is(permalink(''), '/blog/:slug/');
  t.is(permalink(`trailingSlash: 'never'`), '/blog/:slug');
  t.is(permalink(`build: { format: 'file' }`), '/blog/:slug.html');
  t.is(permalink(`build: { format: 'preserve' }`), '/blog/:slug.html');
});

test('what the configuration computes is asked for', (t) => {
  const facts = inspect(
    siteWith({
      'astro.config.mjs': 'export default defineConfig({ site: process.env.SITE })',
      'src/pages/blog/[...slug].astro': ROUTE.replace('post.id', 'pathOf(post)'),
    }),
  );
  t.is(facts.siteUrl, undefined);
  t.deepEqual(
    facts.questions.map(({ flag, fallback }) => [flag, fallback]),
    [
      ['site-url', undefined],
      ['permalink', '/blog/:slug/'],
    ],
  );
});

test('a key that the schema demands besides is asked for, or gets the first value of its list', (t) => {
  const schema = `z.object({
    title: z.string(), description: z.string(), pubDate: z.coerce.date(),
    author: z.string(), category: z.enum(['garden', 'kitchen']), layout: z.string().default('post'),
  })`;
  const facts = inspect(
    siteWith({
      'src/content.config.ts': collection(schema),
      'src/content/blog/one.md': '---\ntitle: One\nauthor: Ada\n---\n',
    }),
  );
  t.deepEqual(facts.frontMatter, { category: 'garden' });
  t.deepEqual(
    facts.questions.map(({ flag, key, fallback }) => [flag, key, fallback]),
    [['front-matter', 'author', 'Ada']],
  );
});

test('a structured key is none of the fields of an article, and is demanded though parts of it may be missing', (t) => {
  const schema = `z.object({
    title: z.string(), description: z.string(), pubDate: z.coerce.date(),
    image: z.object({ src: z.string(), alt: z.string().optional() }).optional(),
    author: z.object({ name: z.string(), url: z.string().optional() }),
    tags: z.array(reference('tags')).default([]),
    kind: z.object({ of: z.enum(['a', 'b']) }).strict().nullish(),
  })`;
  const facts = inspect(siteWith({ 'src/content.config.ts': collection(schema) }));
  t.like(facts.options.keys, { image: null, tags: null });
  t.deepEqual(facts.frontMatter, {});
  t.deepEqual(
    facts.questions.map(({ key }) => key),
    ['author'],
  );
});

test('an enum whose values are not known is asked for', (t) => {
  const schema = `z.object({
    title: z.string(), description: z.string(), pubDate: z.coerce.date(), category: z.enum(categoriesOf(site)),
  })`;
  const facts = (post: string) =>
    inspect(siteWith({ 'src/content.config.ts': collection(schema), 'src/content/blog/one.md': post }));
  t.deepEqual(
    facts('---\ntitle: One\n---\n').questions.map(({ key }) => key),
    ['category'],
  );
  const used = facts('---\ntitle: One\ncategory: garden\n---\n');
  t.deepEqual(used.frontMatter, { category: 'garden' });
  t.is(used.warnings[0]?.fix, 'Check articles.frontMatter.category in pressmark.config.mjs.');
});

test('constants and schemas of the modules that a configuration imports are known', (t) => {
  const files = {
    'astro.config.mjs':
      'import { SITE } from "./src/config";\nexport default defineConfig({ site: SITE.website });',
    'src/config.ts':
      'export const SITE = {\n  website: "https://a.example/", // yours\n  lang: "en",\n} as const;\n',
    'src/content.config.ts': `import { article } from '@/schemas';
import { KINDS } from './kinds.ts';
const kinds = z.enum(KINDS);
${collection('article.extend({ kind: z.enum(KINDS), author: z.string() }).strict()')}`,
    'src/kinds.ts': "export const KINDS = ['essay', 'note'] as const;",
    'src/schemas/index.ts': `import { z } from 'astro/zod';
const base = z.object({ title: z.string(), author: z.string().optional() });
export const article = base.extend({ summary: z.string(), published: z.coerce.date(), topics: z.array(z.string()) });`,
  };
  const facts = inspect(siteWith(files));
  t.is(facts.siteUrl, 'https://a.example');
  t.like(facts.options.keys, {
    title: 'title',
    description: 'summary',
    date: 'published',
    tags: 'topics',
  });
  t.deepEqual(facts.frontMatter, { kind: 'essay' });
  t.deepEqual(
    facts.questions.map(({ key }) => key),
    ['author'],
  );
});

test('a line for a strict schema of another module is left to the owner', (t) => {
  const files = siteWith({
    'src/content.config.ts': `import { article } from './schemas';\n${collection('article')}`,
    'src/schemas.ts': `export const article = ${/z\.object[\s\S]*?\}\)/.exec(COLLECTION)?.[0]}.strict();`,
  });
  const { edits, warnings } = inspect(files);
  t.deepEqual(edits, []);
  t.regex(warnings[0]?.fix ?? '', /pressmark: z\.unknown\(\)\.optional\(\),.* or a module that it imports/);
  const settings = { siteUrl: 'https://garden.example/notes', content: 'src/content/blog', output: 'dist' };
  t.regex(astro.problems(files, settings)[0]?.text ?? '', /refuses keys/);
});

test('posts with front matter in TOML are read', (t) => {
  const facts = inspect(
    siteWith({ 'src/content/blog/one.md': '+++\ntitle = "One"\ntags = ["Soil"]\n+++\nText.\n' }),
  );
  t.deepEqual(facts.tags, ['Soil']);
});

test('where the loader reads one file of each folder, an article gets a folder', (t) => {
  const file = (pattern: string) =>
    inspect(
      siteWith({
        'src/content.config.ts': COLLECTION.replace("'**/*.{md,mdx}'", pattern),
      }),
    ).file;
  t.is(file("'**/index.md'"), ':slug/index.md');
  t.is(file("['*/index.{md,mdx}', '!**/_*/**']"), ':slug/index.md');
  t.is(file("'**/*.md'"), ':slug.md');
  t.is(file("['**/index.md', '*.md']"), ':slug.md');
});

test('the page that computes addresses is taken for the proposed one, and doctor does not repeat the question', (t) => {
  const files = siteWith({
    'src/pages/blog/[...slug].astro': undefined,
    'src/pages/posts/[...slug]/index.astro': ROUTE.replace('post.id', 'pathOf(post.id)'),
  });
  t.deepEqual(
    inspect(files).questions.map(({ flag, fallback }) => [flag, fallback]),
    [['permalink', '/posts/:slug/']],
  );
  const settings = { siteUrl: 'https://garden.example/notes', content: 'src/content/blog', output: 'dist' };
  t.deepEqual(astro.problems(files, settings), []);
});

test('doctor names a key that the schema demands since init, until it stands in the config', (t) => {
  const schema = `z.object({
    title: z.string(), description: z.string(), publishedOn: z.coerce.date(), author: z.string(),
    category: z.enum(['garden', 'kitchen']), heroImage: z.string(),
  })`;
  const files = siteWith({ 'src/content.config.ts': collection(schema) });
  const settings = { siteUrl: 'https://garden.example/notes', content: 'src/content/blog', output: 'dist' };
  const own = ['title', 'description', 'publishedOn', 'category'];
  const texts = (written: readonly string[]) =>
    astro.problems(files, { ...settings, written }).map(({ level, text }) => [level, text]);
  t.deepEqual(texts(own), [
    [
      'fail',
      'src/content.config.ts demands author, heroImage, which not every article has; one without breaks the build.',
    ],
  ]);
  t.deepEqual(texts([...own, 'author', 'heroImage']), []);
});

test('a schema that refuses unknown keys gets a line for the key pressmark, and nothing else of the file changes', (t) => {
  for (const strict of [
    COLLECTION.replace('    }),\n});', '    }).strict(),\n});'),
    COLLECTION.replace('z.object', 'z.strictObject'),
  ]) {
    const files = siteWith({ 'src/content.config.ts': strict });
    const [edit] = inspect(files).edits;
    t.is(edit?.path, 'src/content.config.ts');
    t.is(edit?.text.replace('\n      pressmark: z.unknown().optional(),', ''), strict);
    const settings = { siteUrl: 'https://garden.example/notes', content: 'src/content/blog', output: 'dist' };
    t.regex(astro.problems(files, settings)[0]?.text ?? '', /refuses keys/);
    t.deepEqual(astro.problems(siteWith({ 'src/content.config.ts': edit?.text }), settings), []);
  }
});

test('doctor names another address, another folder, and output into the static source', (t) => {
  const found = astro.problems(siteWith({}), {
    siteUrl: 'https://garden.example',
    content: 'content',
    output: 'public',
  });
  t.deepEqual(
    found.map(({ level }) => level),
    ['fail', 'fail', 'fail'],
  );
  t.regex(found[0]?.text ?? '', /garden\.example\/notes/);
  t.regex(found[1]?.text ?? '', /copies into the site/);
  t.regex(found[2]?.text ?? '', /src\/content\/blog/);
});

test('doctor compares the base path where the configuration has no site', (t) => {
  const texts = (config: string, siteUrl: string) =>
    astro
      .problems(siteOf({ 'astro.config.mjs': config }), {
        siteUrl,
        content: 'src/content/blog',
        output: 'dist',
      })
      .map(({ text }) => text)
      .join('\n');
  t.is(texts("export default defineConfig({ base: '/notes' })", 'https://a.example/notes'), '');
  t.is(texts('export default defineConfig({})', 'https://a.example'), '');
  t.is(texts('export default defineConfig({ base: process.env.BASE })', 'https://a.example/notes'), '');
  t.regex(
    texts('export default defineConfig({})', 'https://a.example/notes'),
    /base in astro\.config is not set, but siteUrl is https:\/\/a\.example\/notes/,
  );
  t.regex(texts("export default defineConfig({ base: '/b' })", 'https://a.example'), /is "\/b", but/);
});

test('a limit of the schema and a plugin that reads files are named', (t) => {
  const facts = inspect(
    siteWith({
      'astro.config.mjs': `import codeImport from 'remark-code-import';
export default defineConfig({ site: 'https://a.example', markdown: { remarkPlugins: [codeImport] } })`,
      'src/content.config.ts': collection(`z.object({ title: z.string().max(60), date: z.date() })`),
    }),
  );
  t.regex(facts.warnings[0]?.text ?? '', /title only with \.max\(60\)/);
  t.like(facts.warnings.at(-1), { level: 'fail' });
});

test('the loader of pressmark/astro makes .html files of articles without Markdown', (t) => {
  const options = readOptions(
    siteWith({
      'src/content.config.ts': collection(
        'z.object({ title: z.string(), date: z.date() })',
        `articles(glob, { base: './src/content/blog', pattern: '**/*.md' })`,
      ),
    }),
  );
  t.true(options.htmlFiles);
  const withLoader = astro.mapping({ ...OPTIONS, ...options });
  t.is(withLoader.extension({ kind: 'html', html: '<p>x</p>' }), '.html');
  t.is(withLoader.extension(markdown('x')), '.md');
  t.is(withLoader.body({ kind: 'html', html: '<p>\n\n{x}' }, 'x.html').text, '<p>\n\n{x}');
  t.is(mapping.extension({ kind: 'html', html: '<p>x</p>' }), '.md');
  t.false(mapping.isArticlePath('x.html'));
});

// What Astro 5.18 and 7.3 named the pages of such files.
test('a file has the slug that Astro gives to it', (t) => {
  const slug = (path: string, data: Record<string, unknown> = {}) => mapping.slug({ path, data });
  t.is(slug('Raised-Beds.md'), 'raised-beds');
  t.is(slug('slugs-and-snails.md', { slug: 'truce-with-snails' }), 'truce-with-snails');
  t.is(slug('2024/Über uns (neu).md'), 'über-uns-neu');
  t.is(slug('peat/index.md'), 'peat');
  t.true(mapping.isPinned({ path: 'peat.md', data: {} }, '/blog/peat/'));
  t.true(mapping.isPinned({ path: '2024/peat.md', data: {} }, '/blog/2024/peat/'));
  t.false(mapping.isPinned({ path: 'peat.md', data: {} }, '/blog/turf/'));
  t.false(mapping.isPinned({ path: 'peat.md', data: { slug: 'peat' } }, '/blog/peat/'));
});

// A title `__ASTRO_IMAGE_./nothing.png` broke the build of Astro 5.18 and 7.3: "Could not find requested image".
test('a text that Astro takes for the name of a picture is a text', (t) => {
  t.is(mapping.writtenText?.('__ASTRO_IMAGE_./a.png'), '\u2060__ASTRO_IMAGE_./a.png');
  t.is(mapping.writtenText?.('About __ASTRO_IMAGE_'), 'About __ASTRO_IMAGE_');
  for (const text of ['__ASTRO_IMAGE_./a.png', '\u2060__ASTRO_IMAGE_./a.png', '\u2060', 'Soil'])
    t.is(mapping.sentText?.(mapping.writtenText?.(text) ?? ''), text);
});

test('only an address that a schema with url() or image() accepts is written as the image', (t) => {
  t.is(mapping.image('https://x.example/a.png'), 'https://x.example/a.png');
  for (const url of ['./a.png', '/a.png', 'file:///etc/passwd', 'https://', '__ASTRO_IMAGE_a.png'])
    t.is(mapping.image(url), undefined, url);
});

// As parameters of a route, these broke the build of Astro 5.18 or 7.3, or replaced another page.
test('a tag of which Astro can make no page has no key', (t) => {
  for (const tag of [
    'a/b',
    'a\\b',
    '..',
    '.',
    '../../../x',
    '%2e%2e',
    '',
    ' ',
    '!!',
    'a\0b',
    'a\nb',
    'x'.repeat(300),
  ])
    t.is(mapping.tagKey(tag), '', tag);
  t.is(mapping.tagKey('Soil'), mapping.tagKey('soil '));
  t.not(mapping.tagKey('C++'), mapping.tagKey('C'));
});

test('a date is a timestamp for every YAML reader', (t) => {
  t.deepEqual(mapping.date('2026-11-20T08:00:00+09:00'), {
    kind: 'timestamp',
    text: '2026-11-20T08:00:00+09:00',
  });
  t.deepEqual(mapping.date('2026-11-20T08:00Z'), { kind: 'timestamp', text: '2026-11-20T08:00:00.000Z' });
  t.is(astro.mapping({ ...OPTIONS, dates: 'string' }).date('2026-11-20T08:00:00Z'), '2026-11-20T08:00:00Z');
  t.deepEqual(
    astro.mapping({ ...OPTIONS, dates: 'day', timeZone: 'Asia/Tokyo' }).date('2026-11-20T20:00:00Z'),
    {
      kind: 'timestamp',
      text: '2026-11-21',
    },
  );
});

test('a draft has no page', (t) => {
  const now = new Date();
  t.is(mapping.hidden({ path: 'x.md', data: { draft: true } }, now), 'draft');
  t.is(mapping.hidden({ path: 'x.md', data: { draft: false } }, now), undefined);
});
