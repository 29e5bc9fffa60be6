import test from 'ava';
import { mapping, storedBody } from '../../../../src/generators/vitepress/mapping.js';
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

const HTML = '<p>As HTML.</p>';
const markdown = (text: string, hasHeading = false) =>
  storedBody({ kind: 'markdown', markdown: text, html: HTML }, hasHeading).text;
const html = (text: string, hasHeading = false) => storedBody({ kind: 'html', html: text }, hasHeading).text;
const AS_HTML = '<div v-html="`\n<div>\n<p>As HTML.</p>\n</div>\n`"></div>\n';

/** The HTML that Vue prints for a body. */
function printed(body: string): string {
  const [, value = ''] = /^<div v-html="`\n([^"]*)\n`"><\/div>\n$/.exec(body) ?? [];
  const script = value.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  return script.replace(/\\([\\`$])/g, '$1');
}

test('Markdown stands in a container in which Vue compiles nothing, and which it cannot close', (t) => {
  t.is(markdown('*Words*\n'), '::: v-pre\n\n*Words*\n\n:::\n');
  const text = 'a\n\n:::::\n\nb';
  t.is(markdown(text), `:::::: v-pre\n\n${text}\n\n::::::\n`);
  const code = '```js\nconst a = { b: [c] };\n```\n\nand `{{ d }}`: [x](https://a.example/#y)';
  t.is(markdown(code), `::: v-pre\n\n${code}\n\n:::\n`);
  const tags =
    '`<Foo>`\n\n```vue\n<script setup lang="ts">\nconst a: { [key: string]: b } = {};\n<<<<<<< HEAD\n</script>\n<!-- c -->\n```';
  t.is(markdown(tags), `::: v-pre\n\n${tags}\n\n:::\n`);
  t.is(markdown('One.\n\n<!-- svc:item:a-1 -->\n'), '::: v-pre\n\nOne.\n\n:::\n', 'Vue drops comments');
});

test('Markdown that VitePress acts on is stored as HTML', (t) => {
  for (const text of [
    ...['A <b>word</b>', '<!--@include: ../.env-->', '> <<< ./.env', '{{ 7 * 7 }}'],
    ...['a word {onclick="x"}', '```js {"}\n1\n```', '[a](/no/such/page)', '[a](http://localhost:3000/)'],
    ...['![a](./missing.png)', '[a](#%zz)', '```md\n<!--@include: ../.env-->\n```', '# `</script>`'],
  ])
    t.is(markdown(text), AS_HTML, text);
});

test('HTML is printed as it is, from a text of JavaScript in an attribute', (t) => {
  for (const text of [
    `<p title="a &amp; b">\`\${1 + 1}\` \\ \\\` {{ 7 * 7 }}</p>`,
    `<script>const a = \`\\n\${"b"}\`;</script>`,
    '<p v-html="x" @click="y">&lt;b&gt;</p><!--@include: ../.env--><style>p{}</style>',
    '<p>\'"</p>',
  ]) {
    const body = html(text);
    t.is(printed(body), `<div>\n${text}\n</div>`);
    t.notRegex(body, /<!|\n[ \t]*\n/);
  }
});

test('the title is the first line where the site wants it, unless the article begins with one', (t) => {
  const heading = '<h1>{{ $frontmatter.title }}</h1>\n\n';
  t.is(markdown('Words', true), `${heading}::: v-pre\n\nWords\n\n:::\n`);
  t.is(html(HTML, true), heading + AS_HTML);
  t.is(markdown('# Mine\n\nWords', true), '::: v-pre\n\n# Mine\n\nWords\n\n:::\n');
  t.true(html('<h1>Mine</h1>', true).startsWith('<div'));
});

const {
  writtenText: write = String,
  sentText: read = String,
  image,
} = mapping({ body: 'markdown', constants: {}, address: (slug) => `/${slug}` });

test('front matter has neither the end of a script nor a comment for which VitePress reads a file', (t) => {
  for (const sent of ['<script></script>', '<!--@include: a-->', '<!--\n  @include: a-->', '<\u2060/SCRIPT>'])
    for (const field of [undefined, 'description'] as const) {
      const written = write(sent, field);
      t.notRegex(written, /<\/script|<!--\s*@include:/i);
      t.is(read(written), sent);
    }
  t.is(write('a "word"'), 'a "word"');
  t.is(
    image('https://a.example/?<!--@include: ../.env--></script>'),
    'https://a.example/?%3C!--@include: ../.env-->%3C/script>',
  );
});

test('a description reads as it was sent, whatever quotes, primes and word joiners it has', (t) => {
  const signs = ['"', '\u2033', '\u2060', 'a'];
  for (let number = 0; number < 4 ** 6; number++) {
    const text = Array.from({ length: 6 }, (_, at) => signs[Math.floor(number / 4 ** at) % 4]).join('');
    const written = write(text, 'description');
    if (written.includes('"') || read(written) !== text) t.fail(JSON.stringify([text, written]));
    if (read(write(text)) !== text) t.fail(JSON.stringify(text));
  }
  t.pass();
});
