import test from 'ava';
import { markdownFolder } from '../../../../src/generators/markdown-folder/markdown-folder.js';
import { siteOf } from '../../../support/site-files.js';
import { askedSite } from '../asked-site.js';

const manifest = (dependencies: Record<string, string>, build = 'next build') =>
  JSON.stringify({ scripts: { build }, dependencies });
const NEXT = { 'next.config.mjs': '', 'package.json': manifest({ next: '^15.5.0' }) };
const POSTS = {
  'README.md': '# Notes\n',
  'content/posts/leaves.md':
    "---\ntitle: Leaves\ndate: '2025-02-11'\nexcerpt: Raked.\ncoverImage: /l.jpg\npublished: true\n---\nWords.\n",
  'content/posts/moisture.md':
    "---\ntitle: Moisture\ndate: '2025-04-05'\nexcerpt: Damp.\npublished: true\ntags: [soil, Featured]\n---\nWords.\n",
  'app/posts/[slug]/page.jsx': '',
  'app/tags/[tag]/page.jsx': '',
};
const EXPORT = { output: 'export', distDir: '.next', basePath: '', trailingSlash: false };

const inspect = async (
  files: Record<string, string>,
  printed: Record<string, object> = { 'next/constants': EXPORT },
  content?: string,
) => {
  const answers = Object.entries(printed).map(([part, answer]) => [part, JSON.stringify(answer)]);
  return await markdownFolder.inspect({ ...askedSite(files, Object.fromEntries(answers)), content });
};

test('init takes the folder, the keys and their form from the posts, and the rest from Next.js', async (t) => {
  const answer = { ...EXPORT, basePath: '/notes' };
  const home = { ...JSON.parse(NEXT['package.json']), homepage: 'https://allotment.example' };
  const files = { ...NEXT, ...POSTS, 'package.json': JSON.stringify(home) };
  t.like(await inspect(files, { 'next/constants': answer }), {
    siteUrl: 'https://allotment.example/notes',
    content: 'content/posts',
    file: ':slug.md',
    permalink: '/posts/:slug',
    output: 'out',
    build: 'npm run build',
    frontMatter: { published: true },
    options: {
      dates: 'day-string',
      rawHtml: true,
      keys: { description: 'excerpt', image: 'coverImage' },
      keptTags: ['nav', 'navigation', 'menu', 'featured', 'highlight', 'pinned', 'sticky', 'hidden'],
    },
    questions: [],
    warnings: [],
  });
  const slash = await inspect(
    { ...NEXT, ...POSTS },
    { 'next/constants': { ...EXPORT, trailingSlash: true, distDir: 'www' } },
  );
  t.like(slash, { permalink: '/posts/:slug/', output: 'www', siteUrl: undefined });
  const atTheTop = { 'leaves.md': POSTS['content/posts/leaves.md'] };
  t.is((await inspect({ ...NEXT, ...atTheTop })).content, '.');
});

test('an article gets an empty list of categories if every post has a list', async (t) => {
  const post = (categories: string) =>
    `---\ntitle: A\ndate: '2025-02-11'\ncategories: ${categories}\n---\nWords.\n`;
  const frontMatter = async (...posts: string[]) => {
    const files = posts.map((categories, index) => [`content/posts/${index}.md`, post(categories)]);
    return (await inspect({ ...NEXT, ...Object.fromEntries(files) })).frontMatter;
  };
  t.deepEqual(await frontMatter('[soil, css]', '[web]'), { categories: [] });
  t.deepEqual(await frontMatter('[soil]', '[web]', '[soil]', '[soil]'), { categories: ['soil'] });
  t.deepEqual(await frontMatter('[soil]', 'web'), {});
});

test('Next.js from 16 on builds with webpack, as Turbopack does not follow links out of a copy', async (t) => {
  const build = async (script: string, version = '16.1.0') => {
    const files = { ...POSTS, 'next.config.mjs': '', 'package.json': manifest({ next: '^16.0.0' }, script) };
    return (await inspect(files, { 'next/constants': { ...EXPORT, version } })).build;
  };
  t.is(await build('next build'), 'npm run build -- --webpack');
  t.is(await build('next build --webpack'), 'npm run build');
  t.is(await build('next build && next-sitemap'), 'npx next build --webpack');
  t.is(await build('next build', '15.5.0'), 'npm run build');
});

test('a site whose pages a server makes gets no build and no step after it', async (t) => {
  const { build, warnings } = await inspect({ ...NEXT, ...POSTS }, { 'next/constants': {} });
  t.is(build, undefined);
  t.true(warnings.some(({ text }) => text.includes("no output: 'export' in next.config")));
});

test('init asks SvelteKit, and warns of links that stop its build', async (t) => {
  const files = {
    'package.json': manifest({ '@sveltejs/kit': '2' }, 'vite build'),
    'svelte.config.js': '',
    'src/routes/(main)/blog/[slug]/+page.svelte': '',
    'src/posts/a.md': '---\ntitle: A\ndate: 2025-02-11T08:00:00Z\n---\n',
  };
  const where = { output: 'dist', base: '/notes', origin: 'https://a.example' };
  const answer = { isStatic: true, trailingSlash: 'always', ...where };
  const facts = await inspect(files, { 'svelte.config': answer });
  t.like(facts, {
    siteUrl: 'https://a.example/notes',
    content: 'src/posts',
    permalink: '/blog/:slug/',
    output: 'dist',
    build: 'npm run build',
  });
  t.is(facts.options.dates, undefined);
  t.regex(facts.warnings.map(({ fix }) => fix).join(), /handleHttpError/);
  for (const page of ['[slug=word]/+page.svelte', '[post-slug]/+page@(main).svelte']) {
    const { 'src/routes/(main)/blog/[slug]/+page.svelte': _, ...others } = files;
    const found = await inspect({ ...others, [`src/routes/notes/${page}`]: '' }, { 'svelte.config': answer });
    t.like(found, { permalink: '/notes/:slug/', questions: [] }, page);
  }
  const lenient = await inspect(files, { 'svelte.config': { ...answer, isLenient: true } });
  t.deepEqual(lenient.warnings, []);
  const newer = { ...files, 'node_modules/@sveltejs/kit/package.json': '{"version":"3.0.0"}' };
  const { warnings } = await inspect(newer, { 'svelte.config': { ...answer, isLenient: true } });
  t.regex(warnings.map(({ text }) => text).join(), /SvelteKit 2/);
});

test('init asks Gatsby; posts may be folders, and the address of a post is a question', async (t) => {
  const files = {
    'package.json': manifest({ gatsby: '5' }, 'gatsby build'),
    'gatsby-config.js': '',
    'content/blog/hello/index.md': '---\ntitle: Hello\ndate: "2025-02-11T08:00:00.000Z"\n---\n',
  };
  const answer = { siteUrl: 'https://a.example/', pathPrefix: '/notes' };
  const { questions, ...facts } = await inspect(files, { './gatsby-config': answer });
  t.like(facts, {
    siteUrl: 'https://a.example',
    content: 'content/blog',
    file: ':slug/index.md',
    permalink: '/:slug/',
    output: 'public',
    options: { dates: 'string' },
  });
  t.deepEqual(
    questions.map(({ flag, fallback }) => [flag, fallback]),
    [['permalink', '/:slug/']],
  );
});

test('without posts the folder is a question that nothing answers; one that is named must hold Markdown', async (t) => {
  const { questions } = await inspect({ ...NEXT, 'README.md': '# A\n', 'posts/a.mdx': '' });
  const [question] = questions.filter(({ flag }) => flag === 'content');
  t.is(question?.fallback, undefined);
  t.regex(question?.text ?? '', /posts\/a\.mdx is MDX/);
  const undated = { ...NEXT, 'texts/a.md': '---\ntitle: A\n---\n' };
  t.is((await inspect(undated, undefined, 'texts')).content, 'texts');
  const dated = { ...NEXT, 'a.md': '---\ntitle: A\ndate: 2025-02-11\n---\n' };
  t.like(await inspect(dated, undefined, '.'), { content: '.', file: ':slug.md' });
  await t.throwsAsync(inspect(undated, undefined, 'words'), {
    code: 'USAGE',
    message: /"words" contains no/,
  });
});

test('a renderer that drops HTML unless it is told to keep it is named', async (t) => {
  const facts = (dependencies: Record<string, string>) =>
    inspect({ ...NEXT, ...POSTS, 'package.json': manifest({ next: '^15.5.0', ...dependencies }) });
  const dropped = await facts({ 'react-markdown': '10' });
  t.is(dropped.options.rawHtml, undefined);
  t.regex(dropped.warnings[0]?.text ?? '', /react-markdown/);
  const kept = await facts({ 'react-markdown': '10', 'rehype-raw': '7' });
  t.like(kept, { options: { rawHtml: true }, warnings: [] });
});

test('a site that compiles its Markdown files is refused, as an article must not run', (t) => {
  const problems = (files: Record<string, string>) =>
    markdownFolder.problems?.(siteOf(files), 'posts').map(({ level }) => level);
  t.deepEqual(problems({ 'package.json': manifest({ 'next-mdx-remote': '5' }) }), ['fail']);
  for (const [compiler, config, says, saysNot] of [
    ['mdsvex', 'svelte.config.js', "extensions: ['.md']", "extensions: ['.svx']"],
    ['@next/mdx', 'next.config.mjs', 'extension: /\\.mdx?$/', "pageExtensions: ['js', 'mdx']"],
    ['gatsby-plugin-mdx', 'gatsby-config.ts', 'extensions: [`.mdx`, `.md`]', 'extensions: [`.mdx`]'],
  ] as const) {
    const files = { 'package.json': manifest({ [compiler]: '1' }) };
    t.deepEqual(problems({ ...files, [config]: says }), ['fail'], compiler);
    t.deepEqual(problems({ ...files, [config]: saysNot }), [], compiler);
    t.deepEqual(problems({ 'package.json': manifest({}), [config]: says }), []);
  }
  t.deepEqual(problems(NEXT), []);
});
