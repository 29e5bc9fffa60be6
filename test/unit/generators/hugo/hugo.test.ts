import test from 'ava';
import type { IncomingBody } from '../../../../src/article/format/mapping.js';
import { hugo } from '../../../../src/generators/hugo/hugo.js';
import { fc } from '../../../support/property.js';
import { siteOf } from '../../../support/site-files.js';
import { askedSite } from '../asked-site.js';

// What Hugo prints of itself in these tests was printed by Hugo 0.111.3.

const CONFIG = `baseurl = "https://garden.example/notes/"
defaultcontentlanguage = "en"
languages = map[de:map[languagecode:de languagename:Deutsch title:Gartennotizen weight:2] en:map[languagecode:en-gb languagename:English weight:1]]
permalinks = map[posts:/:year/:month/:slug/]
publishdir = "public"
theme = "plot"
timezone = "Asia/Tokyo"
uglyurls = false
`;
const MOUNTS = `{
   "path": "project",
   "mounts": [
      {
         "source": "content",
         "target": "content"
      },
      {
         "source": "data",
         "target": "data"
      }
   ]
}
{
   "path": "plot",
   "mounts": []
}
`;
const HEAD = 'path,slug,title,date,expiryDate,publishDate,draft,permalink\n';

/** A line as Hugo lists a page. */
const page = (path: string, address: string, title = 'A', draft = false) =>
  `${path},,${title},2024-06-02T00:00:00+09:00,0001-01-01T00:00:00Z,2024-06-02T00:00:00+09:00,${draft},https://garden.example/notes${address}\n`;

const dated = (more = '') => `---\ntitle: A\ndate: 2024-06-02\n${more}---\n`;

const inspect = (files: Record<string, string>, pages = '', config = CONFIG, mounts = MOUNTS) =>
  hugo.inspect(
    askedSite(
      { 'hugo.toml': '', ...files },
      { 'hugo config mounts': mounts, 'hugo config': config, 'hugo list all': HEAD + pages },
    ),
  );

test('init asks Hugo for its configuration, and takes file and permalink from the pages that it lists', async (t) => {
  const facts = await inspect(
    {
      'content/posts/soil.md': dated(),
      'content/posts/rain-barrel/index.md': dated(),
      'content/posts/soil.de.md': dated(),
      'content/news/one.md': dated(),
      'content/about.md': '---\ntitle: About\n---\n',
    },
    page('content/posts/soil.md', '/2024/06/soil/') +
      page('content/posts/rain-barrel/index.md', '/2024/06/rain-barrel/', '"A, ""quoted"" title"') +
      page('content/posts/soil.de.md', '/de/2024/06/soil/') +
      page('content/news/one.md', '/news/one/') +
      page('content/about.md', '/about/'),
  );
  t.like(facts, {
    siteUrl: 'https://garden.example/notes',
    language: 'en',
    content: 'content',
    file: 'posts/:slug.md',
    permalink: '/:year/:month/:slug/',
    output: 'public',
    build: 'hugo',
    frontMatter: {},
    ignore: ['/public/', '/resources/_gen/', '.hugo_build.lock'],
  });
  t.deepEqual(facts.options, { timeZone: 'Asia/Tokyo' });
  t.deepEqual([facts.questions, facts.warnings], [[], []]);
});

test('a page that a slip in the site’s rule lists with two slashes is where Hugo writes it', async (t) => {
  const list = HEAD + page('content/posts/soil.md', '/posts/soil//');
  const pages = hugo.addressQuery?.(siteOf({}), {})?.parse(list, 'https://garden.example/notes');
  t.deepEqual(pages, [{ path: 'content/posts/soil.md', address: '/posts/soil/' }]);
  const facts = await inspect(
    { 'content/posts/soil.md': dated() },
    page('content/posts/soil.md', '/posts/soil//'),
  );
  t.is(facts.permalink, '/posts/:slug/');
});

test('init reads the configuration that Hugo prints with colons where the site sets metaDataFormat to yaml', async (t) => {
  const facts = await inspect({}, '', CONFIG.replaceAll(/ = /g, ': ').replace('"public"', '"docs"'));
  t.like(facts, { siteUrl: 'https://garden.example/notes', output: 'docs', language: 'en' });
  t.is(facts.options.timeZone, 'Asia/Tokyo');
});

test('newer versions of Hugo print their configuration as JSON', async (t) => {
  const config = JSON.stringify({
    baseURL: 'https://garden.example/',
    publishDir: 'dist',
    markup: { goldmark: { renderer: { unsafe: true } } },
    languages: { en: {} },
  });
  const printed = `WARN  a module is old\nhugo v0.146.0\nWARN  deprecated\n${config}`;
  const facts = await inspect({ 'public/index.html': '' }, '', printed);
  t.like(facts, { siteUrl: 'https://garden.example', output: 'dist', options: { rawHtml: true } });
  const lines = 'markup = map[goldmark:map[renderer:map[hardwraps:false unsafe:true]]]\n';
  const older = await inspect({ 'public/index.html': '' }, '', lines);
  t.like(older, { options: { rawHtml: true } });
  t.false(older.ignore.includes('/public/'), 'it holds files, and may be committed on purpose');
});

test('a folder for each language: articles go to that of the default language', async (t) => {
  const mounts = MOUNTS.replace('"source": "content"', '"source": "content/de"').replace(
    '"source": "data",\n         "target": "data"',
    '"source": "content/en",\n         "target": "content"',
  );
  const config =
    'defaultcontentlanguage = "de"\nlanguages = map[de:map[contentdir:content/de] en:map[contentdir:content/en]]\n';
  const facts = await inspect(
    {
      'content/de/beitraege/a.md': dated(),
      'content/en/posts/b.md': dated(),
      'content/en/posts/c.md': dated(),
    },
    page('content/en/posts/b.md', '/en/posts/b/') +
      page('content/en/posts/c.md', '/en/posts/c/') +
      page('content/de/beitraege/a.md', '/beitraege/a/'),
    config,
    mounts,
  );
  t.like(facts, { content: 'content', file: 'de/beitraege/:slug.md', language: 'de' });
});

test('the keys of an article are those of most posts: nested pictures and authors, too', async (t) => {
  const keysOf = async (...posts: string[]) => {
    const files = Object.fromEntries(posts.map((post, n) => [`content/posts/${n}.md`, dated(post)]));
    const pages = posts.map((_, n) => page(`content/posts/${n}.md`, `/posts/${n}/`)).join('');
    return (await inspect(files, pages)).options.keys;
  };
  const picture = 'cover:\n  image: a.jpg\n  alt: A\n';
  t.deepEqual(await keysOf(`${picture}author: Ada\n`, picture, ''), {
    image: 'cover.image',
    author: 'author',
  });
  t.deepEqual(await keysOf('bigimg: [{src: a.jpg, desc: x}]\nauthors: [Ada, Ben]\n'), {
    image: 'bigimg[].src',
    author: 'authors[]',
  });
  t.is(await keysOf('images: [a.jpg]\ncover: b.jpg\n'), undefined, 'the key that Hugo reads');
  t.deepEqual(await keysOf('summary: x\nimage: a.jpg\n', 'description: y\n'), { image: 'image' });
});

test('a site without posts shows its rule by a post that is put into the copy', async (t) => {
  const site = askedSite(
    { 'hugo.toml': '' },
    {
      'hugo config mounts': MOUNTS,
      'hugo config': '',
      printf: `${HEAD}content/posts/probe.md,,probe,2001-02-03T00:00:00Z,0001-01-01T00:00:00Z,2001-02-03T00:00:00Z,false,/p/2001/probe/\n`,
      'hugo list all': HEAD,
    },
  );
  const { permalink, siteUrl } = await hugo.inspect(site);
  t.deepEqual([permalink, siteUrl], ['/p/:year/:slug/', undefined]);
});

test('an output folder outside of the site is replaced by one in it, which the build command names', async (t) => {
  const inspectOutput = (publishDir: string, script?: string) =>
    inspect(
      script === undefined ? {} : { 'package.json': JSON.stringify({ scripts: { build: script } }) },
      '',
      `publishdir = "${publishDir}"\n`,
    );
  for (const folder of ['/srv/www', './a/../../b']) {
    const { output, build, ignore, warnings } = await inspectOutput(folder);
    t.like({ output, build }, { output: 'public', build: 'hugo --destination public' }, folder);
    t.true(ignore.includes('/public/'));
    t.is(warnings.length, 1);
  }
  t.like(await inspectOutput('dist', 'hugo -d ../out'), {
    output: 'public',
    build: 'npm run build -- --destination public',
  });
  t.like(await inspectOutput('./dist/a/'), { output: 'dist/a', build: 'hugo', warnings: [] });
  const others = 'hugo --gc && npx pagefind -d ../x';
  t.is((await inspectOutput('public', others)).output, 'public', 'the destination of another command');
  t.is((await inspectOutput('public', 'npm run css && hugo -d dist; echo built')).output, 'dist');
});

test('where the content folder is the site itself, Hugo must ignore the files of Pressmark', (t) => {
  const count = (config: string, content = '.') =>
    hugo.problems?.(siteOf({ 'hugo.toml': config }), content).length;
  t.is(count(''), 1);
  t.is(count("ignoreFiles = ['pressmark\\.config\\.']"), 0);
  t.is(count('', 'content'), 0);
});

test('Hugo’s list of pages is read, whatever its titles hold; a draft has no address', (t) => {
  const { parse } = hugo.addressQuery?.(siteOf({}), {}) ?? t.fail();
  const printed =
    HEAD +
    page('content/posts/a.md', '/posts/a/', '"One, ""two""\nthree"') +
    page('content/posts/b.md', '/posts/b/', 'B', true) +
    'content/c.md,,C,,,,false,/c/\r\n';
  t.deepEqual(parse(printed, 'https://garden.example/notes'), [
    { path: 'content/posts/a.md', address: '/posts/a/' },
    { path: 'content/c.md', address: '/c/' },
  ]);
  t.deepEqual(parse(HEAD, 'https://garden.example'), []);
  t.throws(() => parse('no such command', 'https://garden.example'), {
    code: 'BUILD_FAILED',
    message: /^hugo list all printed no columns .*: "no such command"/,
  });
});

// What Hugo does with these texts was seen with Hugo 0.111.3; test/e2e/generators asks it again.

const mapping = (options = {}) =>
  hugo.mapping({ body: 'markdown', constants: {}, address: (slug) => `/posts/${slug}/`, ...options });
const markdown = (text: string, html = `<p>${text}</p>`): IncomingBody => ({
  kind: 'markdown',
  markdown: text,
  html,
});
const stored = (text: string) => mapping().body(markdown(text), 'posts/x.md');

test('shortcodes are commented out wherever they stand, and one that nothing closes is closed at the end', (t) => {
  t.is(stored('{{< run >}}').text, '{{</* run */>}}');
  t.is(stored('```\n{{< run >}}in{{% run %}}\n```').text, '```\n{{</* run */>}}in{{%/* run */%}}\n```');
  t.is(stored('{{< a {{% b >}} %}}').text, '{{</* a {{% b */>}} %}}');
  t.is(stored('{{<>}}').text, '{{</**/>}}');
  t.is(stored('Write `{{<` first.').text, 'Write `{{</*` first.\n\n<!-- */>}} -->\n');
});

test('the item comment is left out where Hugo would print a note in its place', (t) => {
  const text = 'Text.\n\n<!-- svc:item:a1 -->';
  t.is(stored(text).text, 'Text.');
  t.is(mapping({ rawHtml: true }).body(markdown(text), 'x.md').text, text);
});

test('what Markdown does not display on the site, or what stops its build, is stored as HTML', (t) => {
  const markup = (text: string, options = {}) =>
    mapping(options).body(markdown(text), 'x.md').frontMatter.markup;
  t.is(mapping().extension(markdown('a <kbd>x</kbd>')), '.html');
  t.is(mapping().extension(markdown('a')), '.md');
  t.is(mapping().extension({ kind: 'html', html: '<p>a</p>' }), '.html');
  t.is(markup('a <kbd>x</kbd>'), 'html');
  t.is(markup('a <kbd>x</kbd>', { rawHtml: true }), undefined);
  t.is(markup('a\n\n<!-- x', { rawHtml: true }), 'html', 'the page would end here');
  t.is(markup('a\n\n<!--more-->\n\nb'), 'html');
  t.is(markup('a `<kbd>`\n\n```vue\n<script setup>\n<Kbd>x</Kbd>\n```\n'), undefined);
  t.is(markup('```\na\n<!--more-->\nb\n```\n'), 'html', 'Hugo would cut the code');
  for (const fence of ['```go {hl_lines={a=1}}', '~~~ go &#123;a=1}', '> - ```go {x}', '~~~~ a\\{'])
    t.is(markup(`${fence}\nx\n`), 'html', fence);
});

test('an HTML body stands byte for byte, but for shortcodes and the divider at which Hugo would cut it', (t) => {
  const html = (text: string, path = 'posts/x.html') => mapping().body({ kind: 'html', html: text }, path);
  t.deepEqual(html('<p>{{ a }} {% b %}</p>\n\n  <pre>\n x</pre>'), {
    text: '<p>{{ a }} {% b %}</p>\n\n  <pre>\n x</pre>',
    frontMatter: { markup: undefined },
  });
  t.is(html('<script>"{{< x >}}"</script>').text, '<script>"{{</* x */>}}"</script>');
  t.is(html('<p>a</p><!-- x').text, '<p>a</p><!-- x-->');
  t.is(html('<p>a</p><!--more--><p>b</p>').text, '<p>a</p><!-- more --><p>b</p>');
});

test('no shortcode is left in any body, whatever the article holds', (t) => {
  const pieces = [
    ...['{{<', '{{%', '>}}', '%}}', '/*', '*/', '`', '```', '\n', '\n\n', '    ', 'x '],
    ...['<!--more-->', '<b>', '{.a}', '\\'],
  ];
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, fc.constantFrom('posts/x.md', 'posts/x.html'), fc.boolean(), (text, path, rawHtml) => {
      const { text: body } = mapping({ rawHtml }).body(markdown(text, text), path);
      // As Hugo reads: each opening is followed by a comment that ends with its own delimiter.
      const rest = body.replace(/\{\{<\/\*[\s\S]*?\*\/>\}\}|\{\{%\/\*[\s\S]*?\*\/%\}\}/g, '');
      t.notRegex(rest, /\{\{[<%]/);
    }),
  );
});

test('a text in front matter is no shortcode for a layout that renders it', (t) => {
  t.is(
    mapping().writtenText?.('a {{< run >}} {{% b %}} {{ c }}'),
    'a {\u2060{< run >}} {\u2060{% b %}} {{ c }}',
  );
});
