import test from 'ava';
import { listPages } from '../../../../src/site/outputs/lists.js';
import { post } from '../post.js';

const PAGE_SIZE = 20;

test('the list’s own page holds one to two pages’ worth, and every article is on one page', (t) => {
  for (const size of [0, 1, 19, 20, 39, 40, 41, 260]) {
    const posts = Array.from({ length: size }, (_, time) => post(time));
    const pages = [...listPages('/', posts, PAGE_SIZE)];
    t.is(pages[0]?.path, '/');
    t.deepEqual(
      pages.slice(1).map(({ items }) => items.length),
      pages.slice(1).map(() => PAGE_SIZE),
    );
    t.true(size < PAGE_SIZE || (pages[0]?.items.length ?? 0) >= PAGE_SIZE);
    t.is(new Set(pages.flatMap(({ items }) => items)).size, size);
  }
});
