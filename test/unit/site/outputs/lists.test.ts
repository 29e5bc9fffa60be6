import test from 'ava';
import { listPages } from '../../../../src/site/outputs/lists.js';
import { post } from '../post.js';

const PAGE_SIZE = 20;

/** The pages of a list of so many articles, by their paths. */
function pagesOf(count: number): Map<string, string> {
  const posts = Array.from({ length: count }, (_, time) => post(time));
  return new Map([...listPages('/', posts, PAGE_SIZE)].map((page) => [page.path, JSON.stringify(page)]));
}

test('an article at the end changes four pages of its list at most, however long the list is', (t) => {
  for (const size of [100, 119, 120, 5_000]) {
    const before = pagesOf(size);
    const changed = [...pagesOf(size + 1)].filter(([path, page]) => before.get(path) !== page);
    t.true(changed.length >= 1 && changed.length <= 4, `${size}: ${changed.length}`);
  }
});

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
