import type { Post } from './article-entry.js';

/** The order of all lists, oldest first: publication, and between articles of the same moment the file's path. */
export function byTime(a: Post, b: Post): number {
  if (a.time !== b.time) return a.time - b.time;
  return a.path < b.path ? -1 : Number(a.path > b.path);
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
