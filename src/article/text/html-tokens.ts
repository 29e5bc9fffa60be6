import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';
import { Tokenizer } from 'htmlparser2';

/** An attribute of a tag, as offsets into the page. */
export interface HtmlAttribute {
  /** In lower case. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** The value without its quotes; start and end are equal if there is none. */
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** A part of an HTML page that is not text. Positions are offsets into the page. */
export type HtmlToken =
  | { readonly kind: 'comment'; readonly start: number; readonly end: number }
  | { readonly kind: 'close'; readonly name: string; readonly start: number; readonly end: number }
  | {
      readonly kind: 'open';
      /** In lower case. */
      readonly name: string;
      readonly attributes: readonly HtmlAttribute[];
      readonly start: number;
      /** The offset after the tag; for a raw text element, such as `script`, after its closing tag. */
      readonly end: number;
      /** The offset after the opening tag. */
      readonly contentStart: number;
      /** The end of a raw text element's content, before its closing tag; undefined for other elements. */
      readonly contentEnd: number | undefined;
    };

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** An opening tag. */
export type OpenToken = Extract<HtmlToken, { kind: 'open' }>;

/** Elements whose content is text, even if it looks like tags. */
const RAW_TEXT = new Set('script style textarea title xmp iframe noembed noframes plaintext'.split(' '));

/**
 * Lists the tags and comments of a page in order, as an HTML parser separates them: text within a comment, a script or an
 * attribute's value is not taken for a tag. The text may be in any encoding that extends ASCII, and may be malformed. The time
 * is proportional to the length.
 */
export function htmlTokens(html: string): HtmlToken[] {
  const tokens: HtmlToken[] = [];
  // Outside SVG and MathML this is a comment like `<!x>`, which ends at the first `>`.
  const source = html.replaceAll('<![CDATA[', '<![cdata[');
  for (let from = 0; from < source.length; ) from = readTokens(source, from, tokens);
  return tokens;
}

/** Adds the tokens from an offset on. @returns the offset at which reading continues, normally the end. */
function readTokens(html: string, from: number, tokens: HtmlToken[]): number {
  let tag = { name: '', start: 0 };
  let attributes: Mutable<HtmlAttribute>[] = [];
  /** The raw text element that is still open. */
  let raw: OpenToken | undefined;
  let goOn = html.length;
  const open = (at: number) => {
    const end = from + at + 1;
    const { name, start } = tag;
    const isRaw = RAW_TEXT.has(name);
    // No object spread: a page has thousands of tokens.
    const contentEnd = isRaw ? html.length : undefined;
    const token: OpenToken = { kind: 'open', name, attributes, start, end, contentStart: end, contentEnd };
    if (isRaw) raw = { ...token, end: html.length };
    else tokens.push(token);
  };
  const close = (at: number, nameEnd: number) => {
    const [start, behindName] = [from + at, from + nameEnd];
    const name = html.slice(start, behindName).toLowerCase();
    const bracket = html.indexOf('>', behindName) + 1;
    const hasQuotes = bracket > 0 && /["']/.test(html.slice(behindName, bracket));
    const end = hasQuotes ? closingTagEnd(html, behindName) : bracket;
    if (raw !== undefined) {
      tokens.push({ ...raw, contentEnd: start - 2, end: end || html.length });
      raw = undefined;
    } else if (end > 0) tokens.push({ kind: 'close', name, start: start - 2, end });
    if (end === bracket) return;
    // The tokenizer continues at the first `>`.
    goOn = end || html.length;
    tokenizer.pause();
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname: (start, end) => {
        tag = { name: html.slice(from + start, from + end).toLowerCase(), start: from + start - 1 };
        attributes = [];
      },
      onattribname: (at, nameEnd) => {
        const [start, end] = [from + at, from + nameEnd];
        const name = html.slice(start, end).toLowerCase();
        attributes.push({ name, start, end, valueStart: end, valueEnd: end });
      },
      onattribdata: (start, end) =>
        Object.assign(attributes.at(-1) ?? {}, { valueStart: from + start, valueEnd: from + end }),
      onattribend: (_quote, end) => Object.assign(attributes.at(-1) ?? {}, { end: from + end }),
      onopentagend: open,
      onselfclosingtag: open,
      onclosetag: close,
      oncomment: (at, contentEnd) => {
        const start = from + at - 4;
        // `<!x`, `<?x` and `</9` are comments to browsers too, but are not written as such.
        if (!html.startsWith('<!--', start)) return;
        tokens.push({ kind: 'comment', start, end: Math.min(from + contentEnd + 1, html.length) });
      },
      onattribentity: () => undefined,
      oncdata: () => undefined,
      ondeclaration: () => undefined,
      onend: () => undefined,
      onprocessinginstruction: () => undefined,
      ontext: () => undefined,
      ontextentity: () => undefined,
    },
  );
  tokenizer.write(html.slice(from));
  if (goOn === html.length) tokenizer.end();
  if (raw !== undefined) tokens.push(raw);
  return goOn;
}

/** The name of an attribute and, if it has a value, the equals sign and the opening quote. */
const ATTRIBUTE = /[\s/]*(?:=?[^\s/>=]+|=)(?:\s*=\s*(["']?))?/y;

/** The end of a closing tag, which may have attributes: a `>` in quotes does not end it. 0 if there is no end. */
function closingTagEnd(html: string, nameEnd: number): number {
  const rest = /[^\s>]*/y;
  const end = /[\s/]*>/y;
  for (let at = nameEnd; ; ) {
    end.lastIndex = at;
    if (end.test(html)) return end.lastIndex;
    ATTRIBUTE.lastIndex = at;
    const attribute = ATTRIBUTE.exec(html);
    if (attribute === null) return 0;
    at = ATTRIBUTE.lastIndex;
    const [, quote] = attribute;
    if (quote === undefined) continue;
    if (quote === '') {
      rest.lastIndex = at;
      rest.test(html);
      at = rest.lastIndex;
    } else {
      at = html.indexOf(quote, at) + 1;
      if (at === 0) return 0;
    }
  }
}

/** Elements whose content is not displayed. */
export const HIDDEN_ELEMENTS: readonly string[] = ['script', 'style'];

/** Elements that separate words. */
const BLOCKS = new Set('br p li h1 h2 h3 h4 h5 h6 td th tr div'.split(' '));

/** The text that replaces an element's tag in plain text: a space if the element separates words. */
export function gapAt(element: string): string {
  return BLOCKS.has(element) ? ' ' : '';
}

/**
 * The text of HTML, with character references decoded.
 *
 * @param gapAt the text that replaces an element's tag.
 * @param hidden the elements whose content is omitted.
 */
export function textIn(
  html: string,
  gapAt: (element: string) => string,
  hidden: readonly string[] = HIDDEN_ELEMENTS,
): string {
  let text = '';
  let at = 0;
  /** The hidden element that is open. */
  let inside: string | undefined;
  for (const token of htmlTokens(html)) {
    if (inside === undefined) text += html.slice(at, token.start).replace(NO_TOKEN, '');
    at = token.end;
    if (token.kind === 'comment') continue;
    const { name } = token;
    text += gapAt(name);
    if (token.kind === 'close' && name === inside) inside = undefined;
    else if (token.kind === 'open' && token.contentEnd === undefined && hidden.includes(name)) inside = name;
  }
  if (inside === undefined) text += html.slice(at).replace(NO_TOKEN, '');
  return text.includes('&') ? decodeHTML(text) : text;
}

/** Constructs that are neither tokens nor text: `<!x>` and `<?x>`, and an open tag at the end. */
const NO_TOKEN = /<[!?/][^>]*>?|<[a-z][\s\S]*$/gi;

/** The value of an attribute of an opening tag; undefined if the tag lacks the attribute or its value. */
export function attributeOf(html: string, { attributes }: OpenToken, attribute: string): string | undefined {
  const found = attributes.find(({ name }) => name === attribute);
  if (found === undefined || found.end === found.start + attribute.length) return undefined;
  return decodeHTMLAttribute(html.slice(found.valueStart, found.valueEnd));
}
