import { DEFAULT_SERVICE, MAX_SERVICE_NAME, type Service, WORD } from './service.js';

/** The comment in the body of every new article by which the service finds it on the live site (contract: Body additions). */
export function itemComment(id: string, { comment }: Service = DEFAULT_SERVICE): string {
  return `${OPEN}${comment}${ITEM}${id}${CLOSE}`;
}

const OPEN = '<!-- ';
const ITEM = ':item:';
const CLOSE = ' -->';

/**
 * The item comments of a piece of HTML or Markdown, in order. Comments of every service count: an article keeps its comment
 * when its site changes to another service.
 */
export function itemComments(text: string): string[] {
  return [...commentPlaces(text)].map(([start, end]) => text.slice(start, end));
}

/** The start and end of each item comment in a text. */
export function* commentPlaces(text: string): Generator<readonly [start: number, end: number]> {
  // Not a regular expression, which would search for the end again after every start without one.
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

/** The start of the comment whose `:item:` is at `item`; undefined if there is none. */
function startBefore(text: string, item: number, from: number): number | undefined {
  const first = Math.max(from, item - MAX_SERVICE_NAME - OPEN.length);
  const before = text.slice(first, item);
  const open = before.lastIndexOf(OPEN);
  return open !== -1 && WORD.test(before.slice(open + OPEN.length)) ? first + open : undefined;
}
