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
    // A doctype, and what a parser takes for a comment.
    line += decoded(html.slice(at, to).replace(/<[!?][^>]*>|<\/[^a-z>][^>]*>/gi, ''));
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
    if (!/^h[1-6]$/.test(token.name)) return [];
    const close = tokens.slice(index).find((one) => one.kind === 'close' && one.name === token.name);
    const text = linesOf(html.slice(token.contentStart, close?.start)).join(' ');
    return [{ element: token.name, text }];
  });
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
