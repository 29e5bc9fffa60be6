import test from 'ava';
import { vitepress } from '../../../../src/generators/vitepress/vitepress.js';
import { askedSite } from '../asked-site.js';

const MANIFEST = '{"scripts":{"docs:build":"vitepress build"},"devDependencies":{"vitepress":"^1.6.4"}}';
const post = (frontMatter: string, text = '# Heading\n\nWords.\n') => `---\n${frontMatter}\n---\n${text}`;
const {
  writtenText: write = String,
  sentText: read = String,
  image,
} = vitepress.mapping({
  body: 'markdown',
  constants: {},
  address: (slug, date) => `/posts/${date.slice(0, 4)}/${slug}.html`,
});

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

test('front matter has neither the end of a script nor a comment for which VitePress reads a file', (t) => {
  for (const sent of [
    '<script type="application/ld+json">{}</script>',
    '<!--@include: ../.env-->',
    '<!--\n  @include: a-->',
    '<\u2060/SCRIPT> \u2033\u2060 \u2033\u2060\u2060 "',
    'Nothing < special',
  ])
    for (const field of [undefined, 'description'] as const) {
      const written = write(sent, field);
      t.notRegex(written, /<\/script|<!--\s*@include:/i);
      t.is(read(written), sent);
      if (field !== undefined) t.false(written.includes('"'), 'VitePress does not escape it');
    }
  t.is(write('a "word"'), 'a "word"');
  t.is(
    image('https://a.example/?<!--@include: ../.env--></script>'),
    'https://a.example/?%3C!--@include: ../.env-->%3C/script>',
  );
});
