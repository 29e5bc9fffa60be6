import { type ArticleList, type Changes, isAnyChanged, type Post } from '../index/article-list.js';

/** One page of a list of articles. */
export interface ListPage {
  /** Below the site's base path. */
  readonly path: string;
  /** 0 for the newest, the list's own address; else counted from the oldest. */
  readonly number: number;
  /** Newest first. */
  readonly items: readonly Post[];
  /** The paths of the pages beside it. */
  readonly newer: string | undefined;
  readonly older: string | undefined;
}

/**
 * How many older pages a list of `count` articles has. Pages are counted from the oldest and only full ones
 * leave the list's own page, which so holds one to two pages' worth: the articles of an older page stay when newer
 * ones come. Only its link to the newer page changes, once, when the next page is cut off. An article that comes in
 * earlier or goes moves those of all later pages.
 */
export function olderPages(count: number, pageSize: number): number {
  return Math.max(0, Math.floor(count / pageSize) - 1);
}

/** The path of a list's page: its own address for 0, `page/<n>/` below it for the older ones. */
export function listPath(address: string, number: number): string {
  return number === 0 ? address : `${address}page/${number}/`;
}

/** The paths of all pages of a list. */
export function listPaths(address: string, count: number, pageSize: number): string[] {
  return Array.from({ length: olderPages(count, pageSize) + 1 }, (_, number) => listPath(address, number));
}

/** The number that a file below a list's folder has as a page of it; the page need not exist. */
export function listNumber(rest: string): number | undefined {
  if (rest === 'index.html') return 0;
  const number = /^page\/([1-9]\d{0,8})\/index\.html$/.exec(rest)?.[1];
  return number === undefined ? undefined : Number(number);
}

/**
 * A page of a list as it is now; undefined where the list has no such page.
 *
 * @param address the list's own path, ending in a slash.
 * @param pageSize articles on an older page.
 */
export function listPage(
  address: string,
  { items }: ArticleList,
  number: number,
  pageSize: number,
): ListPage | undefined {
  const older = olderPages(items.length, pageSize);
  if (number > older) return undefined;
  const start = (number === 0 ? older : number - 1) * pageSize;
  const end = number === 0 ? items.length : start + pageSize;
  const path = (neighbour: number) => listPath(address, neighbour);
  return {
    path: path(number),
    number,
    items: items.slice(start, end).reverse(),
    newer: number === 0 ? undefined : path(number === older ? 0 : number + 1),
    older: (number || older + 1) > 1 ? path((number || older + 1) - 1) : undefined,
  };
}

/** The numbers of the pages of a list that may look different after `changes`, also of those that are no more. */
export function changedNumbers(changes: Changes, count: number, pageSize: number): Set<number> {
  const numbers = new Set<number>();
  if (!isAnyChanged(changes)) return numbers;
  const older = olderPages(count, pageSize);
  const last = Math.max(older, olderPages(changes.before, pageSize));
  for (const position of changes.touched) {
    const number = Math.floor(position / pageSize) + 1;
    numbers.add(number > older ? 0 : number);
  }
  if (changes.from === Number.POSITIVE_INFINITY) return numbers;
  numbers.add(0);
  // When the list grows by a page, the page before it gets another neighbour: two pages earlier is early enough.
  const first = Math.max(1, Math.floor((changes.from - 2 * pageSize) / pageSize) + 1);
  for (let number = first; number <= last; number++) numbers.add(number);
  return numbers;
}
