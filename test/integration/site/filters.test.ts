import { join } from 'node:path';
import test from 'ava';
import { builtAnew, put, SITE_URL, type TestSiteOptions, testSite } from './test-site.js';

const noLuck = (): never => {
  throw new Error('no luck');
};

test('every filter reaches every page, in the order in which a page is made', async (t) => {
  const order: Record<string, string> = {};
  const note = (path: string, name: string) => {
    order[path] = `${order[path] ?? ''} ${name}`.trim();
  };
  const pathOf = (url: string) => url.slice(SITE_URL.length);
  const withoutComments = (html: string) => html.replace(/<!--.*?-->/gs, '');
  const filters: NonNullable<TestSiteOptions['filters']>[string] = {
    'page.context': (value, { path }) => {
      note(path, 'context');
      return { ...value, title: `${value.title}!` };
    },
    'page.head': (value, { canonical }) => {
      note(pathOf(canonical), 'head');
      return `${value}<meta name="x" content="y">`;
    },
    'page.content': (value, { canonical }) => {
      note(pathOf(canonical), 'content');
      return withoutComments(value).replace('The body', 'Our body');
    },
    'page.html': (value, { path }) => {
      note(path, 'html');
      return `${withoutComments(value)}<!-- minified -->`;
    },
    'feed.items': (items, { kind, path }) => {
      note(path, kind);
      return items.map((item) => ({ ...item, title: `For ${path}` }));
    },
    'articles.listed': (articles, { kind }) => (kind === 'home' ? [] : articles),
    'article.related': (related, { url }) =>
      related.map((one) => ({ ...one, title: `Beside ${pathOf(url)}` })),
  };
  const site = testSite(t, { settings: { search: true }, filters: { test: filters } });
  for (const slug of ['a', 'b']) site.write(slug);
  put(join(site.options.content.root, 'pages/about.md'), '---\ntitle: About\n---\nThe body of a page.\n');
  t.is((await site.builder.build('all')).failed, 0);

  const texts = ['/articles/a/', '/articles/b/', '/about/'];
  const others = ['/', '/archive/', '/tags/', '/tags/one/', '/authors/ada/', '/search/', '/404.html'];
  const feeds = ['/feed.xml', '/rss.xml', '/feed.json'];
  t.deepEqual(order, {
    ...Object.fromEntries(texts.map((path) => [path, 'context head content html'])),
    ...Object.fromEntries(others.map((path) => [path, 'context head html'])),
    ...Object.fromEntries(feeds.map((path) => [path, 'feed'])),
  });
  const fileOf = (path: string) => site.page(path.replace(/\/$/, '/index.html').slice(1));
  for (const path of [...texts, ...others]) {
    t.regex(fileOf(path), /<title>[^<]*!/, path);
    for (const part of ['<meta name="x" content="y">', '<!-- minified -->'])
      t.true(fileOf(path).includes(part), `${path}: ${part}`);
  }
  for (const part of ['Our body of a', 'Beside /articles/a/', '<!-- svc:item:a -->'])
    t.true(fileOf('/articles/a/').includes(part), part);
  t.true(fileOf('/about/').includes('Our body of a page'));
  t.true(fileOf('/archive/').includes('Title of b') && !fileOf('/').includes('Title of b'));
  for (const path of feeds) t.true(fileOf(path).includes(`For ${path}`), path);
});

test('no filter can remove json_ld or the item comment', async (t) => {
  const site = testSite(t, {
    filters: { test: { 'page.context': (value) => ({ ...value, article: null }), 'page.content': () => '' } },
  });
  site.write('a');
  await site.builder.build('all');
  const page = site.page('articles/a/index.html');
  t.true(page.includes('<script type="application/ld+json">{"name":"a"}</script>'));
  t.true(page.includes('<!-- svc:item:a -->'));
});

test('what a filter changes in place is on that page alone, and nowhere if the filter then fails', async (t) => {
  const overwrite = (value: object): void => {
    for (const [key, one] of Object.entries(value))
      if (typeof one === 'object' && one !== null) overwrite(one);
      else if (key === 'title') Object.assign(value, { title: 'Overwritten' });
  };
  const spoil = (value: object): never => {
    overwrite(value);
    return noLuck();
  };
  const names = ['articles.listed', 'article.related', 'feed.items', 'sitemap.items'];
  const site = testSite(t, {
    filters: {
      test: {
        'page.context': (context) => {
          if (context.kind === 'home' || context.canonical.endsWith('/b/')) overwrite(context);
          return context;
        },
      },
      ...Object.fromEntries(names.map((name) => [`bad-${name}`, { [name]: spoil }])),
    },
  });
  for (const slug of ['a', 'b']) site.write(slug);
  t.true((await site.builder.build('all')).failed > 0);
  const overwritten = Object.entries(site.output()).filter(([, text]) => text.includes('Overwritten'));
  t.deepEqual(
    overwritten.map(([file]) => file),
    ['articles/b/index.html', 'index.html'],
  );
});

test('the page of an article is made again, although its key has not changed, where that is asked for', async (t) => {
  let made = 0;
  const site = testSite(t, { filters: { test: { 'page.content': (html) => `${html}<p>${++made}</p>` } } });
  const [a = ''] = ['a', 'b'].map((slug) => site.write(slug));
  await site.builder.build('all');
  await site.builder.build([a]);
  t.is(made, 2);
  const { files } = await site.builder.build([a], { anew: [a] });
  t.deepEqual([made, files], [3, ['articles/a/index.html']]);
});

for (const [name, work] of [
  ['page.html', (html: string) => `${html}<!-- its work -->`],
  ['feed.items', (items: { title: string }[]) => items.map((one) => ({ ...one, title: 'its work' }))],
  ['sitemap.items', (items: object[]) => [...items, { url: `${SITE_URL}/#its%20work`, article: null }]],
] as const)
  test(`${name}: where a filter fails the page is made with the work of the others, and again, with all, by a later build`, async (t) => {
    let calls = 0;
    const failsFirst = <T>(value: T): T => (calls++ === 0 ? noLuck() : value);
    const site = testSite(t, { filters: { bad: { [name]: failsFirst }, good: { [name]: work } } });
    site.write('a');
    t.is((await site.builder.build('all')).failed, 1);
    const words = `filter ${name} of plugin bad failed: no luck`;
    const [line = '{}', ...others] = site.logged;
    const { page, reason } = JSON.parse(line);
    t.deepEqual([reason, others], [words, []]);
    t.regex(site.page(page), /its(?: |%20)work/);

    const tried = calls;
    t.like(await site.builder.build([]), { failed: 1, pages: 0, failures: [{ page, reason: words }] });
    t.is(calls, tried, 'a build after a change elsewhere does not wait for it');
    t.like(await site.builder.build('all'), { failed: 0, pages: 1 }, 'although nothing has changed');
    t.deepEqual(site.output(), await builtAnew(site.options));
  });

test('old files with a hash in their names go also while a filter always fails on one page', async (t) => {
  const bad = (html: string, { path }: { readonly path: string }) =>
    path === '/articles/a/' ? noLuck() : html;
  const site = testSite(t, { filters: { test: { 'page.html': bad } } });
  site.write('a');
  await site.builder.build('all');
  put(join(site.options.templatesDir, 'custom.css'), 'p { color: red }');
  t.is((await site.builder.build('all')).failed, 1);
  t.is(Object.keys(site.output()).filter((file) => /^assets\/style\..*css$/.test(file)).length, 1);
});

test('a filter that fails on three pages in a row is switched off in all pages, until the next start', async (t) => {
  const slugs = ['a', 'b', 'c', 'd', 'e'];
  const failing = new Set(['/articles/b/', '/articles/c/', '/articles/d/']);
  const html = (page: string, { path }: { readonly path: string }) =>
    failing.has(path) ? noLuck() : `${page}<!-- filtered -->`;
  const filters = { test: { 'page.html': html } };
  const site = testSite(t, { filters });
  for (const slug of slugs) site.write(slug);
  const filtered = () =>
    slugs.filter((slug) => site.page(`articles/${slug}/index.html`).includes('<!-- filtered -->'));
  t.is((await site.builder.build('all')).failed, 3);
  t.deepEqual(filtered(), ['a']);
  t.is((await site.builder.build('all')).failed, 0);
  t.deepEqual(filtered(), []);
  t.is((await site.builder.build('all')).written, 0);
  const lines = site.logged.filter((line) => line.includes('switched off'));
  t.is(lines.length, 1);
  t.regex(lines[0] ?? '', /filter page\.html of plugin test is switched off: it has failed on 3 pages/);
  await site.builder.close();
  failing.clear();
  await testSite(t, { filters, dir: site.dir }).builder.build('all');
  t.deepEqual(filtered(), slugs);
});
