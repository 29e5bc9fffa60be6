import test from 'ava';
import type { Article } from '../../../src/article/article.js';
import { type ArticleFormat, articleFormat } from '../../../src/article/format/format.js';
import { plainFormat } from '../../../src/article/format/plain.js';
import { readFrontMatter } from '../../../src/article/front-matter/read.js';
import { stateAt } from '../../../src/article/publication.js';
import { GENERATORS } from '../../../src/generators/registry.js';

const SITE = 'https://garden.example';
const NOW = Date.parse('2026-06-01T00:00:00Z');

const article: Omit<Article, 'revision'> = {
  id: 'soil-1',
  slug: 'soil',
  url: `${SITE}/blog/soil/`,
  title: 'Soil',
  description: '',
  author: 'Ada',
  tags: [],
  keyword: '',
  image: null,
  date: '2026-01-02T08:00:00Z',
  updated: null,
  jsonLd: '',
  contentHtml: '<p>Soil.</p>',
  body: 'Soil.',
  extra: {},
};

/** How each generator leaves a post out, by its documentation; none where it cannot. */
const OWN_WAY: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  hugo: { draft: true },
  jekyll: { published: false },
  eleventy: { permalink: false, eleventyExcludeFromCollections: true },
  astro: { draft: true },
  hexo: { published: false },
  vitepress: {},
  docusaurus: { draft: true },
  'nuxt-content': {},
};

const formats: readonly [name: string, format: ArticleFormat][] = [
  ['plain', plainFormat((slug) => `${SITE}/blog/${slug}/`)],
  ...GENERATORS.map((generator): [string, ArticleFormat] => [
    generator.name,
    articleFormat({
      mapping: generator.mapping({
        body: 'markdown',
        constants: {},
        address: (slug) => `/blog/${slug}/`,
        dates: 'day',
      }),
      siteUrl: SITE,
      url: (slug) => `${SITE}/blog/${slug}/`,
      listed: { get: () => undefined, version: '' },
    }),
  ]),
];

const withoutSeal = (text: string) => text.replace(/^(\s*)(revision|digest): .*$/gm, '$1$2: …');

for (const [name, format] of formats) {
  const PATH = name === 'jekyll' ? '2026-01-02-soil.md' : 'soil.md';

  test(`${name}: a held article has no page, keeps its certain URL, and is pristine`, (t) => {
    const { text, publication } = format.encode({ ...article, held: 'a listed word' }, PATH);
    t.is(stateAt(publication, NOW), 'held');
    const stored = format.decode(text, PATH);
    t.is(stored.article.held, 'a listed word');
    t.is(stored.article.url, article.url);
    t.is(stored.address, undefined);
    t.false(stored.edited);
    const { data } = readFrontMatter(text);
    for (const [key, value] of Object.entries(OWN_WAY[name] ?? {})) t.deepEqual(data[key], value);
  });

  test(`${name}: a file that is held and released is what it was, but for its revision`, (t) => {
    const { text } = format.encode(article, PATH);
    const held = format.inState(text, PATH, { held: 'a listed word' }, 'state-1');
    t.is(stateAt(held.publication, NOW), 'held');
    t.is(held.article.revision, 'state-1');
    t.is(held.article.url, article.url);
    t.false(format.decode(held.text, PATH).edited);
    const released = format.inState(held.text, PATH, { held: undefined }, 'state-2');
    t.is(stateAt(released.publication, NOW), 'live');
    t.is(withoutSeal(released.text), withoutSeal(text));
    t.is(format.decode(released.text, PATH).address, undefined);
  });

  test(`${name}: a person’s edit stays one while its article is held`, (t) => {
    const { text } = format.encode(article, PATH);
    const edited = `${text}\nMy own line.\n`;
    const held = format.inState(edited, PATH, { held: 'a listed word' }, 'state-1');
    const stored = format.decode(held.text, PATH);
    t.true(stored.edited);
    t.true(stored.article.body.endsWith('My own line.\n'));
    t.is(stateAt(stored.publication, NOW), 'held');
    const released = format.inState(held.text, PATH, { held: undefined }, 'state-2');
    t.is(released.text, edited);
  });

  test(`${name}: an article that expires or gets another date keeps its text`, (t) => {
    const { text } = format.encode(article, PATH);
    const expired = format.inState(
      text,
      PATH,
      { held: undefined, expires: '2026-05-01T18:00:00Z' },
      'state-1',
    );
    t.is(stateAt(expired.publication, Date.parse('2026-05-01T18:00:00Z')), 'expired');
    t.is(stateAt(expired.publication, Date.parse('2026-05-01T17:59:59Z')), 'live');
    const back = format.inState(expired.text, PATH, { held: undefined, expires: null }, 'state-2');
    t.is(withoutSeal(back.text), withoutSeal(text));
    const later = format.inState(text, PATH, { held: undefined, date: '2026-07-01T08:00:00Z' }, 'state-3');
    t.is(stateAt(later.publication, NOW), 'scheduled');
    t.is(later.article.date, '2026-07-01T08:00:00Z');
    t.is(later.article.body, format.decode(text, PATH).article.body);
  });
}
