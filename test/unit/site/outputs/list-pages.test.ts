import test from 'ava';
import { type ArticleList, createArticleList, type Post } from '../../../../src/site/index/article-list.js';
import { changedNumbers, listNumber, listPage, listPaths } from '../../../../src/site/outputs/list-pages.js';
import { fc, runs } from '../../../support/property.js';
import { post } from '../post.js';

const PAGE_SIZE = 20;

/** What stands on a page, as a text; undefined where there is no such page. */
function shown(list: ArticleList, number: number): string | undefined {
  const page = listPage('/', list, number, PAGE_SIZE);
  return page && JSON.stringify([page.items, page.pager]);
}

function pagesOf(list: ArticleList): Map<number, string> {
  const numbers = listPaths('/', list.items.length, PAGE_SIZE).map((_, number) => number);
  return new Map(numbers.map((number) => [number, shown(list, number) ?? '']));
}

test('building only the changed pages of a list leaves what building all of them makes', (t) => {
  const change = fc.record({ time: fc.nat(120), version: fc.nat(3), remove: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 12 }),
      fc.nat(100),
      (rounds, size) => {
        const list = createArticleList();
        const present = new Map<number, Post>();
        const swap = (time: number, after: Post | undefined) => {
          list.swap(present.get(time), after);
          if (after === undefined) present.delete(time);
          else present.set(time, after);
        };
        for (let time = 0; time < size; time++) swap(time, post(time));
        const pages = pagesOf(list);
        list.takeChange();
        for (const session of rounds) {
          for (const { time, version, remove } of session)
            swap(time, remove ? undefined : post(time, version));
          for (const number of changedNumbers(list.takeChange(), list.items.length, PAGE_SIZE)) {
            const text = shown(list, number);
            if (text === undefined) pages.delete(number);
            else pages.set(number, text);
          }
          t.deepEqual(Object.fromEntries(pages), Object.fromEntries(pagesOf(list)));
        }
      },
    ),
    { numRuns: runs(60) },
  );
});

test('an article at the end changes four pages of its list at most, however long the list is', (t) => {
  for (const size of [100, 119, 120, 5_000]) {
    const list = createArticleList();
    for (let time = 0; time < size; time++) list.swap(undefined, post(time));
    list.takeChange();
    list.swap(undefined, post(size));
    t.true(changedNumbers(list.takeChange(), list.items.length, PAGE_SIZE).size <= 4);
  }
});

test('a page of a list has its number in its path, and another path has no number', (t) => {
  const files = ['index.html', 'page/1/index.html', 'page/12/index.html'];
  t.deepEqual(files.map(listNumber), [0, 1, 12]);
  for (const file of ['', 'page/0/index.html', 'page/01/index.html', 'page/x/index.html', 'x/index.html'])
    t.is(listNumber(file), undefined, file);
});
