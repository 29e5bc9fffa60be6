import test from 'ava';
import { parse } from 'yaml';
import { storedBody } from '../../../../src/generators/nuxt-content/mapping.js';
import { nuxtContent } from '../../../../src/generators/nuxt-content/nuxt-content.js';
import { askedSite } from '../asked-site.js';

const MANIFEST = (scripts: Record<string, string>) =>
  JSON.stringify({ scripts, dependencies: { nuxt: '^4.3.0', '@nuxt/content': '^3.11.0' } });
const SITE = {
  'package.json': MANIFEST({ build: 'nuxt build', generate: 'nuxt generate' }),
  'nuxt.config.ts': '',
  'content/posts/1.tap.md':
    "---\ntitle: Tap\ndate: '2025-02-11'\ncover: https://a.example/t.jpg\n---\nWords.\n",
  'content/posts/hose.md':
    "---\ntitle: Hose\ndate: '2025-04-05'\ncover: https://a.example/h.jpg\n---\nWords.\n",
  'app/pages/posts/[...slug].vue': '',
  'app/pages/tags/[tag].vue': '',
};
const ANSWER = { base: '/notes/', url: 'https://allotment.example', language: 'en-GB' };
const inspect = async (files: Record<string, string> = SITE, answer: object = ANSWER) =>
  await nuxtContent.inspect(askedSite(files, { loadNuxtConfig: JSON.stringify(answer) }));

test('init asks Nuxt for its configuration, and takes the rest from posts and pages', async (t) => {
  t.like(await inspect(), {
    siteUrl: 'https://allotment.example/notes',
    language: 'en-GB',
    content: 'content',
    file: 'posts/:slug.md',
    permalink: '/posts/:slug/',
    output: '.output/public',
    build: 'npm run generate',
    options: { dates: 'day-string', keys: { image: 'cover' } },
    questions: [],
  });
  const { 'app/pages/posts/[...slug].vue': _, ...others } = SITE;
  const everywhere = {
    ...others,
    'app/pages/[...slug].vue': '',
    'package.json': MANIFEST({ build: 'nuxt build' }),
  };
  t.like(await inspect(everywhere, {}), {
    siteUrl: undefined,
    permalink: '/posts/:slug/',
    build: 'npx nuxt generate',
  });
  // Each page would give the post the same address.
  const twice = {
    ...{ 'package.json': SITE['package.json'], 'content/beds/hose.md': SITE['content/posts/hose.md'] },
    ...{ 'app/pages/[...slug].vue': '', 'app/pages/beds/[bed].vue': '' },
  };
  t.like(await inspect(twice), { file: 'beds/:slug.md', permalink: '/beds/:slug/', questions: [] });
  const script = { 'package.json': MANIFEST({ build: 'nuxt build --prerender' }) };
  t.is((await inspect({ ...SITE, ...script })).build, 'npm run build');
});

const HTML = '<p>As HTML.</p>';
const stored = (markdown: string) => storedBody({ kind: 'markdown', markdown, html: HTML }).text;

test('what MDC would act upon is escaped in prose, and left alone in code', (t) => {
  for (const [text, escaped] of [
    ['{{ title }} a{.b} c:d', '\\{\\{ title \\}\\} a\\{.b\\} c\\:d'],
    ['::alert\n\n:name [word]{.c} \\[kept\\]', ':\\:alert'],
    ['[a](https://b.example/x) and [c]', '[a](https://b.example/x) and \\[c]'],
    ['`{{ a }}`{.b} at 10:30', '`{{ a }}`\\{.b\\} at 10:30'],
    ['```js {1,2} [a.js]\nconst b = {{ c }};\n```', '```js\nconst b = {{ c }};\n```'],
    ['| a | b |\n| :-- | :-: |\n| c | d |', '| a | b |\n| :-- | :-: |\n| c | d |'],
  ] as const)
    t.true(stored(text).startsWith(escaped), stored(text));
  t.is(stored('One.\n\n<!-- svc:item:a-1 -->'), 'One.', 'Nuxt drops comments');
});

test('Markdown that no escape makes plain for Nuxt Content is stored as HTML', (t) => {
  const asHtml = stored('<b>x</b>');
  t.true(asHtml.startsWith('::div\n---\ninnerHTML: "'));
  for (const text of [
    ...['a :smile: b', '[a](/no/such/page)', '[a](https://b.example/%ff)', 'see https://b.example/?x=a:b'],
    ...['a [b][c]\n\n[c]: https://b.example/', 'a\n\n    ::alert\n    b', '<mailto:a@b.example>'],
  ])
    t.is(stored(text), asHtml, text);
});

test('HTML is a property of an element, in one text of YAML', (t) => {
  for (const html of [
    '<p title="a &amp; b">{{ 7 }} \\ \' "</p>',
    '<pre>\n---\n::div\n  ```\n\ttab \u2028\u0085\ufeff</pre>',
    '<a class="b" href="/no/such/page">c</a>',
  ]) {
    const { text } = storedBody({ kind: 'html', html });
    const [, yaml = ''] = /^::div\n---\n([\s\S]*?)\n---\n::\n$/.exec(text) ?? [];
    t.notRegex(yaml, /^\s*(?:---|:|`)/m);
    const shown = html.replace('href', 'HREF');
    t.deepEqual(parse(yaml), { innerHTML: `<div>\n${shown}\n</div>\n` });
  }
});
