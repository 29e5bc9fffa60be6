import test from 'ava';
import { patternLayout } from '../../../src/generators/layout.js';
import { fc } from '../../support/property.js';

test('a date that a person has garbled does no harm', (t) => {
  const layout = patternLayout('https://garden.example', ':year/:month/:slug.md', '/:year/:slug/');
  t.is(layout.path('bees', '2026-11-09T08:00:00Z'), '2026/11/bees.md');
  fc.assert(
    fc.property(fc.string(), (date) => {
      t.regex(layout.path('bees', date), /^\d{4}\/\d\d\/bees\.md$/);
      t.regex(layout.url('bees', date), /^https:\/\/garden\.example\/\d{4}\/bees\/$/);
    }),
  );
});
