import { type Changes, isChanged, type Piece, type Series } from './series.js';

/** One page of a list of articles. */
export interface ListPage {
  /** Below the site's base path. */
  readonly path: string;
  /** 0 for the newest, the list's own address; else counted from the oldest. */
  readonly number: number;
  /** Newest first. */
  readonly items: readonly Piece[];
  /** The paths of the pages beside it. */
  readonly newer: string | undefined;
  readonly older: string | undefined;
}

/**
 * How many older pages a list of `count` articles has. Pages are counted from the oldest and only full ones
 * leave the list's own page, which so holds one to two pages' worth: an older page never changes when new ones come.
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

/**
 * The pages of a list that may look different after `changes`.
 *
 * @param address the list's own path, ending in a slash.
 * @param pageSize articles on an older page.
 */
export function* changedPages(
  address: string,
  series: Series,
  changes: Changes,
  pageSize: number,
): Generator<ListPage> {
  const { items } = series;
  const older = olderPages(items.length, pageSize);
  // When the list grows by a page, the page before it gets another neighbour: two pages earlier is early enough.
  const moved = { ...changes, from: changes.from - 2 * pageSize };
  for (let number = 1; number <= older; number++) {
    const start = (number - 1) * pageSize;
    if (isChanged(moved, start, start + pageSize)) yield page(number, start, start + pageSize);
  }
  const start = older * pageSize;
  if (isChanged(moved, start, Number.POSITIVE_INFINITY)) yield page(0, start, items.length);

  function page(number: number, start: number, end: number): ListPage {
    const path = (neighbour: number) => listPath(address, neighbour);
    return {
      path: path(number),
      number,
      items: items.slice(start, end).reverse(),
      newer: number === 0 ? undefined : path(number === older ? 0 : number + 1),
      older: (number || older + 1) > 1 ? path((number || older + 1) - 1) : undefined,
    };
  }
}
