import type { IndexEntry } from './index-entry.js';

/** An article that has a page. */
export interface Post {
  readonly entry: IndexEntry;
  /** Its page, below the output folder. */
  readonly file: string;
  /** First publication in ms since 1970; a text that is not a date counts as oldest. */
  readonly time: number;
  /** Last change in ms since 1970; undefined where the file names no date. */
  readonly modified: number | undefined;
}

/** Which positions of a list may look different than when this was last asked. */
export interface ListChange {
  /** From here on everything has moved; Infinity where nothing has. */
  readonly from: number;
  /** Positions before `from` whose article has changed in place. */
  readonly touched: ReadonlySet<number>;
  /** How many articles there were then. */
  readonly before: number;
}

/** Articles in their order, oldest first, so that a position stays what it is while new ones come. */
export type ArticleList = ReturnType<typeof createArticleList>;

/** The order of all lists: publication, and between articles of the same moment the file's path. */
export function compare(a: Post, b: Post): number {
  if (a.time !== b.time) return a.time - b.time;
  return a.entry.path < b.entry.path ? -1 : Number(a.entry.path > b.entry.path);
}

/** How many items come first: those of an ordered list for which `isBefore` holds. */
export function lowerBound<T>(items: readonly T[], isBefore: (item: T) => boolean): number {
  let low = 0;
  for (let high = items.length; low < high; ) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && isBefore(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** An empty list. */
export function createArticleList() {
  const items: Post[] = [];
  let from = Number.POSITIVE_INFINITY;
  let touched = new Set<number>();
  let before = 0;

  /** Where `post` stands, or would. */
  function positionOf(post: Post): number {
    const newest = items.at(-1);
    if (newest !== undefined && compare(newest, post) < 0) return items.length; // as nearly every new one is
    return lowerBound(items, (item) => compare(item, post) < 0);
  }

  /** Takes `before` out and `after` in; either may be undefined. */
  function swap(before: Post | undefined, after: Post | undefined): void {
    if (before !== undefined && after !== undefined && compare(before, after) === 0) {
      const position = positionOf(after);
      items[position] = after;
      touched.add(position);
      return;
    }
    if (before !== undefined) splice(positionOf(before), 1);
    if (after !== undefined) splice(positionOf(after), 0, after);
  }

  function splice(position: number, removed: number, ...added: Post[]): void {
    if (position === items.length) items.push(...added);
    else items.splice(position, removed, ...added);
    from = Math.min(from, position);
  }

  /** The articles next to where `post` stands or would stand, oldest first, without itself. */
  function around(post: Post, older: number, newer: number): Post[] {
    const position = positionOf(post);
    const present = items[position];
    const behind = present !== undefined && compare(present, post) === 0 ? position + 1 : position;
    return [...items.slice(Math.max(0, position - older), position), ...items.slice(behind, behind + newer)];
  }

  /** What has changed since the last call. */
  function takeChange(): ListChange {
    const changes = { from, touched, before };
    from = Number.POSITIVE_INFINITY;
    touched = new Set();
    before = items.length;
    return changes;
  }

  return {
    items: items as readonly Post[],
    swap,
    /** Says that an article's looks have changed, though not its place. */
    touch: (post: Post) => touched.add(positionOf(post)),
    touchAll: () => {
      from = 0;
    },
    around,
    /** How many articles there were when the changes were last taken. */
    countBefore: () => before,
    takeChange,
  };
}

/** Whether anything from the position `start` on may look different. */
export function isChangedFrom({ from, touched }: ListChange, start: number): boolean {
  return from !== Number.POSITIVE_INFINITY || [...touched].some((position) => position >= start);
}

/** Whether anything has changed at all. */
export function isAnyChanged(changes: ListChange): boolean {
  return changes.from !== Number.POSITIVE_INFINITY || changes.touched.size > 0;
}
