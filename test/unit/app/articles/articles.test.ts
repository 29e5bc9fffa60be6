import test from 'ava';
import { stateChange } from '../../../../src/app/articles/host-articles.js';
import { compared } from '../../../../src/app/articles/person/compare.js';
import { createArticleSearch } from '../../../../src/app/articles/search-articles.js';
import { createCatalog } from '../../../../src/store/catalog/catalog.js';
import type { Entry } from '../../../../src/store/catalog/entry.js';
import { fc, runs } from '../../../support/property.js';

const fields = (body: string) => ({ title: 'T', description: '', tags: [], author: '', image: null, body });
const lines = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');

test('article differences: a few lines are shown as they differ', (t) => {
  const { isByLine, pieces } = compared(fields('one\ntwo <b>\nthree'), fields('one\n2\nthree'));
  t.true(isByLine);
  t.deepEqual(
    pieces.filter(({ kind }) => kind !== 'same'),
    [
      { kind: 'old', html: 'two &lt;b&gt;\n' },
      { kind: 'new', html: '2\n' },
    ],
  );
});

test('article differences: texts of which much differs, or that are long, are shown whole, one after the other', (t) => {
  for (const [old, now] of [
    [lines(3_000, (n) => (n % 2 ? 'same' : `old ${n}`)), lines(3_000, (n) => (n % 2 ? 'same' : `new ${n}`))],
    [lines(6_000, (n) => `line ${n}`), lines(6_000, (n) => `line ${n || 'new'}`)],
  ] as const) {
    const { isByLine, pieces } = compared(fields(old), fields(now));
    t.false(isByLine);
    t.deepEqual(
      pieces.map(({ kind }) => kind),
      ['old', 'new'],
    );
    t.true(pieces[0]?.html.includes(old) && pieces[1]?.html.includes(now));
  }
});

const DAYS = ['2026-01-03', '2026-01-01', '2026-01-02'];
const TITLES = ['Bees', 'moss', 'Soil and its tenants', 'Étude'];

/** An article by its number: those of one file have different dates and titles. */
function entry(file: number, n: number): Entry {
  return {
    path: `${file}.md`,
    fingerprint: { ino: file, size: n, mtimeMs: 1 },
    id: `id-${file}`,
    url: `https://garden.example/${file}/`,
    title: TITLES[n % 4] ?? '',
    date: `${DAYS[n % 3]}T08:00:00Z`,
    tags: n % 2 === 0 ? ['Soil'] : ['bees', 'SOIL'],
    author: 'Ada',
    ...(n % 5 === 0 && { isHeld: true }),
    ...(n % 7 === 0 && { byPerson: 'edited' }),
    ...(n % 11 === 0 && { broken: 'line 1: half an edit' }),
  };
}

/** What is done to a file: another text, or its removal, some of them between two looks at the list. */
const changes = fc.array(
  fc.record({ file: fc.nat(30), n: fc.option(fc.nat(200), { nil: undefined }), looks: fc.boolean() }),
  { maxLength: 400 },
);

test('the list of articles is that of the catalog after any sequence of changes, in each order', async (t) => {
  await fc.assert(
    fc.asyncProperty(changes, async (all) => {
      const catalog = createCatalog();
      const { search } = createArticleSearch(catalog, 'content/');
      for (const { file, n, looks } of all) {
        if (n === undefined) catalog.delete(`${file}.md`);
        else catalog.set(entry(file, n));
        if (looks) await search({ sort: 'title' });
      }
      const articles = [...catalog.entries()].filter(({ broken }) => broken === undefined);
      const byDate = articles
        .map(({ date = '', path }) => ({ key: date, path }))
        .toSorted((a, b) => (a.key === b.key ? (a.path < b.path ? -1 : 1) : a.key < b.key ? -1 : 1))
        .map(({ path }) => `content/${path}`);
      const paths = async (query: Parameters<typeof search>[0]) =>
        (await search({ ...query, size: 200 })).rows.map(({ path }) => path);
      t.deepEqual(await paths({ sort: 'oldest' }), byDate);
      t.deepEqual(await paths({}), byDate.toReversed());
      const { rows } = await search({ sort: 'title', size: 200 });
      const titles = rows.map(({ title }) => title.toLowerCase());
      t.deepEqual(
        titles,
        titles.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
      );
      t.is(titles.length, articles.length);
      const meant = articles.filter(
        ({ isHeld, byPerson, tags = [] }) => isHeld && byPerson !== 'edited' && tags.includes('bees'),
      );
      const { total } = await search({ state: 'held', edited: false, tag: 'Bees', text: 'ADA garden' });
      t.is(total, meant.length);
    }),
    { numRuns: runs(30) },
  );
});

const NOW = Date.parse('2026-11-20T00:00:00Z');
const AT = '2026-12-10T00:00:00Z';

test('an article that is scheduled has no expiry before that, which would leave it without a time on the site', (t) => {
  const scheduled = (until: string) =>
    stateChange('scheduled', AT, { publication: { kind: 'dated', until: Date.parse(until) } }, NOW, 'ada');
  t.deepEqual(scheduled('2026-12-01T00:00:00Z'), { held: undefined, date: AT, expires: null });
  t.deepEqual(scheduled('2026-12-24T00:00:00Z'), { held: undefined, date: AT });
});
