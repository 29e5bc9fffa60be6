import fs from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createBuilder } from '../../../src/site/builder/builder.js';
import { put, type TestSite, testSite } from './test-site.js';

/** Writes a file of the site's own theme. */
function ownFile(site: TestSite, name: string, text: string): void {
  put(join(site.options.templatesDir, name), text);
}

const styleSheets = (site: TestSite) =>
  Object.keys(site.output()).filter((file) => /^assets\/style\..*\.css$/.test(file));

test('the style sheet holds the accent colour and what custom.css adds, and its name says what is in it', async (t) => {
  const site = testSite(t, { settings: { accent: { light: '#0a7d5c', dark: '#39c79f' } } });
  site.write('a');
  await site.builder.build('all');
  const [before = ''] = styleSheets(site);
  t.true(site.page(before).includes('--accent-light: #0a7d5c'));
  t.true(Buffer.byteLength(site.page(before)) < 20_000);
  t.true(site.page('index.html').includes(`<link rel="stylesheet" href="/${before}">`));

  ownFile(site, 'custom.css', '.mine { color: teal }');
  await site.builder.build('all');
  const [after = '', ...others] = styleSheets(site);
  t.deepEqual(others, []);
  t.not(after, before);
  t.true(site.page(after).includes('.mine { color: teal }'));
  for (const file of ['index.html', 'articles/a/index.html', '404.html'])
    t.true(site.page(file).includes(`href="/${after}"`), file);
});

test('an old style sheet stays as long as a page names it: one of a malformed article, or of a template that fails', async (t) => {
  const site = testSite(t);
  const path = site.write('a');
  site.write('b');
  await site.builder.build('all');
  const [before = ''] = styleSheets(site);

  const file = join(site.options.content.root, path);
  const good = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, good.replace('title: "', 'title: ["'));
  ownFile(site, 'custom.css', '.mine { color: teal }');
  const again = testSite(t, { dir: site.dir });
  await again.builder.build('all');
  t.true(site.page('articles/a/index.html').includes(before) && site.has(before));
  t.false(site.page('articles/b/index.html').includes(before));

  fs.writeFileSync(file, good);
  await again.builder.build([path]);
  const [present = '', ...others] = styleSheets(site);
  t.deepEqual(others, []);

  ownFile(site, 'custom.css', '.mine { color: red }');
  ownFile(site, 'article.eta', '<%= it.no.such.thing %>');
  t.is((await again.builder.build('all')).failed, 2);
  t.true(site.page('articles/a/index.html').includes(present) && site.has(present));
  fs.rmSync(join(site.options.templatesDir, 'article.eta'));
  await again.builder.build('all');
  t.is(styleSheets(site).length, 1);
  t.false(site.has(present));
});

test('assets are copied byte by byte, and have a link that changes with their content', async (t) => {
  const site = testSite(t);
  const path = join(site.options.templatesDir, 'assets/fonts/x.woff2');
  ownFile(site, 'partials/footer.eta', `<a href="<%= it.asset('fonts/x.woff2') %>">`);
  ownFile(site, 'assets/.DS_Store', 'x');
  ownFile(site, 'root/mine.txt', 'one');
  const linked = async (bytes: number[]) => {
    put(path, '');
    fs.writeFileSync(path, Buffer.from(bytes));
    const time = new Date('2026-01-01'); // as a copy leaves it that keeps times
    fs.utimesSync(path, time, time);
    await site.builder.build('all');
    const [, file = ''] =
      /<a href="\/(assets\/fonts\/x\.[0-9a-f]{8}\.woff2)">/.exec(site.page('index.html')) ?? [];
    t.deepEqual([...fs.readFileSync(join(site.options.outputDir, file))], bytes);
    return file;
  };
  const first = await linked([0x89, 0, 0xff, 0xfe]);
  t.true(site.has('assets/fonts/x.woff2') && !site.has('assets/.DS_Store'));
  t.like(await site.builder.build('all'), { written: 0, removed: 0 });
  ownFile(site, 'root/mine.txt', 'two');
  await site.builder.build('all');
  t.is(site.page('mine.txt'), 'two', 'a file for the top of the site');
  t.not(await linked([0xfe, 0xff, 0, 0x89]), first);
  t.false(site.has(first));

  ownFile(site, 'partials/footer.eta', '');
  fs.rmSync(join(site.options.templatesDir, 'assets'), { recursive: true });
  t.is((await site.builder.build('all')).removed, 2, 'under both of its names');
  t.false(site.has('assets/fonts'));
  ownFile(site, 'home.eta', `<%= it.asset('no.jpg') %>`);
  await site.builder.build('all');
  t.regex(site.logged.join(''), /there is no asset no\.jpg/);
});

test('name, logo, navigation and language of the config stand on every page; below a base path links begin with it, and the paths of files do not', async (t) => {
  const site = testSite(t, {
    url: 'https://x.example/blog',
    settings: {
      title: 'Études',
      language: 'de-AT',
      timeZone: 'Asia/Tokyo',
      logo: { src: '/assets/logo.png', width: 120, height: 30 },
      navigation: [
        { label: 'Über & unter', href: '/archive/' },
        { label: 'Elsewhere', href: 'https://other.example/' },
      ],
    },
  });
  site.write('a', { date: '2026-11-02T20:00:00Z' });
  t.is((await site.builder.build('all')).failed, 0);
  for (const file of ['index.html', 'articles/a/index.html', '404.html'])
    for (const part of [
      '<html lang="de-AT" dir="ltr">',
      '<img class="logo" src="/blog/assets/logo.png" alt="" width="120" height="30">',
      '<a href="https://other.example/">Elsewhere</a>',
      'Über &amp; unter</a>',
      'Zum Inhalt',
    ])
      t.true(site.page(file).includes(part), `${file}: ${part}`);
  t.true(site.page('archive/index.html').includes('href="/blog/archive/" aria-current="page"'));
  t.true(site.page('archive/index.html').includes('<title>Archiv · Études</title>'));
  const article = site.page('articles/a/index.html');
  t.true(article.includes('<time datetime="2026-11-02T20:00:00.000Z">3. November 2026</time>'));
  t.true(site.page('favicon.svg').includes('>É</text>'));
  t.true(article.includes('href="/blog/tags/one/"'));
  const home = site.page('index.html');
  t.true(home.includes('<link rel="canonical" href="https://x.example/blog/">'));
  for (const file of ['articles/a/"', 'assets/style.', 'favicon.svg', 'feed.xml'])
    t.true(home.includes(`href="/blog/${file}`), file);
  t.true(site.page('sitemap.xml').includes('<loc>https://x.example/blog/articles/a/</loc>'));
  t.false(site.has('robots.txt'));
});

test('every language of the theme says everything, and the docs say how small the style sheet is', (t) => {
  const folder = new URL('../../../../templates/words/', import.meta.url);
  const words = (name: string): Record<string, string> =>
    JSON.parse(fs.readFileSync(new URL(name, folder), 'utf8'));
  const places = (phrase = '') => (phrase.match(/\{\w+\}/g) ?? []).sort();
  const english = words('en.json');
  for (const name of fs.readdirSync(folder)) {
    t.deepEqual(Object.keys(words(name)), Object.keys(english), name);
    for (const [key, phrase] of Object.entries(words(name)))
      t.deepEqual(places(phrase), places(english[key]), `${name}: ${key}`);
  }
  const { size } = fs.statSync(new URL('../style.css', folder));
  const docs = fs.readFileSync(new URL('../../docs/themes.md', folder), 'utf8');
  const said = Number(/The style sheet has (\d+) KB/.exec(docs)?.[1]);
  t.true(Math.abs(said - size / 1_000) < 1, `the docs say ${said} KB, it has ${size} bytes`);
});

test('front matter of one’s own reaches templates, in lists too, and names the template of an article', async (t) => {
  const site = testSite(t);
  ownFile(site, 'landing.eta', "<% layout('./layout') %>Landing: <%= it.article.extra.hero.alt %>");
  ownFile(site, 'home.eta', '<% it.articles.forEach(({ extra }) => { %>[<%= extra.series %>]<% }) %>');
  const long = 'long '.repeat(1_000);
  site.write('a', { extra: { layout: 'landing', hero: { alt: 'A bed' }, series: 'Soil', long } });
  site.write('b', { extra: { layout: 'post', series: 'Moss' }, date: '2026-11-03T08:00:00Z' });
  t.is((await site.builder.build('all')).failed, 0);
  t.true(site.page('articles/a/index.html').includes('Landing: A bed'));
  t.true(site.page('articles/b/index.html').includes('The body of b'), 'there is no post.eta');
  t.is(site.page('index.html'), '[Moss][Soil]');

  const again = testSite(t, { dir: site.dir });
  await again.builder.build([site.write('b', { extra: { series: 'Fern' }, date: '2026-11-03T08:00:00Z' })]);
  t.is(site.page('index.html'), '[Fern][Soil]');
  await again.builder.close();
  const state = fs.readFileSync(join(site.options.stateDir, 'site.json'), 'utf8');
  t.false(state.includes('long long'), 'the index holds no long values');
});

test('a page of the owner’s is made, linked where it says so, kept while it is malformed, and goes with its file', async (t) => {
  const site = testSite(t);
  site.write('a');
  const file = (name: string) => join(site.options.content.root, 'pages', name);
  const about = '---\ntitle: About us\nnavigation: true\norder: 2\n---\nWe *write*.\n';
  put(file('about.md'), about);
  put(file('legal/imprint.md'), '---\ntitle: Imprint\nnavigation: Legal\norder: 1\n---\nWords.\n');
  put(file('hidden.md'), '---\ntitle: Hidden\nlayout: bare\n---\nWords.\n');
  put(file('tags.md'), '---\ntitle: Not these\n---\n');
  ownFile(site, 'bare.eta', 'Bare: <%= it.page.title %>');
  t.is((await site.builder.build('all')).failed, 0);
  const page = () => site.page('about/index.html');
  t.true(page().includes('<h1>About us</h1>') && page().includes('We <em>write</em>.'));
  const links = /<a href="\/legal\/imprint\/">Legal<\/a>\s*<a href="\/about\/"[^>]*>About us<\/a>/;
  t.regex(site.page('articles/a/index.html'), links);
  t.is(site.page('hidden/index.html'), 'Bare: Hidden');
  t.false(site.page('tags/index.html').includes('Not these'));
  t.false(site.page('index.html').includes('/hidden/'));

  const before = site.output();
  put(file('about.md'), '---\ntitle: ["About\n---\n');
  await site.builder.build('all');
  t.deepEqual(site.output(), before);
  t.regex(site.logged.join(''), /pages\/about\.md.*malformed/);
  ownFile(site, 'partials/footer.eta', '<footer>Another one</footer>\n');
  const again = testSite(t, { dir: site.dir });
  await again.builder.build('all');
  t.regex(site.page('articles/a/index.html'), links);
  t.true(page().includes('We <em>write</em>.') && page().includes('Another one'));
  put(file('about.md'), about.replace('write', 'dig'));
  await again.builder.build('all');
  t.true(page().includes('We <em>dig</em>.'));

  fs.rmSync(file('about.md'));
  await again.builder.build('all');
  t.false(site.has('about'));
  t.false(site.page('articles/a/index.html').includes('About us'));
});

test('a theme’s files stand in place of those of its parent, and the site’s own in place of the theme’s', async (t) => {
  const site = testSite(t);
  site.write('a');
  const [parent, theme] = [join(site.dir, 'parent'), join(site.dir, 'theme')];
  put(join(parent, 'partials/footer.eta'), 'parent footer <%~ include("./partials/more") %>');
  put(join(parent, 'partials/more.eta'), 'parent more');
  put(join(parent, 'style.css'), '.parent {}');
  put(join(parent, 'words/en.json'), '{ "archive": "Parent archive", "tags": "Parent tags" }');
  put(join(theme, 'partials/more.eta'), 'theme more');
  put(join(theme, 'custom.css'), '.theme {}');
  put(join(theme, 'words/en.json'), '{ "tags": "Theme tags" }');
  put(join(theme, 'assets/a.txt'), 'theme');
  ownFile(site, 'custom.css', '.mine {}');
  ownFile(site, 'assets/b.txt', 'mine');
  ownFile(site, 'favicon.svg', '<svg xmlns="http://www.w3.org/2000/svg"><!-- mine --></svg>');
  const others = [parent, theme].map((dir) => ({ kind: 'theme', dir }) as const);
  const builder = createBuilder({ ...site.options, themeDirs: [...others, ...site.options.themeDirs] });
  t.teardown(() => builder.close());
  t.is((await builder.build('all')).failed, 0);
  const page = site.page('articles/a/index.html');
  for (const part of ['parent footer theme more', 'Parent archive', 'Theme tags'])
    t.true(page.includes(part), part);
  const [style = ''] = styleSheets(site);
  t.regex(site.page(style), /^\.parent \{\}\n\.theme \{\}\n\.mine \{\}\n/);
  t.is(site.page('assets/a.txt') + site.page('assets/b.txt'), 'thememine');
  t.true(site.page('favicon.svg').includes('mine'));
});
