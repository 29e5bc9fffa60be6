import test from 'ava';
import { createViews } from '../../../src/admin/views.js';
import { wordsIn } from '../../../src/admin/words.js';

test('view of the list of articles: as long as files are read the whole list is renewed, not only what says so', (t) => {
  const words = wordsIn('en', 'UTC');
  const frame = { words, title: '', path: 'articles', menu: [], site: 'example.org', has: () => true };
  const row = {
    id: 'bees',
    title: 'Bees',
    state: 'live',
    author: '',
    tags: [],
    date: '2026-01-01T00:00:00Z',
  };
  const list = (read: number) =>
    createViews().render(
      'articles',
      {
        read,
        files: 2,
        total: 0,
        rows: [row],
        levels: {},
        filters: {},
        isFiltered: false,
        states: [],
        kinds: [],
        sorts: [],
      },
      frame,
    );
  t.regex(
    list(1),
    /<div[^>]* id="found" data-live="3">[\s\S]*role="status"[\s\S]*class="name"[\s\S]*<\/div>/,
  );
  t.regex(list(2), / id="found">/, 'and then no longer');
});
