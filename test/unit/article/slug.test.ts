import test from 'ava';
import { isReservedSlug } from '../../../src/article/reserved.js';
import { numbered, slugOf } from '../../../src/article/slug.js';
import { fc, runs } from '../../support/property.js';

const SAFE = /^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$/;
const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 500 }),
  fc.string({ unit: 'grapheme', maxLength: 100 }),
  fc.constantFrom('con', 'index', '..', '/', 'tags', 'a'.repeat(80), `${'a'.repeat(79)}-b`, 'page-', 'lpt1'),
);

const cases = { numRuns: runs(50) };

test('a slug is always safe, of bounded length, not reserved, and the same each time', (t) => {
  fc.assert(
    fc.property(anything, anything, anything, (suggestion, title, id) => {
      const slug = slugOf(suggestion, title, id);
      t.regex(slug, SAFE);
      t.false(isReservedSlug(slug));
      t.is(slugOf(suggestion, title, id), slug);
      t.is(slugOf(slug, '', ''), slug, 'a slug is its own slug');
    }),
    cases,
  );
});

test('numbers keep a slug safe and are all different', (t) => {
  fc.assert(
    fc.property(
      anything,
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 1, max: 100_000 }),
      (text, n, m) => {
        const slug = slugOf(text, '', 'x');
        t.regex(numbered(slug, n), SAFE);
        if (n !== m) t.not(numbered(slug, n), numbered(slug, m));
      },
    ),
    cases,
  );
});

const EXAMPLES: [suggestion: string, title: string, slug: string][] = [
  ['balcony-bees', '', 'balcony-bees'],
  ['Balcony Bees!', '', 'balcony-bees'],
  ['', 'Bees & Trees', 'bees-and-trees'],
  ['größe', '', 'groesse'],
  ['Crème brûlée', '', 'creme-brulee'],
  ['Привет', '', 'privet'],
  ['../../etc/passwd', '', 'etc-passwd'],
  ['index', '', 'index-article'],
  ['CON', '', 'con-article'],
  ['pagefind', '', 'pagefind-article'],
  ['CNAME', '', 'cname-article'],
  ['fooBar', '', 'foobar'],
];

for (const [suggestion, title, slug] of EXAMPLES) {
  test(`${JSON.stringify(suggestion || title)} becomes ${slug}`, (t) => {
    t.is(slugOf(suggestion, title, 'id'), slug);
  });
}

test('where nothing is left, the id names the article without being shown', (t) => {
  const slug = slugOf('😀', '!!!', 'secret-id');
  t.regex(slug, /^article-[0-9a-f]{12}$/);
  t.not(slug, slugOf('😀', '!!!', 'another-id'));
});
