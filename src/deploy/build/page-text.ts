import type { HtmlToken } from '../../article/text/html-tokens.js';

/**
 * The end of the heading that begins with a token: as in a browser, at the next tag of any heading. Headings are never nested,
 * so a page is read only once.
 *
 * @returns undefined if it reaches to the end of the page.
 */
export function headingEnd(tokens: readonly HtmlToken[], opening: number): number | undefined {
  for (let at = opening + 1; at < tokens.length; at++) {
    const token = tokens[at];
    if (token !== undefined && isHeading(token)) return token.start;
  }
  return undefined;
}

function isHeading(token: HtmlToken): boolean {
  return token.kind !== 'comment' && /^h[1-6]$/.test(token.name);
}

/** The comments of a page, verbatim. */
export function commentsOf(html: string, tokens: readonly HtmlToken[]): Set<string> {
  return new Set(
    tokens.flatMap(({ kind, start, end }) => (kind === 'comment' ? [html.slice(start, end)] : [])),
  );
}

/**
 * The places of a text in a page, including overlapping ones. The algorithm of Knuth, Morris and Pratt takes linear time;
 * repeated `indexOf` may take the product of both lengths.
 */
export function* placesOf(html: string, text: string): Generator<number> {
  if (text === '') return;
  /** For each prefix of the text, the length of its longest proper prefix that is also its suffix. */
  const borders = new Uint32Array(text.length);
  for (let at = 1, length = 0; at < text.length; at++) {
    length = extended(text.charCodeAt(at), length);
    borders[at] = length;
  }
  for (let at = 0, length = 0; at < html.length; at++) {
    length = extended(html.charCodeAt(at), length);
    if (length < text.length) continue;
    yield at + 1 - length;
    length = borders[length - 1] ?? 0;
  }

  function extended(code: number, from: number): number {
    let length = from;
    while (length > 0 && text.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    return text.charCodeAt(length) === code ? length + 1 : 0;
  }
}

/** The end of a head: before its closing tag, or before the body if that tag was left out. */
export function headEnd(tokens: readonly HtmlToken[]): number | undefined {
  for (const token of tokens) {
    if (token.kind === 'close' && token.name === 'head') return token.start;
    if (token.kind === 'open' && token.name === 'body') return token.start;
  }
  return undefined;
}

/** The end of a body, or of the page if the body is not closed. */
export function bodyEnd(html: string, tokens: readonly HtmlToken[]): number {
  const end = (name: string) => tokens.findLast((token) => token.kind === 'close' && token.name === name);
  return (end('body') ?? end('html'))?.start ?? html.length;
}

/** Inserts a text into a page. */
export function insert(html: string, at: number, text: string): string {
  return html.slice(0, at) + text + html.slice(at);
}
