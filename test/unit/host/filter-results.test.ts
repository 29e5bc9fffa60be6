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

/** As a person has written it: without a date, and with one that is none. */
const UNDATED = { ...ITEM, date: '', updated: 'yesterday', published: null };

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

/** For each filter, a value that it may return, and values that plugins in JavaScript return by mistake; nothing is wrong for all. */
const VALUES: Readonly<Record<FilterName, readonly [fine: readonly unknown[], wrong: readonly unknown[]]>> = {
  'article.draft': [
    [DRAFT, { ...DRAFT, image: null }],
    [7, null, [], { ...DRAFT, title: 7 }, { ...DRAFT, tags: 'soil' }, { ...DRAFT, tags: [7] }],
  ],
  'article.slug': [
    ['slug', ''],
    [null, {}, '\ud800'],
  ],
  'article.frontMatter': [
    [{}, { a: undefined, b: [1, { c: null }], d: new Date(0) }],
    [null, 'text', [], { a: 1n }, { a: '\ud800' }, new Date(0)],
  ],
  'page.context': [
    [PAGE, { ...PAGE, kind: 'article', article: ON_PAGE, articles: [UNDATED] }],
    [
      7,
      { ...PAGE, title: null },
      { ...PAGE, articles: [null] },
      { ...PAGE, extra: null },
      { ...PAGE, article: { ...ON_PAGE, tags: 'soil' } },
      { ...PAGE, article: { ...ON_PAGE, image: 'no address' } },
    ],
  ],
  'page.head': [['<meta>'], [{}]],
  'page.content': [['<p>'], [null]],
  'page.html': [['<p>'], [12]],
  'articles.listed': [
    [[], [ITEM]],
    [{}, [null], [{ ...ITEM, title: 7 }]],
  ],
  'article.related': [
    [[], [ITEM]],
    [{}, [null], [{ ...ITEM, title: 7 }]],
  ],
  'feed.items': [
    [[], [ITEM, UNDATED]],
    ['text', [{}], [{ ...ITEM, html: 7 }], [{ ...ITEM, date: null }]],
  ],
  'sitemap.items': [
    [[], [{ url: 'https://garden.example/', article: null }]],
    [null, [{ url: '/a/' }], [{ url: 'https://garden.example/', lastmod: 'never' }]],
  ],
  'git.message': [['Publish: a'], [5]],
};

for (const name of Object.keys(FILTERS) as FilterName[]) {
  test(`${name}: what is no value of this filter is a failure that names the filter and its plugin`, async (t) => {
    const apply = (value: unknown) => {
      const hooks = createHooks(silent, { face: FILTERS[name] });
      hooks.addFilter(name, () => value as never, { plugin: 'mistaken' });
      return hooks.applyFilters(name, undefined as never, undefined as never);
    };
    const [fine, wrong] = VALUES[name];
    for (const value of fine) t.is<unknown, unknown>(await apply(value), value);
    for (const value of [undefined, ...wrong]) {
      const error = await t.throwsAsync(apply(value), { code: 'FILTER_FAILED' }, String(value));
      t.true(error?.message.startsWith(`filter ${name} of plugin mistaken returned `), error?.message);
    }
  });
}

test('the part of an object that is wrong is named, and a plugin’s own words stay out of the public message', async (t) => {
  const apply = (filter: () => never) => {
    const hooks = createHooks(silent);
    hooks.addFilter('article.draft', filter, { plugin: 'mistaken' });
    return hooks.applyFilters('article.draft', DRAFT, { event: 'article.published', stored: null });
  };
  await t.throwsAsync(
    apply(() => ({ ...DRAFT, tags: ['soil', 7] }) as never),
    {
      message:
        'filter article.draft of plugin mistaken returned an object whose tags is a list with a number instead of a text',
    },
  );
  const error = await t.throwsAsync(
    apply(() => {
      throw new Error('/srv/site/secret.json');
    }),
  );
  t.like(error, {
    message: 'filter article.draft of plugin mistaken failed: /srv/site/secret.json',
    publicMessage: 'filter article.draft of plugin mistaken failed: the receiver’s log says why',
  });
});
