import { type HtmlToken, htmlTokens } from '../../article/html-tokens.js';

/** Elements whose content no reader sees. */
const UNSEEN = new Set(['script', 'style', 'template', 'iframe', 'noembed', 'noframes', 'title', 'textarea']);

/** Elements that do not end a line of text. */
const INLINE =
  /^(?:a|abbr|b|bdi|bdo|cite|code|del|dfn|em|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|u|var|wbr)$/;

/** The references by name that generators write; others are left, in what is expected as well as in what is shown. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  ndash: '–',
  mdash: '—',
  hellip: '…',
};

/** What a reader sees of HTML, line by line: each block's text without markup; blocks without text are left out. */
export function linesOf(html: string): string[] {
  const lines: string[] = [];
  let line = '';
  let at = 0;
  const add = (to: number) => {
    line += decoded(withoutDeclarations(html.slice(at, to)));
  };
  const end = () => {
    if (comparable(line) !== '') lines.push(line.trim());
    line = '';
  };
  for (const token of htmlTokens(html)) {
    add(token.start);
    at = token.end;
    if (token.kind === 'comment' || INLINE.test(token.name)) continue;
    end();
    const isRaw = token.kind === 'open' && token.contentEnd !== undefined && !UNSEEN.has(token.name);
    if (isRaw) line += html.slice(token.contentStart, token.contentEnd);
  }
  add(html.length);
  end();
  return lines;
}

/** A text without doctypes and what else a parser takes for a comment that ends at the first `>`. */
function withoutDeclarations(text: string): string {
  // Behind the last `>` nothing ends, and each start there would be looked at to the end.
  const end = text.lastIndexOf('>') + 1;
  return text.slice(0, end).replace(/<[!?][^>]*>|<\/[^a-z>][^>]*>/gi, '') + text.slice(end);
}

/** A heading of a page, or its `title`. */
export interface Heading {
  readonly element: string;
  readonly text: string;
}

/** The headings of a page, and its `title`, in their order. */
export function headingsOf(html: string): Heading[] {
  const tokens = htmlTokens(html);
  return tokens.flatMap((token, index) => {
    if (token.kind !== 'open') return [];
    if (token.name === 'title')
      return [{ element: 'title', text: decoded(html.slice(token.contentStart, token.contentEnd)) }];
    if (!isHeading(token)) return [];
    const text = linesOf(html.slice(token.contentStart, headingEnd(tokens, index))).join(' ');
    return [{ element: token.name, text }];
  });
}

/**
 * Where the heading ends that begins with a token: as in a browser, at the next tag of any heading. Headings never hold one
 * another, so that all of a page together are read once.
 *
 * @returns undefined where it reaches to the end of the page.
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

/** The comments of a page, as they are written. */
export function commentsOf(html: string, tokens: readonly HtmlToken[]): Set<string> {
  return new Set(
    tokens.flatMap(({ kind, start, end }) => (kind === 'comment' ? [html.slice(start, end)] : [])),
  );
}

/**
 * The places of a text in a page, also where they overlap. It takes time in proportion to the two lengths, whatever they
 * hold: the algorithm of Knuth, Morris and Pratt. `indexOf` may take their product.
 */
export function* placesOf(html: string, text: string): Generator<number> {
  if (text === '') return;
  /** For each beginning of the text, the length of its longest beginning that is also its end. */
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

/** Where a head ends: before its closing tag, or before the body where that tag was left out. */
export function headEnd(tokens: readonly HtmlToken[]): number | undefined {
  for (const token of tokens) {
    if (token.kind === 'close' && token.name === 'head') return token.start;
    if (token.kind === 'open' && token.name === 'body') return token.start;
  }
  return undefined;
}

/**
 * A text as it is compared: without white space, and with typographic signs as they are typed, because generators set
 * them, and without the word joiners that keep a theme's `markdownify` from acting.
 */
export function comparable(text: string): string {
  return typed(text).replace(/\s+/g, '');
}

/** Typographic signs as they are typed, and without word joiners. */
export function typed(text: string): string {
  return text
    .replaceAll('\u2060', '')
    .replace(/[‘’‚‛]/g, "'")
    .replace(/[“”„‟]|''|``/g, '"')
    .replaceAll('«', '<<')
    .replaceAll('»', '>>')
    .replaceAll('—', '---')
    .replaceAll('–', '--')
    .replaceAll('…', '...');
}

function decoded(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]+));/gi, (all, hex, decimal, name) => {
    if (name !== undefined) return NAMED[name] ?? all;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    const isCharacter = code > 0 && code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : '\uFFFD';
  });
}
