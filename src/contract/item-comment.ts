import { DEFAULT_SERVICE, MAX_SERVICE_NAME, type Service, WORD } from './service.js';

/**
 * What is written in the body of every new article so that the service finds it on the live site
 * (contract: Body additions).
 */
export function itemComment(id: string, { comment }: Service = DEFAULT_SERVICE): string {
  return `${OPEN}${comment}${ITEM}${id}${CLOSE}`;
}

const OPEN = '<!-- ';
const ITEM = ':item:';
const CLOSE = ' -->';

/**
 * The item comments of a piece of HTML or Markdown, in their order. Those of every service count: an article keeps its
 * comment after its site has changed from one service to another.
 */
export function itemComments(text: string): string[] {
  return [...commentPlaces(text)].map(([start, end]) => text.slice(start, end));
}

/** Where the item comments of a text begin and end. */
export function* commentPlaces(text: string): Generator<readonly [start: number, end: number]> {
  // No regular expression: one would look for the end again behind every start that has none.
  for (let at = 0; ; ) {
    const item = text.indexOf(ITEM, at);
    if (item === -1) return;
    const start = startBefore(text, item, at);
    if (start === undefined) {
      at = item + ITEM.length;
      continue;
    }
    const end = text.indexOf(CLOSE, item + ITEM.length);
    if (end === -1) return;
    at = end + CLOSE.length;
    yield [start, at];
  }
}

/** Where the comment begins whose `:item:` is at `item`; undefined if none does. */
function startBefore(text: string, item: number, from: number): number | undefined {
  const first = Math.max(from, item - MAX_SERVICE_NAME - OPEN.length);
  const before = text.slice(first, item);
  const open = before.lastIndexOf(OPEN);
  return open !== -1 && WORD.test(before.slice(open + OPEN.length)) ? first + open : undefined;
}
