import test from 'ava';
import { hexo } from '../../../../src/generators/hexo/hexo.js';
import { storedBody } from '../../../../src/generators/hexo/mapping.js';
import { askedSite } from '../asked-site.js';

const post = (frontMatter: string) => `---\n${frontMatter}\n---\nWords.\n`;

// What Hexo 7.3.0 said of a site in its own words, as far as it matters.
const CONFIG = {
  url: 'https://allotment.example/notes',
  root: '/notes/',
  permalink: ':year/:month/:day/:title/',
  language: ['en', 'de'],
  timezone: 'Asia/Tokyo',
  source_dir: 'source',
  public_dir: 'public',
  new_post_name: ':title.md',
  future: false,
};
const SITE = {
  'package.json': '{"scripts":{"build":"hexo generate"},"dependencies":{"hexo":"^7.3.0"}}',
  'source/_posts/leeks.md': post('title: Leeks\ndate: 2025-03-09 21:40:00\ncover: https://a.example/l.jpg'),
  'source/_posts/mill.md': post('title: Mill\ndate: 2025-05-17 12:05:00\nlang: en'),
};
const PAGES = [
  { path: 'source/_posts/leeks.md', address: '/2025/03/09/leeks/' },
  { path: 'source/_posts/mill.md', address: '/2025/05/17/mill/' },
];
const inspect = async (config: object = {}, pages = PAGES, files: Record<string, string> = SITE) => {
  const answer = JSON.stringify({ config: { ...CONFIG, ...config }, pages });
  return await hexo.inspect(askedSite(files, { 'hexo.source.process()': answer }));
};

test('init asks Hexo for its configuration and its posts', async (t) => {
  t.like(await inspect(), {
    siteUrl: 'https://allotment.example/notes',
    language: 'en',
    content: 'source/_posts',
    file: ':slug.md',
    permalink: '/:year/:month/:day/:slug/',
    output: 'public',
    build: 'npm run build -- --bail',
    frontMatter: {},
    options: { timeZone: 'Asia/Tokyo', keys: { image: 'cover' } },
    questions: [],
  });
  t.true((await inspect({ future: true })).options.futurePages);
});

test('an address of new articles follows the rule, and the posts where the rule has parts of its own', async (t) => {
  for (const [permalink, pages, expected] of [
    ['posts/:title.html', PAGES, '/posts/:slug.html'],
    [':category/:title/', [{ path: 'source/_posts/leeks.md', address: '/beds/leeks/' }], '/beds/:slug/'],
    ['p/:abbrlink.html', [], '/:year/:month/:day/:slug/'],
  ] as const)
    t.is((await inspect({ permalink }, [...pages])).permalink, expected);
});

test('the build fails where a page fails, as far as the script can be told to', async (t) => {
  for (const [scripts, command] of [
    [{}, 'npx hexo generate --bail'],
    [{ build: 'gulp' }, 'npx hexo generate --bail'],
    [{ build: 'hexo clean && hexo g' }, 'npm run build -- --bail'],
    [{ build: 'hexo generate -b' }, 'npm run build'],
    [{ build: 'hexo generate && gulp minify' }, 'npm run build'],
  ] as const)
    t.is((await inspect({}, PAGES, { 'package.json': JSON.stringify({ scripts }) })).build, command);
});

const AS_HTML = { text: '<p>As HTML.</p>', frontMatter: { disableNunjucks: true, engine: 'html' } };
const markdown = (text: string, path = 'a.md') =>
  storedBody({ kind: 'markdown', markdown: text, html: AS_HTML.text }, path);
const html = (text: string) => storedBody({ kind: 'html', html: text }, 'a.md');

test('an HTML body, every body in an HTML file, and Markdown at which the build would stop, are rendered by nothing', (t) => {
  t.deepEqual(html(AS_HTML.text), AS_HTML);
  t.deepEqual(markdown('*Words*', 'a.html'), AS_HTML);
  for (const text of [
    ...['![a](http://[bad)', '![a](https://)', '![a][b]\n\n[b]: http://a:b:c/', 'a <!-- comment -->'],
    ...['&lt;!--swig\ufffc0--&gt;', '`<hexoPostRenderCodeBlock>`'],
  ])
    t.deepEqual(markdown(text), AS_HTML, text);
});

test('HTML has no fence of code, except where a character reference is none, no placeholder of Hexo and no end of an excerpt', (t) => {
  const fence = '```sh\n{{ rm }}\n```';
  const script = `<script type="text/markdown">\n${fence}\n</script>`;
  for (const [given, stored] of [
    ['<p>{{ 1 }}</p><!-- open', '<p>{{ 1 }}</p><!-- open-->'],
    [`<pre>\n${fence}</pre>`, '<pre>\n&#96;``sh\n{{ rm }}\n&#96;``</pre>'],
    ['<p>\n  > ~~~~\n</p>', '<p>\n  > &#126;~~~\n</p>'],
    [`${script}\n${fence}`, `${script}\n&#96;\`\`sh\n{{ rm }}\n&#96;\`\``],
    ['<code>```</code>', '<code>```</code>'],
    ['<p>a</p><!--swig\ufffc0-->', '<p>a</p><!--swig&#xFFFC;0-->'],
    ['<p>&lt;!--code\ufffc12--&gt; \ufffc</p>', '<p>&lt;!--code&#xFFFC;12--&gt; \ufffc</p>'],
  ] as const)
    t.is(html(given).text, stored);
  for (const more of ['<!--more-->', '<!-- more -->', '<!-- MORE-->'])
    t.notRegex(html(`<div>a${more}b</div>`).text, /<!-- ?more ?-->/i, more);
});
