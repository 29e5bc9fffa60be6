import test from 'ava';
import { siteIndex } from '../../../src/site/index/site-index.js';
import { post } from './post.js';

test('an article has a page unless its URL is not of the site, its place is reserved, or a file with a shorter path has the same', (t) => {
  const [first, second] = [post(1), post(2)];
  const pagesOf = (entries: Parameters<typeof siteIndex>[0], reserved = '') => {
    const { posts, withoutPage } = siteIndex(entries, new Map(), (file) => file === reserved);
    return [posts, withoutPage].map((list) => list.map(({ path }) => path));
  };
  t.deepEqual(pagesOf([second, first]), [['a1.md', 'a2.md'], []]);
  t.deepEqual(pagesOf([first, second], 'a1/index.html'), [['a2.md'], ['a1.md']]);
  t.deepEqual(pagesOf([first, { ...second, file: null }]), [['a1.md'], ['a2.md']]);
  t.deepEqual(pagesOf([{ ...second, file: first.file }, first]), [['a1.md'], ['a2.md']]);
  t.deepEqual(pagesOf([{ ...second, path: 'a1-copy.md', file: first.file }, first]), [
    ['a1.md'],
    ['a1-copy.md'],
  ]);
});
