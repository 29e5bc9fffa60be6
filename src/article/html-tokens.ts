import { decodeHTMLAttribute } from 'entities/decode';
import { Tokenizer } from 'htmlparser2';

/** An attribute of a tag, as offsets in the page. */
export interface HtmlAttribute {
  /** In lower case. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Of the value without its quotes; both are equal if there is none. */
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** A piece of an HTML page that is not text. Positions are indexes into the page. */
export type HtmlToken =
  | { readonly kind: 'comment'; readonly start: number; readonly end: number }
  | { readonly kind: 'close'; readonly name: string; readonly start: number; readonly end: number }
  | {
      readonly kind: 'open';
      /** In lower case. */
      readonly name: string;
      readonly attributes: readonly HtmlAttribute[];
      readonly start: number;
      /** Behind the tag; for an element of raw text, such as `script`, behind its closing tag. */
      readonly end: number;
      /** Behind the opening tag. */
      readonly contentStart: number;
      /** The end of an element of raw text without its closing tag; undefined for other elements. */
      readonly contentEnd: number | undefined;
    };

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

type OpenToken = Extract<HtmlToken, { kind: 'open' }>;

/** What is inside these elements is text, whatever it looks like. */
const RAW_TEXT = new Set('script style textarea title xmp iframe noembed noframes plaintext'.split(' '));

/**
 * Lists the tags and comments of a page in their order, as an HTML parser separates them: nothing that stands in a
 * comment, in a script or in an attribute's value is taken for a tag. The text may be in any encoding that has ASCII in
 * its usual place, and may be broken in any way. It takes time in proportion to the length.
 */
export function htmlTokens(html: string): HtmlToken[] {
  const tokens: HtmlToken[] = [];
  let tag = { name: '', start: 0 };
  let attributes: Mutable<HtmlAttribute>[] = [];
  /** The element of raw text that is not closed yet. */
  let raw: OpenToken | undefined;
  const open = (at: number) => {
    const contentStart = at + 1;
    const token = { kind: 'open', ...tag, attributes, end: contentStart, contentStart } as const;
    if (RAW_TEXT.has(tag.name)) raw = { ...token, contentEnd: html.length, end: html.length };
    else tokens.push({ ...token, contentEnd: undefined });
  };
  const close = (start: number, nameEnd: number) => {
    const name = html.slice(start, nameEnd).toLowerCase();
    const end = html.indexOf('>', nameEnd) + 1;
    if (raw !== undefined) {
      tokens.push({ ...raw, contentEnd: start - 2, end: end || html.length });
      raw = undefined;
    } else if (end > 0) tokens.push({ kind: 'close', name, start: start - 2, end });
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname: (start, end) => {
        tag = { name: html.slice(start, end).toLowerCase(), start: start - 1 };
        attributes = [];
      },
      onattribname: (start, end) => {
        const name = html.slice(start, end).toLowerCase();
        attributes.push({ name, start, end, valueStart: end, valueEnd: end });
      },
      onattribdata: (valueStart, valueEnd) =>
        Object.assign(attributes.at(-1) ?? {}, { valueStart, valueEnd }),
      onattribend: (_quote, end) => Object.assign(attributes.at(-1) ?? {}, { end }),
      onopentagend: open,
      onselfclosingtag: open,
      onclosetag: close,
      oncomment: (start, end) => {
        // `<!x`, `<?x` and `</9` are comments to a browser, too, but nobody writes them as such.
        if (!html.startsWith('<!--', start - 4)) return;
        tokens.push({ kind: 'comment', start: start - 4, end: Math.min(end + 1, html.length) });
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
  // Outside of SVG and MathML it is a comment like `<!x>`, which ends at the first `>`.
  tokenizer.write(html.replaceAll('<![CDATA[', '<![cdata['));
  tokenizer.end();
  if (raw !== undefined) tokens.push(raw);
  return tokens;
}

/** The value of an attribute of an opening tag; undefined if the tag has no such attribute, or none with a value. */
export function attributeOf(tag: string, attribute: string): string | undefined {
  const [token] = htmlTokens(tag);
  if (token?.kind !== 'open') return undefined;
  const found = token.attributes.find(({ name }) => name === attribute);
  if (found === undefined || found.end === found.start + attribute.length) return undefined;
  return decodeHTMLAttribute(tag.slice(found.valueStart, found.valueEnd));
}
