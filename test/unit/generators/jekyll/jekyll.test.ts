import test from 'ava';
import type { MappingOptions, SiteFiles } from '../../../../src/generators/generator.js';
import { addExcludes } from '../../../../src/generators/jekyll/excludes.js';
import { inspect } from '../../../../src/generators/jekyll/inspect.js';
import { jekyll } from '../../../../src/generators/jekyll/jekyll.js';
import { siteOf } from '../../../support/site-files.js';

const POST = '---\nlayout: post\ntitle: Beans\n---\nText.\n';
const facts = (texts: Readonly<Record<string, string>>) =>
  inspect(siteOf({ '_posts/2025-03-02-beans.md': POST, '_layouts/post.html': '', ...texts }));

const mappingOf = (options: Partial<MappingOptions> = {}) =>
  jekyll.mapping({
    body: 'markdown',
    constants: { layout: 'post' },
    address: (slug) => `/${slug}/`,
    timeZone: 'Asia/Tokyo',
    ...options,
  });

const readOptions = (files: SiteFiles) => jekyll.options?.(files) ?? {};

test('a Jekyll site is recognised by its configuration and its folders or gems', (t) => {
  t.is(jekyll.recognise(siteOf({ '_config.yml': 'title: x\n', '_posts/a.md': '' })), '_config.yml');
  t.is(
    jekyll.recognise(siteOf({ '_config.toml': 'title = "x"\n', Gemfile: 'gem "jekyll"\n' })),
    '_config.toml',
  );
  t.is(jekyll.recognise(siteOf({ '_config.yaml': 'theme: minima\n' })), '_config.yaml');
  t.is(
    jekyll.recognise(siteOf({ '_config.yml': 'source: src\n', 'src/_layouts/post.html': '' })),
    '_config.yml',
  );
  t.is(jekyll.recognise(siteOf({ '_config.yml': 'title: x\n' })), undefined);
  t.is(jekyll.recognise(siteOf({ 'hugo.toml': '' })), undefined);
});

test('a Hexo site, whose configuration has the same name, is not taken for one', (t) => {
  const files = siteOf({
    '_config.yml': 'permalink: :title/\n',
    'package.json': '{"dependencies":{"hexo":"7"}}',
  });
  t.is(jekyll.recognise(files), undefined);
});

test('the site is read from _config.yml', (t) => {
  const found = facts({
    '_config.yml':
      'url: https://a.example/\nbaseurl: /notes/\nlang: de\ntimezone: Europe/Rome\ntheme: minima\ndestination: ./out\n',
  });
  t.like(found, {
    siteUrl: 'https://a.example/notes',
    language: 'de',
    theme: 'minima',
    content: '_posts',
    file: ':year-:month-:day-:slug.md',
    output: 'out',
    build: 'jekyll build',
    frontMatter: { layout: 'post' },
    options: { timeZone: 'Europe/Rome', templateSwitch: false },
    questions: [],
  });
});

test('init warns of the JSON-LD that jekyll-seo-tag prints, with minima too; doctor looks at the pages', (t) => {
  for (const config of ['plugins: [jekyll-seo-tag]', 'theme: minima']) {
    const { warnings } = facts({ '_config.yml': `url: https://a.example\n${config}\n` });
    t.true(
      warnings.some(({ text }) => /BlogPosting/.test(text)),
      config,
    );
  }
  const { warnings } = facts({ '_config.yml': 'url: https://a.example\n' });
  t.false(warnings.some(({ text }) => /BlogPosting/.test(text)));
});

test('source and collections_dir move the folder of the posts', (t) => {
  t.is(facts({ '_config.yml': 'source: ./src/\n' }).content, 'src/_posts');
  t.is(facts({ '_config.yml': 'source: src\ncollections_dir: pages\n' }).content, 'src/pages/_posts');
});

test('a new article has an address in the manner of the other posts', (t) => {
  const permalink = (config: string) =>
    facts({ '_config.yml': `url: https://a.example\n${config}` }).permalink;
  t.is(permalink(''), '/:year/:month/:day/:slug.html');
  t.is(permalink('permalink: pretty'), '/:year/:month/:day/:slug/');
  t.is(permalink('permalink: none'), '/:slug.html');
  t.is(permalink('permalink: /blog/:categories/:title'), '/blog/:slug');
  t.is(permalink('collections: { posts: { permalink: "/p/:title:output_ext" } }'), '/p/:slug.html');
  t.is(permalink('defaults: [{ scope: { type: posts }, values: { permalink: "/d/:slug/" } }]'), '/d/:slug/');
});

test('a token that Pressmark does not have is asked for, with the nearest as the answer of --yes', (t) => {
  const { questions, permalink } = facts({ '_config.yml': 'url: https://a.example\npermalink: ordinal\n' });
  t.is(permalink, '/:year/:month/:day/:slug.html');
  t.like(questions, [{ flag: 'permalink', fallback: '/:year/:month/:day/:slug.html' }]);
});

test('posts with a permalink of their own show the rule', (t) => {
  const post = '---\npermalink: /log/beans/\nlayout: entry\n---\n';
  const found = facts({ '_config.yml': 'url: https://a.example\n', '_posts/2025-03-02-beans.md': post });
  t.is(found.permalink, '/log/:slug/');
  t.deepEqual(found.frontMatter, { layout: 'entry' });
});

test('a layout that defaults give is not written again', (t) => {
  const config = 'defaults:\n  - scope: { path: "" }\n    values: { layout: post }\n';
  t.deepEqual(facts({ '_config.yml': config }).frontMatter, {});
});

// Which scopes apply was seen with Jekyll 4.3.1.
test('defaults apply to the posts whose folder, relative to source and without collections_dir, they name', (t) => {
  const frontMatter = (path: string, config = 'source: src\ncollections_dir: pages\n') =>
    facts({
      '_config.yml': `${config}defaults:\n  - scope: { path: "${path}" }\n    values: { layout: essay }\n`,
      'src/_layouts/post.html': '',
    }).frontMatter;
  for (const path of ['', '_posts', 'pages/_posts', 'pages/_posts/', 'pages/*', 'pages/_posts/**/*'])
    t.deepEqual(frontMatter(path), {}, path);
  for (const path of ['src/pages/_posts', 'pages', '*', 'pages/_posts/*/*', 'about'])
    t.deepEqual(frontMatter(path), { layout: 'post' }, path);
});

test('posts in folders below _posts show the layout, too', (t) => {
  const found = inspect(
    siteOf({
      '_config.yml': '',
      '_layouts/default.html': '',
      '_layouts/entry.html': '',
      '_posts/2025/2025-03-02-beans.md': '---\nlayout: entry\n---\n',
    }),
  );
  t.deepEqual(found.frontMatter, { layout: 'entry' });
});

test('an output folder outside of the site is replaced by one in it, which the build command names', (t) => {
  const found = facts({ '_config.yml': 'url: https://a.example\ndestination: ../public\n' });
  t.like(found, { output: '_site', build: 'jekyll build --destination _site' });
  t.true(found.ignore.includes('_site/'));
  t.regex(found.warnings[0]?.text ?? '', /^destination in _config\.yml is "\.\.\/public", outside/);
  t.is(facts({ '_config.yml': 'destination: /srv/www\n' }).output, '_site');
});

test('the switch against Liquid is used where the version is known to have it', (t) => {
  const has = (texts: Readonly<Record<string, string>>) =>
    readOptions(siteOf({ '_config.yml': '', ...texts })).templateSwitch;
  t.false(has({}));
  t.true(has({ 'Gemfile.lock': 'GEM\n  specs:\n    jekyll (4.3.2)\n' }));
  t.false(has({ 'Gemfile.lock': 'GEM\n  specs:\n    jekyll (3.10.0)\n' }));
  t.true(has({ Gemfile: 'gem "jekyll", "~> 4.3"\n' }));
  t.false(has({ Gemfile: '# gem "jekyll", "~> 4.3"\ngem "github-pages", group: :jekyll_plugins\n' }));
});

test('the site is built by Bundler where its Gemfile has Jekyll, by npm where its script runs Jekyll', (t) => {
  t.is(facts({ '_config.yml': '', Gemfile: "gem 'jekyll'\n" }).build, 'bundle exec jekyll build');
  t.is(
    facts({ '_config.yml': '', 'package.json': '{"scripts":{"build":"jekyll build -d dist"}}' }).build,
    'npm run build',
  );
});

test('exclude lines are added below those that are there', (t) => {
  t.is(
    addExcludes('a: 1\nexclude: # mine\n  - x # one\n\n# end\nb: 2\n', ['p/']),
    'a: 1\nexclude: # mine\n  - x # one\n  - p/\n\n# end\nb: 2\n',
  );
  t.is(addExcludes('exclude:\n- x', ['p/', 'q']), 'exclude:\n- x\n- p/\n- q\n');
  t.is(addExcludes('exclude: [x, "y"] # z\n', ['p/']), 'exclude: [x, "y", "p/"] # z\n');
  t.is(addExcludes('exclude: []\n', ['p/']), 'exclude: ["p/"]\n');
  t.is(addExcludes('exclude:\nb: 2\n', ['p/']), 'exclude:\n  - p/\nb: 2\n');
  t.is(addExcludes('a: 1\r\n', ['p/']), 'a: 1\r\n\r\nexclude:\r\n  - p/\r\n');
  t.is(addExcludes('a: 1', ['p/']), 'a: 1\n\nexclude:\n  - p/\n');
  t.is(addExcludes('exclude: x\n', ['p/']), undefined);
  t.is(addExcludes('{ a: 1 }\n', ['p/']), undefined);
});

test('where the site may be built by Jekyll 3, a first exclude repeats what it would forget', (t) => {
  const text = (more: Readonly<Record<string, string>>) =>
    facts({ '_config.yml': '', ...more }).edits[0]?.text ?? '';
  t.regex(text({}), /- vendor\/bundle\//);
  t.notRegex(text({ Gemfile: 'gem "jekyll", "~> 4.3"' }), /vendor\/bundle|node_modules/);
  t.regex(text({ '_config.yml': 'exclude: [a]' }), /"node_modules\/"/);
  t.regex(text({}), /- plugins\//);
  t.notRegex(text({ 'plugins/guide.md': '' }), /- plugins\//);
});

test('dates have the offset of the site and are not quoted', (t) => {
  const { date } = mappingOf();
  t.deepEqual(date('2026-11-20T20:30:00.000Z'), { kind: 'timestamp', text: '2026-11-21 05:30:00 +0900' });
  t.deepEqual(date('2026-11-20T20:30:00.250Z'), { kind: 'timestamp', text: '2026-11-21 05:30:00.250 +0900' });
  t.deepEqual(mappingOf({ timeZone: 'America/St_Johns' }).date('2026-07-01T00:00:00Z'), {
    kind: 'timestamp',
    text: '2026-06-30 21:30:00 -0230',
  });
  t.deepEqual(mappingOf({ timeZone: 'UTC' }).date('2026-07-01'), {
    kind: 'timestamp',
    text: '2026-07-01 00:00:00 +0000',
  });
});

test('Jekyll reads posts whose name begins with a date', (t) => {
  const { isArticlePath, slug } = mappingOf();
  for (const path of ['2025-03-02-a.md', 'sub/2025-3-2-a.markdown', '25-03-02-a.html', '2025-03-02-a.mkd'])
    t.true(isArticlePath(path), path);
  for (const path of ['a.md', '2025-03-02.md', '2025-03-02-a.txt', '_2025-03-02-a.md', '.2025-03-02-a.md'])
    t.false(isArticlePath(path), path);
  t.is(slug({ path: 'sub/2025-03-02-late-frost.markdown', data: {} }), 'late-frost');
  t.is(slug({ path: '2025-03-02-late-frost.md', data: { slug: 'frost' } }), 'frost');
});

test('an address is certain where a literal permalink names it', (t) => {
  const { isPinned, pin } = mappingOf();
  t.deepEqual(pin('/a/b/'), { permalink: '/a/b/' });
  const at = (permalink: unknown) => isPinned({ path: '2025-03-02-a.md', data: { permalink } }, '/a/b/');
  t.deepEqual(['/a/b/', 'a/b/', '/a/b', '/a/:title/', 'pretty', undefined].map(at), [
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('drafts and posts of the future have no page', (t) => {
  const now = new Date('2026-11-20T12:00:00Z');
  const { hidden } = mappingOf();
  const path = '2026-11-20-a.md';
  t.is(hidden({ path, data: { published: false } }, now), 'draft');
  t.is(hidden({ path, data: {} }, now), undefined);
  t.is(hidden({ path: '2026-11-21-a.md', data: {} }, now), 'future');
  t.is(hidden({ path, data: { date: '2026-11-20 22:00:00 +0900' } }, now), 'future');
  t.is(hidden({ path, data: { date: '2026-11-20 20:59:00 +0900' } }, now), undefined);
  t.is(hidden({ path: '2026-11-21-a.md', data: { date: new Date('2026-11-19') } }, now), undefined);
  t.is(mappingOf({ futurePages: true }).hidden({ path: '2199-01-01-a.md', data: {} }, now), undefined);
});

test('two spellings of a tag have one page', (t) => {
  const { tagKey } = mappingOf();
  t.is(tagKey('Soil'), tagKey('soil'));
  t.is(tagKey('../x'), 'x');
  t.is(tagKey('Süße Böden!'), 'süße-böden');
  t.is(tagKey('---'), '');
});

test('an image is an address that the filters of Jekyll accept', (t) => {
  const { image } = mappingOf();
  t.is(image('https://a.example/x%20y.jpg?w=1'), 'https://a.example/x%20y.jpg?w=1');
  t.is(image('https://a.example/[x] y.jpg'), 'https://a.example/%5Bx%5D%20y.jpg');
  t.is(image('*[HTML]: {{ x }}'), '*%5BHTML%5D%3A%20%7B%7B%20x%20%7D%7D');
});

test('doctor names what keeps articles from being displayed', (t) => {
  const texts = (config: string, more = {}) =>
    jekyll
      .problems(
        siteOf({ '_config.yml': config, '_posts/2025-03-02-a.md': POST, '_layouts/post.html': '', ...more }),
        {
          siteUrl: 'https://a.example',
          content: '_posts',
          output: '_site',
        },
      )
      .map(({ text }) => text)
      .join('\n');
  const fine =
    'exclude: [.pressmark, pressmark.config.mjs, package.json, package-lock.json, node_modules, vendor, plugins]\nurl: https://a.example\n';
  t.is(texts(fine), '');
  t.regex(texts(`${fine}baseurl: /b\n`), /at https:\/\/a\.example\/b in _config\.yml/);
  t.regex(texts('url: https://a.example\n'), /does not exclude \.pressmark\//);
  t.regex(texts(`${fine}include: [.env]\n`), /publishes \.env/);
  t.regex(texts(fine.replace(/url: .*/, 'baseurl: /b')), /^baseurl in _config\.yml is "\/b", but siteUrl is/);
  t.regex(texts(fine.replace(/url: .*\n/, '')), /^_config\.yml has no url/);
  t.regex(texts(`${fine}markdown: CommonMark\n`), /renderer is CommonMark/);
  t.regex(texts(`${fine}show_drafts: true\n`), /show_drafts/);
  t.regex(
    texts(fine, {
      '_posts/2025-03-03-b.md': '---\nlayout: gone\n---\n',
      '_posts/2025-03-02-a.md': '---\nlayout: gone\n---\n',
    }),
    /no layout gone/,
  );
  t.regex(texts(fine, { '_posts/notes.md': '' }), /ignores notes\.md/);
  t.regex(
    texts(fine, { 'travel/italy/_posts/2025-03-02-a.md': POST }),
    /^Jekyll also reads posts from travel\/italy\/_posts, and Pressmark from _posts alone/,
  );
  t.regex(texts('url: [\n'), /cannot be read/);
});
