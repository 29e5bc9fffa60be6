import test from 'ava';
import { draftOf } from '../../../../src/article/article.js';
import { patternLayout } from '../../../../src/generators/layout.js';
import { createCatalog } from '../../../../src/store/catalog/catalog.js';
import { type ContentFolder, contentFolder } from '../../../../src/store/catalog/content-folder.js';
import { createNaming } from '../../../../src/store/catalog/naming.js';
import { article } from '../../../support/events.js';
import { SITE_URL } from '../../../support/receiver.js';

const layout = patternLayout(SITE_URL, 'articles/:year/:month/:slug.md', '/articles/:slug/');
const draft = (date: string) => draftOf(article({ slug: 'soil', published_at: date }));
const [MARCH, APRIL] = [draft('2026-03-01T00:00:00Z'), draft('2026-04-01T00:00:00Z')];
const NONE: ReadonlySet<string> = new Set();

test('a name is in use until it is released', (t) => {
  const choose = createNaming(contentFolder('/content', layout), createCatalog(), { keeps: () => false });
  const first = choose(MARCH, '.md', NONE);
  t.is(first.slug, 'soil');
  t.is(choose(APRIL, '.md', NONE).slug, 'soil-2', 'its URL');
  t.is(choose(MARCH, '.md', NONE).slug, 'soil-3', 'its file');
  const another = createNaming(contentFolder('/content', layout), createCatalog(), { keeps: () => false });
  const released = another(MARCH, '.md', NONE);
  released.release();
  t.is(another(APRIL, '.md', NONE).slug, 'soil');
});

test('a slug that is taken in one year is free in the others', (t) => {
  const byYear = patternLayout(SITE_URL, ':year/:slug.md', '/:year/:slug/');
  const choose = createNaming(contentFolder('/content', byYear), createCatalog(), { keeps: () => false });
  const inYear = (year: number) => choose(draft(`${year}-03-01T00:00:00Z`), '.md', NONE).slug;
  t.deepEqual([2025, 2025, 2025, 2026, 2025, 2026].map(inYear), [
    'soil',
    'soil-2',
    'soil-3',
    'soil',
    'soil-4',
    'soil-2',
  ]);
});

test('where a generator may make one page of two files, the names of both are in use', (t) => {
  const content = contentFolder('/content', patternLayout(SITE_URL, ':slug.md', '/:year/:month/:slug/'));
  const format: ContentFolder['format'] = {
    ...content.format,
    hasCertainUrls: false,
    namesakes: (path) => [path.replace(/\.\w+$/, '.html'), path.replace(/\.\w+$/, '.md')],
  };
  const choose = createNaming({ ...content, format }, createCatalog(), { keeps: () => false });
  t.is(choose(MARCH, '.md', NONE).slug, 'soil');
  t.is(choose(APRIL, '.html', NONE).slug, 'soil-2');
});

test('an address that a plugin has gives another number, and all addresses of the rule an error', (t) => {
  const folder = contentFolder('/content', patternLayout(SITE_URL, ':slug.md', '/:year/:slug/'));
  const choose = createNaming(folder, createCatalog(), { keeps: () => false });
  folder.reservedUrls.add(`${SITE_URL}/2026/soil`);
  t.is(choose(MARCH, '.md', NONE).slug, 'soil-2');
  folder.reservedUrls.add(`${SITE_URL}/2026/*`);
  t.throws(() => choose(APRIL, '.md', NONE), {
    code: 'PERMALINK_WRONG',
    message: /would have the URL https?:\S+\/2026\/soil-\d+\/, and a plugin answers all URLs there/,
  });
});
