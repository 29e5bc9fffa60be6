import test from 'ava';
import { vitepress } from '../../../../src/generators/vitepress/vitepress.js';
import { askedSite } from '../asked-site.js';

const MANIFEST = '{"scripts":{"docs:build":"vitepress build"},"devDependencies":{"vitepress":"^1.6.4"}}';
const post = (frontMatter: string, text = '# Heading\n\nWords.\n') => `---\n${frontMatter}\n---\n${text}`;
// What VitePress 1.6.4 said of a site in its own words, as far as it matters.
const ANSWER = {
  source: '',
  output: '.vitepress/dist',
  cleanUrls: false,
  base: '/notes/',
  lang: 'en-GB',
  hostname: 'https://allotment.example/elsewhere/',
  pages: [
    { path: 'index.md', address: '/' },
    { path: 'posts/leaves.md', address: '/posts/leaves.html' },
    { path: 'posts/moisture.md', address: '/posts/moisture.html' },
  ],
};
const POSTS = {
  'index.md': post('title: Notes'),
  'posts/leaves.md': post('title: Leaves\ndate: 2025-02-11\ncover: https://a.example/l.jpg'),
  'posts/moisture.md': post('title: Moisture\ndate: 2025-04-05'),
};
const inspect = async (answer: object = {}, files: Record<string, string> = POSTS) =>
  await vitepress.inspect(
    askedSite(
      { 'package.json': MANIFEST, ...files },
      { resolveConfig: JSON.stringify({ ...ANSWER, ...answer }) },
    ),
  );

test('init asks VitePress for its configuration and its pages', async (t) => {
  t.like(await inspect(), {
    siteUrl: 'https://allotment.example/notes',
    language: 'en-GB',
    content: 'posts',
    file: ':slug.md',
    permalink: '/posts/:slug.html',
    output: '.vitepress/dist',
    build: 'npm run docs:build',
    options: { titleInBody: true, keys: { image: 'cover' } },
    questions: [],
  });
});

test('an article begins with its title where the posts do, and where there are none in the default theme', async (t) => {
  const plain = { 'posts/leaves.md': post('title: Leaves\ndate: 2025-02-11', 'Words.\n') };
  t.is((await inspect({}, plain)).options.titleInBody, undefined);
  t.is((await inspect({ pages: [] }, {})).options.titleInBody, true);
  t.is((await inspect({ pages: [] }, { '.vitepress/theme/index.ts': '' })).options.titleInBody, undefined);
});
