import test from 'ava';
import { hugo } from '../../../../src/generators/hugo/hugo.js';
import { siteOf } from '../../../support/site-files.js';

// What Hugo does with these texts was seen with Hugo 0.111.3; test/e2e/generators asks it again.

const mapping = (options = {}) =>
  hugo.mapping({ body: 'markdown', constants: {}, address: (slug) => `/posts/${slug}/`, ...options });
const post = '---\ntitle: A\ndate: 2024-01-01\n---\n';

test('a Hugo site is recognised by its configuration, and the configuration of another program is not one', (t) => {
  t.is(hugo.recognise(siteOf({ 'hugo.yaml': '' })), 'hugo.yaml');
  t.is(hugo.recognise(siteOf({ 'config.toml': 'baseURL = "/"' })), 'config.toml');
  t.is(hugo.recognise(siteOf({ 'config.json': '{"languageCode": "en"}' })), 'config.json');
  t.is(hugo.recognise(siteOf({ 'config.yml': 'title: A', 'layouts/index.html': '' })), 'config.yml');
  t.is(hugo.recognise(siteOf({ 'config/_default/hugo.toml': '', 'content/a.md': '' })), 'config/_default/');
  t.is(
    hugo.recognise(siteOf({ 'config.toml': 'base_url = "/"\ntitle = "Zola"', 'content/a.md': '' })),
    undefined,
  );
  t.is(hugo.recognise(siteOf({ 'config.json': '{"port": 80}' })), undefined);
  t.is(hugo.recognise(siteOf({ 'config.json': '{' })), undefined);
  t.is(hugo.recognise(siteOf({ 'config/_default/app.yaml': 'a: 1' })), undefined);
});

test('init reads the base URL with its path, the section of most posts and its permalink rule', (t) => {
  const facts = hugo.inspect(
    siteOf({
      'hugo.toml':
        'baseURL = "https://garden.example/notes/"\ntheme = ["plot", "extra"]\ntimeZone = "Asia/Tokyo"\n' +
        'publishDir = "dist"\n[permalinks]\nnews = "/:year/:month/:title/"\n[markup.goldmark.renderer]\nunsafe = true',
      'content/news/a.md': post,
      'content/news/b/index.md': '+++\ntitle = "B"\ndate = 2024-01-01\n+++\n',
      'content/news/_index.md': post,
      'content/essays/c.md': '{\n"title": "C",\n"date": "2024-01-01"\n}\n',
      'content/about.md': '---\ntitle: About\n---\n',
    }),
  );
  t.like(facts, {
    siteUrl: 'https://garden.example/notes',
    language: 'en',
    theme: 'plot, extra',
    content: 'content',
    file: 'news/:slug.md',
    permalink: '/:year/:month/:slug/',
    output: 'dist',
    build: 'hugo',
    options: { rawHtml: true, timeZone: 'Asia/Tokyo' },
    ignore: ['/dist/', '/resources/_gen/', '.hugo_build.lock'],
  });
  t.deepEqual(facts.questions, []);
  t.deepEqual(facts.warnings, []);
});

test('an address is made in the manner of the site: languages, dated folders, ugly URLs, pages of a section', (t) => {
  const inspect = (config: string, path = 'content/posts/a.md') =>
    hugo.inspect(siteOf({ 'hugo.toml': `baseURL = "https://garden.example"\n${config}`, [path]: post }));
  t.is(inspect('').permalink, '/posts/:slug/');
  t.is(inspect('uglyURLs = true').permalink, '/posts/:slug.html');
  t.is(inspect('[uglyURLs]\nPosts = true').permalink, '/posts/:slug.html');
  t.is(inspect('[uglyURLs]\ndocs = true').permalink, '/posts/:slug/');
  t.is(
    inspect('defaultContentLanguageInSubdir = true\n[languages.en]\n[languages.de]').permalink,
    '/en/posts/:slug/',
  );
  t.like(inspect('', 'content/blog/2024/a.md'), {
    file: 'blog/:year/:slug.md',
    permalink: '/blog/:year/:slug/',
  });
  t.is(inspect('[permalinks.page]\nposts = "/:sections/:slugorfilename"').permalink, '/posts/:slug/');
  t.like(
    inspect(
      'defaultContentLanguage = "de"\n[languages.de]\ncontentDir = "content/de"\n[languages.en]\ncontentDir = "content/en"',
      'content/de/beitraege/a.md',
    ),
    { content: 'content', file: 'de/beitraege/:slug.md', permalink: '/beitraege/:slug/', language: 'de' },
  );
});

test('an output folder outside of the site is replaced by one in it, which the build command names', (t) => {
  const inspect = (publishDir: string, script?: string) =>
    hugo.inspect(
      siteOf({
        'hugo.toml': `baseURL = "https://garden.example"\npublishDir = "${publishDir}"`,
        ...(script !== undefined && { 'package.json': JSON.stringify({ scripts: { build: script } }) }),
      }),
    );
  for (const folder of ['../build', '/srv/www', './a/../../b']) {
    const { output, build, ignore, warnings } = inspect(folder);
    t.like({ output, build }, { output: 'public', build: 'hugo --destination public' }, folder);
    t.true(ignore.includes('/public/'));
    t.regex(warnings[0]?.text ?? '', /^publishDir in hugo\.toml is ".*", outside of the site's folder/);
  }
  t.like(inspect('dist', 'hugo -d ../out'), {
    output: 'public',
    build: 'npm run build -- --destination public',
  });
  t.like(inspect('./dist/a/'), { output: 'dist/a', build: 'hugo', warnings: [] });
});

test('a permalink rule that no pattern can say becomes a question with an answer near to it', (t) => {
  const { questions, permalink } = hugo.inspect(
    siteOf({
      'hugo.toml':
        'baseURL = "https://garden.example"\n[permalinks]\nposts = "/:year/:monthname/:weekday/:title/"',
      'content/posts/a.md': post,
    }),
  );
  t.is(permalink, '/:year/:month/:slug/');
  t.like(questions, [{ flag: 'permalink', fallback: '/:year/:month/:slug/' }]);
  t.regex(questions[0]?.text ?? '', /:monthname, :weekday/);
});

test('a site without an address asks for it, and front matter that all posts share is kept', (t) => {
  const facts = hugo.inspect(
    siteOf({
      'config/_default/hugo.yaml': 'title: A',
      'config/_default/permalinks.yaml': 'posts: /p/:slug/',
      'package.json': '{"scripts": {"build": "hugo --minify -d out && true"}}',
      'content/posts/a.md': '---\ndate: 2024-01-01\ntype: note\nlayout: wide\n---\n',
      'content/posts/b.md': '---\ndate: 2024-01-01\ntype: note\n---\n',
    }),
  );
  t.like(facts, { siteUrl: undefined, permalink: '/p/:slug/', build: 'npm run build', output: 'out' });
  t.deepEqual(facts.frontMatter, { type: 'note' });
  t.is(facts.questions[0]?.flag, 'site-url');
});

test('a public/ that holds files is not ignored', (t) => {
  const facts = hugo.inspect(
    siteOf({ 'hugo.toml': '', 'public/index.html': '', '.gitignore': '.hugo_build.lock\n/resources/' }),
  );
  t.deepEqual(facts.ignore, []);
});

test('where the content folder is the site itself, Hugo must ignore the files of Pressmark', (t) => {
  const warnings = (config: string) =>
    hugo
      .inspect(siteOf({ 'hugo.toml': `contentDir = "."\nbaseURL = "https://garden.example"\n${config}` }))
      .warnings.map(({ fix }) => fix);
  t.regex(warnings('')[0] ?? '', /^Add 'pressmark\\\.config\\\.', .* to ignoreFiles/);
  t.deepEqual(warnings("ignoreFiles = ['pressmark\\.config\\.']"), []);
});

test('tags have the key of the page that Hugo makes of them, and none where Hugo makes none', (t) => {
  const pages = {
    soil: 'soil',
    Soil: 'soil',
    'SOIL ': 'soil',
    'New York': 'new-york',
    'new-york': 'new-york',
    new_york: 'new_york',
    'a--b': 'a--b',
    'a  b': 'a-b',
    'a.b': 'a.b',
    'a/b': 'a/b',
    'tag/': 'tag',
    'C++': 'c++',
    'c#': 'c#',
    '---': '---',
    '100%': '100',
    '%2e%2e': '%2e%2e',
    Äpfel: 'äpfel',
    日本語: '日本語',
    İ: 'i',
    '{{< x >}}': 'x',
    '<b>': 'b',
    "it's": 'its',
    'a?b': 'ab',
    con: 'con',
  };
  for (const [tag, key] of Object.entries(pages)) t.is(mapping().tagKey(tag), key, tag);
  const none = [
    '',
    ' ',
    '.',
    '..',
    '...',
    '/',
    '?',
    '🌱',
    '½',
    'x.',
    '../../x',
    'x/../y',
    'index.xml',
    'index.html',
    'x/page/2',
    'x'.repeat(300),
  ];
  for (const tag of none) t.is(mapping().tagKey(tag), '', tag);
});

test('an address is pinned from the root of the site, and a pin holds for that address alone', (t) => {
  const { pin, isPinned } = mapping();
  const file = (url: unknown) => ({ path: 'posts/a.md', data: { url } });
  t.deepEqual(pin('/posts/soil/'), { url: '/posts/soil/' });
  t.deepEqual(pin('/posts/%C3%A4pfel/'), { url: '/posts/äpfel/' });
  t.deepEqual(pin('/posts/soil.html'), { url: '/posts/soil.html', outputs: ['html'] });
  t.deepEqual(pin('/v1.2/soil/'), { url: '/v1.2/soil/' });
  t.true(isPinned(file('/posts/soil/'), '/posts/soil/'));
  t.true(isPinned(file('/posts/soil'), '/posts/soil/'));
  t.true(isPinned({ path: 'posts/a.md', data: { URL: '/posts/soil/' } }, '/posts/soil/'));
  t.false(isPinned(file('/posts/Soil/'), '/posts/soil/'));
  t.false(isPinned(file('posts/soil/'), '/posts/soil/'));
  t.false(isPinned(file('/posts/:slug/'), '/posts/:slug/'));
  t.false(isPinned(file(undefined), '/posts/soil/'));
});

test('a file is known by its slug, its name or its folder', (t) => {
  const slug = (path: string, data = {}) => mapping().slug({ path, data });
  t.is(slug('posts/soil.md'), 'soil');
  t.is(slug('posts/soil.de.md'), 'soil');
  t.is(slug('posts/soil/index.de.md'), 'soil');
  t.is(slug('posts/soil.markdown', { slug: 'earth' }), 'earth');
});

test('a list of a section is not an article, nor is another kind of file', (t) => {
  const names = [
    'a.md',
    'a.markdown',
    'a.html',
    'a/index.de.md',
    '_index.md',
    '_index.de.md',
    'a.txt',
    '.a.md',
    'a.org',
  ];
  t.deepEqual(names.filter(mapping().isArticlePath), ['a.md', 'a.markdown', 'a.html', 'a/index.de.md']);
});

test('drafts, future and expired posts have no page now', (t) => {
  const hidden = (data: Record<string, unknown>, timeZone = 'UTC') =>
    mapping({ timeZone }).hidden({ path: 'posts/a.md', data }, new Date('2024-05-01T16:00:00Z'));
  t.is(hidden({ date: '2024-05-01' }), undefined);
  t.is(hidden({ draft: true }), 'draft');
  t.is(hidden({ Draft: 'true' }), 'draft');
  t.is(hidden({ published: false }), 'draft');
  t.is(hidden({ _build: { render: 'never' } }), 'draft');
  t.is(hidden({ expiryDate: '2024-04-30' }), 'draft');
  t.is(hidden({ date: '2024-05-02' }), 'future');
  t.is(hidden({ date: '2024-05-02' }, 'Asia/Tokyo'), undefined);
  t.is(hidden({ date: new Date('2024-05-01T16:00:01Z') }), 'future');
  t.is(hidden({ date: '2024-04-01', publishDate: '2024-06-01T00:00:00+02:00' }), 'future');
  t.is(hidden({ date: '2124-01-01', publishDate: '2024-01-01' }), undefined);
  t.is(hidden({}), undefined);
});

test('dates are written in the time zone of the site', (t) => {
  const date = (timeZone: string, dates?: string) =>
    mapping({ timeZone, dates }).date('2024-05-01T20:30:00.000Z');
  t.deepEqual(date('UTC'), { kind: 'timestamp', text: '2024-05-01T20:30:00Z' });
  t.deepEqual(date('Asia/Tokyo'), { kind: 'timestamp', text: '2024-05-02T05:30:00+09:00' });
  t.deepEqual(date('America/St_Johns'), { kind: 'timestamp', text: '2024-05-01T18:00:00-02:30' });
  t.deepEqual(date('Asia/Tokyo', 'day'), { kind: 'timestamp', text: '2024-05-02' });
  t.is(date('Asia/Tokyo', 'string'), '2024-05-02T05:30:00+09:00');
});

test('images are a list, as Hugo reads them', (t) => {
  t.deepEqual(mapping().image('https://garden.example/a.jpg'), ['https://garden.example/a.jpg']);
  t.is(mapping().imageOf(['a.jpg', 'b.jpg']), 'a.jpg');
  t.is(mapping().imageOf('a.jpg'), 'a.jpg');
  t.is(mapping().imageOf(undefined), null);
});

test('doctor names what keeps articles from their addresses', (t) => {
  const problems = (config: string, settings = {}) =>
    hugo
      .problems(siteOf({ 'hugo.toml': config }), {
        siteUrl: 'https://garden.example/notes',
        content: 'content',
        output: 'public',
        ...settings,
      })
      .map(({ level, text }) => `${level} ${text}`);
  const good = 'baseURL = "https://garden.example/notes/"\n';
  t.deepEqual(problems(good), []);
  t.regex(problems('baseURL = "https://garden.example/"')[0] ?? '', /^fail baseURL in hugo\.toml/);
  t.regex(problems('')[0] ?? '', /^warn hugo\.toml has no absolute baseURL/);
  t.regex(problems(good, { content: 'posts' })[0] ?? '', /^fail Hugo reads "content\/"/);
  t.regex(problems(good, { output: 'dist' })[0] ?? '', /^fail Hugo writes to "public\/"/);
  t.deepEqual(problems(`${good}publishDir = "../build"`), []);
  t.regex(problems(`${good}disableKinds = ["page"]`)[0] ?? '', /^fail disableKinds/);
  t.regex(problems(`${good}disableKinds = ["taxonomy"]`)[0] ?? '', /^warn .*pages of tags off/);
  t.regex(problems(`${good}enableEmoji = true`)[0] ?? '', /^warn enableEmoji/);
  t.regex(problems('baseURL = ')[0] ?? '', /^fail hugo\.toml cannot be read/);
});
