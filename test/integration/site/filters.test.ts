import fs from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import type { PagesFilterName } from '../../../src/host/hooks/hook-types.js';
import type { Hooks } from '../../../src/host/hooks/hooks.js';
import type {
  ArticleLink,
  ArticleSummary,
  FeedItem,
  PageContext,
  SitemapItem,
} from '../../../src/host/pages/page-types.js';
import { builtAnew, put, SITE_URL, testSite } from './test-site.js';

const options = { plugin: 'test' };

test('every filter reaches every page, in the order in which a page is made', async (t) => {
  const order = new Map<string, string[]>();
  const note = (path: string, name: string) => order.set(path, [...(order.get(path) ?? []), name]);
  const noteAt = (url: string, name: string) => note(url.replace('https://x.example', ''), name);
  const withoutComments = (html: string) => html.replace(/<!--.*?-->/gs, '');
  const addHooks = ({ addFilter }: Hooks) => {
    addFilter(
      'page.context',
      (value, { path }) => {
        note(path, 'context');
        return { ...value, title: `${value.title}!`, extra: { x: 1 } };
      },
      options,
    );
    addFilter(
      'page.head',
      (value, { canonical }) => {
        noteAt(canonical, 'head');
        return `${value}<meta name="x" content="y">`;
      },
      options,
    );
    addFilter(
      'page.content',
      (value, { canonical }) => {
        noteAt(canonical, 'content');
        return withoutComments(value).replace('The body', 'Our body');
      },
      options,
    );
    addFilter(
      'page.html',
      (value, { path }) => {
        note(path, 'html');
        return `${withoutComments(value)}<!-- minified -->`;
      },
      options,
    );
    addFilter(
      'feed.items',
      (items, { kind, path }) => {
        note(path, kind);
        return items.map((item) => ({ ...item, title: `For ${path}` }));
      },
      options,
    );
  };
  const site = testSite(t, { settings: { search: true }, addHooks });
  site.write('a');
  t.is((await site.builder.build('all')).failed, 0);

  const others = ['/', '/archive/', '/tags/', '/tags/one/', '/authors/ada/', '/search/', '/404.html'];
  const feeds = ['/feed.xml', '/rss.xml', '/feed.json'];
  t.deepEqual(Object.fromEntries(order), {
    '/articles/a/': ['context', 'head', 'content', 'html'],
    ...Object.fromEntries(others.map((path) => [path, ['context', 'head', 'html']])),
    ...Object.fromEntries(feeds.map((path) => [path, ['feed']])),
  });
  const fileOf = (path: string) => site.page(path.replace(/\/$/, '/index.html').slice(1));
  for (const path of [...others, '/articles/a/']) {
    t.regex(fileOf(path), /<title>[^<]*!/, path);
    for (const part of ['<meta name="x" content="y">', '<!-- minified -->'])
      t.true(fileOf(path).includes(part), `${path}: ${part}`);
  }
  for (const part of ['Title of a!', 'Our body of a', '<!-- svc:item:a -->'])
    t.true(fileOf('/articles/a/').includes(part), part);
  for (const path of feeds) t.true(fileOf(path).includes(`For ${path}`), path);
});

test('filters choose the articles of lists and the related ones of an article', async (t) => {
  const site = testSite(t, {
    addHooks: ({ addFilter }) => {
      addFilter(
        'articles.listed',
        (articles, { kind }) =>
          kind === 'home' ? articles.filter(({ title }) => title !== 'Title of b') : articles,
        options,
      );
      addFilter(
        'article.related',
        (related, { url }) => related.map((one) => ({ ...one, title: `Beside ${new URL(url).pathname}` })),
        options,
      );
    },
  });
  for (const id of ['a', 'b']) site.write(id);
  await site.builder.build('all');
  t.false(site.page('index.html').includes('Title of b'));
  t.true(site.page('archive/index.html').includes('Title of b'));
  t.true(site.page('articles/a/index.html').includes('Beside /articles/a/'));
});

test('no filter can remove json_ld or the item comment', async (t) => {
  const site = testSite(t, {
    addHooks: (hooks) => {
      hooks.addFilter('page.context', (value) => ({ ...value, article: null }), options);
      hooks.addFilter('page.content', () => '', options);
    },
  });
  site.write('a');
  await site.builder.build('all');
  const page = site.page('articles/a/index.html');
  t.true(page.includes('<script type="application/ld+json">{"name":"a"}</script>'));
  t.true(page.includes('<!-- svc:item:a -->'));
});

test('what a filter changes in place in the context of a page is on that page alone', async (t) => {
  const site = testSite(t, {
    addHooks: (hooks) =>
      hooks.addFilter(
        'page.context',
        (context) => {
          const { kind, article, articles } = context as unknown as {
            kind: string;
            article: { title: string; tags: string[] } | null;
            articles: { title: string }[];
          };
          if (kind === 'article' && article !== null) {
            article.title = 'Overwritten';
            article.tags.push('overwritten');
          }
          if (kind === 'home') for (const one of articles) one.title = 'Overwritten';
          return context;
        },
        options,
      ),
  });
  for (const slug of ['a', 'b']) site.write(slug, { title: `Title of ${slug}`, tags: ['Soil'] });
  await site.builder.build('all');
  await site.builder.build([site.write('b', { title: 'Newer b', tags: ['Soil'] })]);
  t.true(site.page('articles/b/index.html').includes('Overwritten'));
  for (const path of ['feed.xml', 'tags/soil/index.html']) {
    t.true(site.page(path).includes('Title of a'), path);
    t.true(site.page(path).includes('Newer b'), path);
    t.false(/overwritten/i.test(site.page(path)), path);
  }
});

test('page.content also changes the pages that a person has written', async (t) => {
  const site = testSite(t, {
    addHooks: (hooks) =>
      hooks.addFilter('page.content', (html, { page }) => `${html}<p>${page?.title} ends.</p>`, options),
  });
  const path = join(site.options.content.root, 'pages/about.md');
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, '---\ntitle: About\n---\n\nWho we are.\n');
  await site.builder.build('all');
  t.regex(site.page('about/index.html'), /Who we are\.<\/p>\s*<p>About ends\.<\/p>/);
});

test('the page of an article is made again, although its key has not changed, where that is asked for', async (t) => {
  let made = 0;
  const site = testSite(t, {
    addHooks: (hooks) => hooks.addFilter('page.content', (html) => `${html}<p>${++made}</p>`, options),
  });
  const [a] = ['a', 'b'].map((slug) => site.write(slug));
  await site.builder.build('all');
  t.is(made, 2);
  await site.builder.build([a ?? '']);
  t.is(made, 2);
  const { files } = await site.builder.build([a ?? ''], { anew: [a ?? ''] });
  t.deepEqual([made, files], [3, ['articles/a/index.html']]);
});

/** What a plugin that works makes of a value, for each filter of pages. */
const WORK: Readonly<Record<PagesFilterName, (value: never) => unknown>> = {
  'page.context': (context: PageContext) => ({ ...context, title: 'its work' }),
  'page.head': (head: string) => `${head}<meta name="x" content="its work">`,
  'page.content': (html: string) => `${html}its work`,
  'page.html': (html: string) => `${html}<!-- its work -->`,
  'articles.listed': (articles: ArticleSummary[]) => articles.map((one) => ({ ...one, title: 'its work' })),
  'article.related': (links: ArticleLink[]) => links.map((one) => ({ ...one, title: 'its work' })),
  'feed.items': (items: FeedItem[]) => items.map((one) => ({ ...one, title: 'its work' })),
  'sitemap.items': (items: SitemapItem[]) => [...items, { url: `${SITE_URL}/#its%20work`, article: null }],
};

for (const [name, work] of Object.entries(WORK) as ['page.html', (html: string) => string][])
  test(`${name}: where a filter fails the page is made with the work of the others, and again, with all, by a later build`, async (t) => {
    let calls = 0;
    const failsFirst = <T>(value: T): T => {
      if (calls++ === 0) throw new Error('no luck');
      return value;
    };
    const site = testSite(t, {
      addHooks: ({ addFilter }) => {
        addFilter(name, failsFirst, { plugin: 'bad' });
        addFilter(name, work, { plugin: 'good' });
      },
    });
    for (const slug of ['a', 'b']) site.write(slug);
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

test('what a filter has changed in place before it failed is not in the page', async (t) => {
  const spoil = (value: object): never => {
    for (const one of Object.values(value)) if (typeof one === 'object' && one !== null) spoilAll(one);
    throw new Error('no luck');
  };
  const spoilAll = (value: Record<string, unknown>) => {
    for (const [key, one] of Object.entries(value))
      if (typeof one === 'object' && one !== null) spoilAll(one as Record<string, unknown>);
      else value[key] = 'spoilt';
  };
  const site = testSite(t, {
    addHooks: ({ addFilter }) => {
      for (const name of [
        'page.context',
        'articles.listed',
        'article.related',
        'feed.items',
        'sitemap.items',
      ])
        addFilter(name as 'page.context', spoil, { plugin: `bad-${name}` });
    },
  });
  for (const slug of ['a', 'b']) site.write(slug);
  t.true((await site.builder.build('all')).failed > 0);
  t.false(JSON.stringify(site.output()).includes('spoilt'));
});

test('old files with a hash in their names go also while a filter always fails on one page', async (t) => {
  const bad = (html: string, { path }: { readonly path: string }) => {
    if (path === '/articles/a/') throw new Error('no luck');
    return html;
  };
  const site = testSite(t, { addHooks: (hooks) => hooks.addFilter('page.html', bad, options) });
  for (const slug of ['a', 'b']) site.write(slug);
  await site.builder.build('all');
  put(join(site.options.templatesDir, 'custom.css'), 'p { color: red }');
  t.is((await site.builder.build('all')).failed, 1);
  t.is(Object.keys(site.output()).filter((file) => /^assets\/style\..*css$/.test(file)).length, 1);
});

test('a filter that fails on three pages in a row is switched off, and the site becomes one without it', async (t) => {
  const bad = () => {
    throw new Error('no luck');
  };
  const site = testSite(t, { addHooks: (hooks) => hooks.addFilter('page.html', bad, options) });
  const plain = testSite(t);
  for (const slug of ['a', 'b', 'c', 'd']) for (const one of [site, plain]) one.write(slug);
  t.is((await site.builder.build('all')).failed, 3);
  await plain.builder.build('all');
  t.deepEqual(Object.keys(site.output()), Object.keys(plain.output()), 'each page is there');
  t.is((await site.builder.build('all')).failed, 0);
  t.deepEqual(site.output(), plain.output());
  t.is((await site.builder.build('all')).written, 0);
  const lines = site.logged.filter((line) => line.includes('switched off'));
  t.is(lines.length, 1);
  t.regex(lines[0] ?? '', /filter page\.html of plugin test is switched off: it has failed on 3 pages/);
});

test('a filter that is switched off is in no page of the next build, and in all after the start', async (t) => {
  const slugs = ['a', 'b', 'c', 'd', 'e'];
  const failing = new Set(['/articles/b/', '/articles/c/', '/articles/d/']);
  const addHooks = (hooks: Hooks) =>
    hooks.addFilter(
      'page.html',
      (html, { path }) => {
        if (failing.has(path)) throw new Error('no luck');
        return `${html}<!-- filtered -->`;
      },
      options,
    );
  const site = testSite(t, { addHooks });
  for (const slug of slugs) site.write(slug);
  for (let n = 0; n < 2; n++) await site.builder.build('all');
  const filtered = () =>
    slugs.filter((slug) => {
      const page = `articles/${slug}/index.html`;
      return site.has(page) && site.page(page).includes('<!-- filtered -->');
    });
  t.deepEqual(filtered(), []);
  await site.builder.close();
  failing.clear();
  const next = testSite(t, { addHooks, dir: site.dir });
  await next.builder.build('all');
  t.deepEqual(filtered(), slugs);
});
