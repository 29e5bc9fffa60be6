import type { ArticleEntry } from './article-entry.js';

/** An article that has a page. */
export interface Post {
  readonly entry: ArticleEntry;
  /** Its page, below the output folder. */
  readonly file: string;
  /** First publication in ms since 1970; a text that is not a date counts as oldest. */
  readonly time: number;
  /** Last change in ms since 1970; undefined where the file names no date. */
  readonly modified: number | undefined;
}

/** The order of all lists, oldest first: publication, and between articles of the same moment the file's path. */
export function byTime(a: Post, b: Post): number {
  if (a.time !== b.time) return a.time - b.time;
  return a.entry.path < b.entry.path ? -1 : Number(a.entry.path > b.entry.path);
}

/** The posts of an ordered list next to one of its own: at most so many before and after it, without itself. */
export function around(list: readonly Post[], post: Post, before: number, after: number): Post[] {
  const position = positionIn(list, post);
  return [
    ...list.slice(Math.max(0, position - before), position),
    ...list.slice(position + 1, position + 1 + after),
  ];
}

/** Where a post stands in an ordered list that holds it. */
function positionIn(list: readonly Post[], post: Post): number {
  let low = 0;
  for (let high = list.length; low < high; ) {
    const middle = (low + high) >>> 1;
    const other = list[middle];
    if (other !== undefined && byTime(other, post) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
