/** A piece of an HTML page that is not text. Positions are indexes into the page. */
export type HtmlToken =
  | { readonly kind: 'comment'; readonly start: number; readonly end: number }
  | { readonly kind: 'close'; readonly name: string; readonly start: number; readonly end: number }
  | {
      readonly kind: 'open';
      /** In lower case. */
      readonly name: string;
      readonly start: number;
      /** Behind the tag; for an element of raw text, such as `script`, behind its closing tag. */
      readonly end: number;
      /** Behind the opening tag. */
      readonly contentStart: number;
      /** The end of an element of raw text without its closing tag; undefined for other elements. */
      readonly contentEnd: number | undefined;
    };

/** What is inside these elements is text, whatever it looks like. */
const RAW_TEXT = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes']);

/**
 * Lists the tags and comments of a page in their order, as an HTML parser separates them: nothing that stands in a
 * comment, in a script or in an attribute's value is taken for a tag. The text may be in any encoding that has ASCII in
 * its usual place, and may be broken in any way.
 */
export function htmlTokens(html: string): HtmlToken[] {
  const tokens: HtmlToken[] = [];
  let at = 0;
  for (;;) {
    const start = html.indexOf('<', at);
    if (start === -1) return tokens;
    if (html.startsWith('<!--', start)) {
      const end = commentEnd(html, start);
      tokens.push({ kind: 'comment', start, end });
      at = end;
      continue;
    }
    const next = html[start + 1] ?? '';
    // `<!x`, `<?x` and `</9` are comments to a browser, which end at the first `>`.
    if (next === '!' || next === '?' || (next === '/' && /[^a-z]/i.test(html[start + 2] ?? ''))) {
      const end = html.indexOf('>', start);
      if (end === -1) return tokens;
      at = end + 1;
      continue;
    }
    const isClose = next === '/';
    const name = tagName(html, start + (isClose ? 2 : 1));
    if (name === '') {
      at = start + 1;
      continue;
    }
    const end = tagEnd(html, start + (isClose ? 2 : 1) + name.length);
    if (end === undefined) return tokens; // an unfinished tag reaches to the end of the page
    if (isClose) tokens.push({ kind: 'close', name, start, end });
    else if (RAW_TEXT.has(name)) {
      const contentEnd = rawTextEnd(html, name, end);
      const closed = contentEnd === html.length ? html.length : (tagEnd(html, contentEnd) ?? html.length);
      tokens.push({ kind: 'open', name, start, end: closed, contentStart: end, contentEnd });
      at = closed;
      continue;
    } else tokens.push({ kind: 'open', name, start, end, contentStart: end, contentEnd: undefined });
    at = end;
  }
}

function commentEnd(html: string, start: number): number {
  if (html.startsWith('<!-->', start)) return start + 5;
  if (html.startsWith('<!--->', start)) return start + 6;
  const ends = /--!?>/g;
  ends.lastIndex = start + 4;
  return ends.exec(html) === null ? html.length : ends.lastIndex;
}

const NAME = /[a-z][^\s/>]*/iy;

function tagName(html: string, from: number): string {
  NAME.lastIndex = from;
  return NAME.exec(html)?.[0].toLowerCase() ?? '';
}

/** The index behind the `>` of a tag; one in a quoted value does not count. */
function tagEnd(html: string, from: number): number | undefined {
  // Most tags have no attributes, and need no walk through their characters.
  const end = html.indexOf('>', from);
  if (end === -1 || !html.slice(from, end).includes('=')) return end === -1 ? undefined : end + 1;
  let quote: string | undefined;
  let isValue = false; // behind `=`: only there quotes have a meaning
  for (let at = from; at < html.length; at++) {
    const char = html[at] ?? '';
    if (quote !== undefined) {
      if (char === quote) quote = undefined;
    } else if (char === '>') return at + 1;
    else if (isValue && (char === '"' || char === "'")) {
      quote = char;
      isValue = false;
    } else if (char === '=') isValue = true;
    else if (!/\s/.test(char)) isValue = false;
  }
  return undefined;
}

function rawTextEnd(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  close.lastIndex = from;
  if (name !== 'script') return close.exec(html)?.index ?? html.length;
  // A script that holds `<!--` and then `<script` ends only behind another `</script>` or `-->`.
  const marks = /<!--|-->|<script(?=[\s/>])|<\/script(?=[\s/>])/gi;
  marks.lastIndex = from;
  let isEscaped = false;
  let isDouble = false;
  for (let mark = marks.exec(html); mark !== null; mark = marks.exec(html)) {
    const text = mark[0].toLowerCase();
    if (text === '<!--') isEscaped = true;
    else if (text === '-->') isEscaped = isDouble = false;
    else if (text === '<script') isDouble = isEscaped;
    else if (isDouble) isDouble = false;
    else return mark.index;
  }
  return html.length;
}

/** The value of an attribute of a tag, as it is written but for the commonest character references. */
export function attributeOf(tag: string, attribute: string): string | undefined {
  const attributes = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;
  attributes.lastIndex = /^<\/?[^\s/>]*/.exec(tag)?.[0].length ?? 0;
  for (let found = attributes.exec(tag); found !== null; found = attributes.exec(tag)) {
    const [, name = '', double, single, bare] = found;
    if (name.toLowerCase() === attribute) return unescaped(double ?? single ?? bare ?? '');
  }
  return undefined;
}

function unescaped(value: string): string {
  if (!value.includes('&')) return value;
  return value
    .replace(/&#x([0-9a-f]{1,6});/gi, (all, code: string) => character(Number.parseInt(code, 16), all))
    .replace(/&#([0-9]{1,7});/g, (all, code: string) => character(Number(code), all))
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

function character(code: number, otherwise: string): string {
  return code <= 0x10_ffff ? String.fromCodePoint(code) : otherwise;
}
