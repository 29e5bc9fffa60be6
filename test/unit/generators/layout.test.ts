import test from 'ava';
import { patternLayout } from '../../../src/generators/layout.js';
import { fc } from '../../support/property.js';

test('the parts of the pattern are replaced, each wherever it stands', (t) => {
  const layout = patternLayout(
    'https://garden.example/blog',
    ':year/:month/:day-:slug.md',
    '/:year/:slug/:slug.html',
  );
  t.is(layout.path('bees', '2026-11-09T08:00:00Z'), '2026/11/09-bees.md');
  t.is(layout.url('bees', '2026-11-09T08:00:00Z'), 'https://garden.example/blog/2026/bees/bees.html');
});

test('a date that a person has garbled does no harm', (t) => {
  const layout = patternLayout('https://garden.example', ':year/:month/:slug.md', '/:year/:slug/');
  fc.assert(
    fc.property(fc.string(), (date) => {
      t.regex(layout.path('bees', date), /^\d{4}\/\d\d\/bees\.md$/);
      t.regex(layout.url('bees', date), /^https:\/\/garden\.example\/\d{4}\/bees\/$/);
    }),
  );
});
