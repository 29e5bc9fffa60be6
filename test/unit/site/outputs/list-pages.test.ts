import test from 'ava';
import { type ArticleList, createArticleList, type Post } from '../../../../src/site/index/article-list.js';
import { listPages } from '../../../../src/site/outputs/list-pages.js';
import { fc, runs } from '../../../support/property.js';
import { post } from '../post.js';

const PAGE_SIZE = 20;

const pagesOf = (list: ArticleList) => listPages('/', list, PAGE_SIZE);

/** What stands on each page, as a text. */
function textsOf(list: ArticleList): Map<string, string> {
  const pages = pagesOf(list);
  return new Map(pages.files().map((file) => [file, JSON.stringify(pages.at(file))]));
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
        const texts = textsOf(list);
        list.takeChange();
        for (const session of rounds) {
          for (const { time, version, remove } of session)
            swap(time, remove ? undefined : post(time, version));
          for (const file of pagesOf(list).changed(list.takeChange())) {
            const page = pagesOf(list).at(file);
            if (page === undefined) texts.delete(file);
            else texts.set(file, JSON.stringify(page));
          }
          t.deepEqual(Object.fromEntries(texts), Object.fromEntries(textsOf(list)));
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
    t.true(pagesOf(list).changed(list.takeChange()).length <= 4);
  }
});

test('a page of a list has its number in its path, and another path is none of its pages', (t) => {
  const list = createArticleList();
  for (let time = 0; time < 13 * PAGE_SIZE; time++) list.swap(undefined, post(time));
  const pages = pagesOf(list);
  for (const [file, number] of Object.entries({
    'index.html': 0,
    'page/1/index.html': 1,
    'page/12/index.html': 12,
  }))
    t.is(pages.at(file)?.pager.number, number);
  for (const file of ['', 'page/0/index.html', 'page/01/index.html', 'page/13/index.html', 'x/index.html'])
    t.is(pages.at(file), undefined, file);
});
