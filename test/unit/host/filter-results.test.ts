import test from 'ava';
import { pino } from 'pino';
import { draftOf } from '../../../src/article/article.js';
import type { ArticleData } from '../../../src/contract/envelope.js';
import { FILTERS, type FilterName } from '../../../src/host/hooks/hook-types.js';
import { createHooks } from '../../../src/host/hooks/hooks.js';
import type { FeedItem, PageContext } from '../../../src/host/pages/page-types.js';
import { article } from '../../support/events.js';

const silent = pino({ level: 'silent' });

const DRAFT = draftOf(article() as unknown as ArticleData);

const ITEM: FeedItem = {
  id: '1',
  title: 'Title',
  description: '',
  date: '2026-01-02T08:00:00Z',
  published: '2026-01-02T08:00:00.000Z',
  image: null,
  url: 'https://garden.example/articles/title/',
  updated: null,
  modified: null,
  author: '',
  tags: ['Soil'],
  excerpt: '',
  readingMinutes: 1,
  extra: {},
  html: '<p>Text</p>',
};

const ON_PAGE = {
  ...ITEM,
  keyword: '',
  jsonLd: '',
  toc: [],
  words: 1,
  previous: null,
  next: null,
  related: [],
};

const PAGE = {
  site: { url: 'https://garden.example' },
  kind: 'home',
  title: 'Garden',
  description: '',
  canonical: 'https://garden.example/',
  article: null,
  page: null,
  articles: [ITEM],
  tag: null,
  author: null,
  head: '',
  extra: {},
} as unknown as PageContext;

/** For each filter, a value that it may return, and values that plugins in JavaScript return by mistake. */
const VALUES: Readonly<
  Record<FilterName, { readonly fine: readonly unknown[]; readonly wrong: readonly unknown[] }>
> = {
  'article.draft': {
    fine: [DRAFT, { ...DRAFT, image: null }],
    wrong: [
      7,
      null,
      'text',
      [],
      {},
      { ...DRAFT, title: 7 },
      { ...DRAFT, tags: 'soil' },
      { ...DRAFT, tags: [7] },
    ],
  },
  'article.slug': { fine: ['slug', ''], wrong: [null, {}, 7, ['slug'], '\ud800'] },
  'article.frontMatter': {
    fine: [{}, { a: undefined, b: [1, { c: null }], d: new Date(0) }],
    wrong: [null, 'text', [], 7, { a: 1n }, { a: '\ud800' }, new Date(0)],
  },
  'page.context': {
    fine: [PAGE, { ...PAGE, kind: 'article', article: ON_PAGE }],
    wrong: [
      7,
      null,
      {},
      { ...PAGE, title: null },
      { ...PAGE, articles: [null] },
      { ...PAGE, articles: null },
      { ...PAGE, extra: null },
      { ...PAGE, article: { title: 'Title' } },
      { ...PAGE, article: { ...ON_PAGE, tags: 'soil' } },
      { ...PAGE, article: { ...ON_PAGE, image: 'no address' } },
    ],
  },
  'page.head': { fine: ['<meta>'], wrong: [{}, null, 7] },
  'page.content': { fine: ['<p>'], wrong: [{}, null, 7] },
  'page.html': { fine: ['<p>'], wrong: [12, null, {}] },
  'articles.listed': { fine: [[], [ITEM]], wrong: [null, {}, 'text', [null], [{}], [{ ...ITEM, title: 7 }]] },
  'article.related': { fine: [[], [ITEM]], wrong: [null, {}, [null], [{ ...ITEM, title: 7 }]] },
  'feed.items': {
    fine: [[], [ITEM]],
    wrong: [
      null,
      {},
      'text',
      [null],
      [{}],
      [{ ...ITEM, html: 7 }],
      [{ ...ITEM, image: 'no address' }],
      [{ ...ITEM, date: 'never' }],
    ],
  },
  'sitemap.items': {
    fine: [[], [{ url: 'https://garden.example/', article: null }]],
    wrong: [
      null,
      {},
      'text',
      [null],
      [{}],
      [{ url: '/a/' }],
      [{ url: 'https://garden.example/', lastmod: 'never' }],
    ],
  },
  'git.message': { fine: ['Publish: a'], wrong: [5, null, {}] },
};

for (const name of Object.keys(FILTERS) as FilterName[]) {
  test(`${name}: what is no value of this filter is a failure that names the filter and its plugin`, async (t) => {
    const apply = (value: unknown) => {
      const face = FILTERS[name];
      const hooks = createHooks(silent, { face });
      hooks.addFilter(name, () => value as never, { plugin: 'mistaken' });
      return hooks.applyFilters(name, undefined as never, undefined as never);
    };
    for (const value of VALUES[name].fine) t.is<unknown, unknown>(await apply(value), value);
    for (const value of [undefined, ...VALUES[name].wrong]) {
      const error = await t.throwsAsync(apply(value), { code: 'FILTER_FAILED' }, String(value));
      t.true(error?.message.startsWith(`filter ${name} of plugin mistaken returned `), error?.message);
    }
  });
}

test('a fault in an object is named', async (t) => {
  const hooks = createHooks(silent);
  hooks.addFilter('article.draft', (draft) => ({ ...draft, tags: ['soil', 7] as never }), {
    plugin: 'mistaken',
  });
  await t.throwsAsync(
    hooks.applyFilters('article.draft', DRAFT, { event: 'article.published', stored: null }),
    {
      message:
        'filter article.draft of plugin mistaken returned an object whose tags is a list with a number instead of a text',
    },
  );
});

test('the words of a plugin’s own error stay out of the public message, whatever they are', async (t) => {
  for (const words of ['', 'filter', 'mistaken', '/srv/site/secret.json']) {
    const hooks = createHooks(silent);
    const fail = () => {
      throw new Error(words);
    };
    hooks.addFilter('article.slug', fail, { plugin: 'mistaken' });
    const error = await t.throwsAsync(hooks.applyFilters('article.slug', 'slug', DRAFT));
    t.like(error, {
      message: `filter article.slug of plugin mistaken failed: ${words}`,
      publicMessage: 'filter article.slug of plugin mistaken failed: the receiver’s log says why',
    });
  }
});
