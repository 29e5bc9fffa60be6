import { closedHtml } from '../../article/closed-html.js';
import { withLf } from '../../article/line-ends.js';
import type { IncomingBody, StoredBody } from '../../article/mapping.js';

// kramdown, Jekyll's Markdown renderer, knows more syntax than the service that wrote an article: attribute lists and
// extensions in braces, tables from any line with a pipe, math, footnotes, definition lists, dashes for hyphens. Some
// of it hides text, some runs code in old versions. There is no switch for all of it, so Markdown is only stored as
// such where both read it alike; everything else is stored as the HTML that the service sent along.

const FENCE = /^(`{3,}|~{3,})[\w+#.-]*[ \t]*$/;

const COMMENT = /^<!--(?:[^<>-]|-(?!-))*-->$/;

const HEADING = /^#{1,6} +([^\s#].*)$/;

const RULE = /^(?:-{3,}|\*{3,}|_{3,}|\* \* \*|- - -)$/;

const LINK_DEFINITION = /^\[[^\]^[\\]+\]: [^\s<>()|\\`]+(?: "[^"\\]*")?$/;

const LIST_ITEM = /^( *)([-*+]|\d{1,9}\.)( {1,3})(\S.*)$/;

const TABLE_RULE = /^\|(?: *:?-+:? *\|)+$/;

/** What begins another block inside of a list item, a quote or a paragraph. */
const BLOCK_START =
  /^(?:[-*+](?: |$)|\d+[.)](?: |$)|#{1,6}(?: |$)|>|`{3}|~{3}|:(?:\s|$)|\^\s*$|\*\[|[=-]+\s*$|\[[^\]]*\]:)/;

const CODE_SPAN = /(?<![`\\])(?:`[^`\s](?:[^`]*[^`\s])?`|``[^`\s](?:[^`]*[^`\s])?``)(?!`)/g;

const AUTOLINK = /<https?:\/\/[\w.~:/?#@!$&'*+,;=%-]+>/g;

const LINK = /!?\[(?!\^)([^[\]]*)\]\([^\s()<>|\\`]+(?: "[^"\\|`<>]*")?\)/g;

/** Emphasis around words, with none inside. */
const EMPHASIS =
  /(?<=^|[\s("'“‘—–])(\*\*|__|\*|_|~~)(?=[\p{L}\p{N}"'“‘(])[^*_~]*(?<=[\p{L}\p{N}"'”’).!?…%])\1(?=$|[\s)"'”’.,;:!?—–])/gu;

/** Syntax that remains once code, links and emphasis are taken out, and that kramdown reads in its own way. */
const OTHER_SYNTAX = new RegExp(
  [
    /[`|\x00-\x1f\x7f]/, // half a code span, a table, a tab
    /<(?![\s\d=]|$)|>>|--/, // HTML, or what becomes another sign
    /\$\$|\[\^|\{#/, // math, footnotes, ids
    /\[[^\]]*\[|\]\(/, // a link in a link, half a link
    /\\(?![\\.*_+`<>()[\]{}#!:|"'$=~-]|[A-Za-z0-9])|\\$/, // a line break, an escape that kramdown does not know
    /~~|(?<!^|\s)\*|\*(?!\s|$)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u, // half an emphasis
  ]
    .map(({ source }) => source)
    .join('|'),
  'u',
);

/**
 * Whether kramdown shows a Markdown text as CommonMark means it. Only what is known to be read alike is: headings,
 * paragraphs, emphasis, links, images, lists, quotes, fenced code, tables with outer pipes.
 */
export function isPlainMarkdown(markdown: string): boolean {
  const text = withLf(markdown);
  // An attribute list or an extension, wherever it stands: an excerpt may end inside of a code block.
  if (text.includes('{:') || hasOddReference(text)) return false;
  const lines = text.split('\n');
  let previous: 'blank' | 'paragraph' | 'quote' | 'list' | 'other' = 'blank';
  let hasBlank = false;
  let list: { indent: number; inner: number; marker: string }[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const next = lines[at + 1] ?? '';
    const endsBlock = next.trim() === '';
    if (line.trim() === '') {
      if (line !== '') return false;
      previous = 'blank';
      hasBlank = at > 0;
      continue;
    }
    const fence = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      const close = closingFence(lines, at + 1, fence);
      if (previous !== 'blank' || close === undefined || (lines[close + 1] ?? '') !== '') return false;
      // The first blank line ends the excerpt.
      if (!hasBlank && lines.slice(at, close).includes('')) return false;
      at = close;
      previous = 'other';
      list = [];
      continue;
    }
    if (line.startsWith('|')) {
      const end = tableEnd(lines, at);
      if (previous !== 'blank' || end === undefined) return false;
      at = end;
      previous = 'other';
      list = [];
      continue;
    }
    if (COMMENT.test(line) || RULE.test(line)) {
      const isUnderline = previous === 'paragraph' && /^-+$/.test(line) && (lines[at - 2] ?? '') === '';
      if ((previous !== 'blank' && !isUnderline) || !endsBlock) return false;
      previous = 'other';
      list = [];
      continue;
    }
    const item = LIST_ITEM.exec(line);
    if (item !== null) {
      const [, indent = '', marker = '', gap = '', content = ''] = item;
      const kind = marker.endsWith('.') ? '.' : marker;
      const inner = indent.length + marker.length + gap.length;
      while (list.length > 0 && (list.at(-1)?.indent ?? 0) > indent.length) list.pop();
      const isOther = (kind === '.') !== (list[0]?.marker === '.');
      if (previous === 'blank' && indent === '' && isOther) list = [];
      const level = list.at(-1);
      const isNew = level === undefined || indent.length !== level.indent;
      if (isNew) {
        if (indent.length !== (level?.inner ?? 0)) return false;
        // A list that starts with another number, or that follows a line of text.
        if (kind === '.' && marker !== '1.') return false;
        if (
          previous !== 'blank' &&
          previous !== 'list' &&
          !(previous === 'paragraph' && indent === '' && kind !== '.')
        )
          return false;
        if (level !== undefined && previous === 'blank') return false;
        list.push({ indent: indent.length, inner, marker: kind });
      } else if (level.marker !== kind || level.inner !== inner) return false;
      const words = content.replace(/^\[[ xX]\] +(?=\S)/, '');
      if (BLOCK_START.test(words) || !isPlainInline(words)) return false;
      previous = 'list';
      continue;
    }
    if (/^\s/.test(line)) return false;
    if (line.startsWith('>')) {
      const words = line.slice(1).replace(/^ /, '');
      if (previous !== 'blank' && previous !== 'quote') return false;
      if (/^\s/.test(words) || BLOCK_START.test(words) || words.startsWith('[') || !isPlainInline(words))
        return false;
      previous = 'quote';
      list = [];
      continue;
    }
    if (LINK_DEFINITION.test(line)) {
      if (previous !== 'blank' && previous !== 'other') return false;
      previous = 'other';
      list = [];
      continue;
    }
    if (previous !== 'blank' && previous !== 'paragraph') return false;
    list = [];
    const heading = HEADING.exec(line)?.[1];
    if (heading !== undefined) {
      if (previous !== 'blank' || !endsBlock || !isPlainInline(heading)) return false;
      previous = 'other';
      continue;
    }
    if (/^=+$/.test(line) && previous === 'paragraph' && (lines[at - 2] ?? '') === '' && endsBlock) {
      previous = 'other';
      continue;
    }
    if (BLOCK_START.test(line) || !isPlainInline(line)) return false;
    previous = 'paragraph';
  }
  return true;
}

/**
 * Whether a numeric character reference is of no character. kramdown makes bytes of it that are not UTF-8, at which
 * filters such as `strip_html` end the build.
 */
function hasOddReference(text: string): boolean {
  return [...text.matchAll(/&#(?:x([0-9a-f]+)|([0-9]+))/gi)].some(([, hex, decimal]) => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return (
      code < 0x20 ||
      (code > 0x7e && code < 0xa0) ||
      (code > 0xd7ff && code < 0xe000) ||
      code === 0xfffe ||
      code === 0xffff ||
      code > 0x10ffff
    );
  });
}

function closingFence(lines: readonly string[], from: number, fence: string): number | undefined {
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (line.trimEnd() === fence) return at;
    // One of the two readers may take it for the end.
    if (line.trimStart().startsWith(fence)) return undefined;
  }
  return undefined;
}

function tableEnd(lines: readonly string[], from: number): number | undefined {
  const columns = (line: string) => line.split('|').length;
  const width = columns(lines[from] ?? '');
  let at = from;
  for (; (lines[at] ?? '') !== ''; at++) {
    const line = (lines[at] ?? '').trimEnd();
    if (!line.startsWith('|') || !line.endsWith('|') || columns(line) !== width) return undefined;
    const isRule = TABLE_RULE.test(line);
    if (isRule !== (at === from + 1)) return undefined;
    if (isRule) continue;
    const cells = line.slice(1, -1).split('|');
    if (cells.some((cell) => cell.trim() === '' || /^[-+:= ]+$/.test(cell) || !isPlainInline(cell.trim())))
      return undefined;
  }
  return at > from + 2 ? at - 1 : undefined;
}

/** Whether the text of one line has nothing that kramdown alone understands. */
function isPlainInline(text: string): boolean {
  let isPlain = true;
  const words = text
    .replace(CODE_SPAN, 'x')
    .replace(AUTOLINK, 'x')
    .replace(LINK, (_, label: string) => {
      isPlain &&= isPlainInline(label);
      return 'x';
    })
    .replace(/ {2}$/, '')
    .replace(EMPHASIS, (span, mark: string) => span.slice(mark.length, -mark.length));
  return isPlain && !OTHER_SYNTAX.test(words);
}

/**
 * A text in which Liquid finds nothing to run and which it prints as it was: each `{{` and `{%` becomes a Liquid
 * string. It is the same everywhere, in code, attributes and scripts, as Liquid runs before Markdown.
 */
export function escapeLiquid(text: string): string {
  return text.replace(/\{[{%]/g, (open) => `{{ "${open}" }}`);
}

/**
 * HTML for the body of a Markdown file, printed byte for byte but for CR.
 *
 * @param keepsHtml whether the site has another Markdown renderer than kramdown, one that only keeps raw HTML.
 */
export function htmlInMarkdown(html: string, keepsHtml = false): string {
  const text = withLf(html);
  const end = excerptEnd(text);
  const wrap = keepsHtml ? inDiv : withoutMarkdown;
  // Jekyll's excerpt ends at the first blank line, which must not be in the middle of an element.
  return `${wrap(withoutBlankLines(text.slice(0, end)))}\n${wrap(text.slice(end).replace(/^\n+/, ''))}`;
}

function withoutMarkdown(html: string): string {
  // The end of the extension in the text itself would set the rest of it free.
  const inert = html.replaceAll('{:/', '&#123;:/').trimEnd();
  return `{::nomarkdown}\n${inert === '' ? '' : `${inert}\n`}{:/nomarkdown}\n`;
}

/** An element in which blank lines count, by its start or its end. */
const WHITE_SPACE_TAG = /(<\/?(?:pre|textarea)\b[^<>]*>)/i;

function inDiv(html: string): string {
  let isInside = false;
  const parts = html.split(WHITE_SPACE_TAG).map((part, index) => {
    if (index % 2 === 1) isInside = !part.startsWith('</');
    // A reader of HTML takes the reference for the line end.
    return isInside ? part.replace(/\n(?=[ \t]*\n)/g, '&#10;') : withoutBlankLines(part);
  });
  const text = withoutBlankLines(parts.join('')).trim();
  return `<div>\n${text === '' ? '' : `${text}\n`}</div>\n`;
}

function withoutBlankLines(text: string): string {
  return text.replace(/\n[ \t]*(?=\n)/g, '');
}

const IN_EXCERPT = new Set(
  'p h1 h2 h3 h4 h5 h6 a abbr b cite code del em i ins kbd mark q s small span strong sub sup time u'.split(
    ' ',
  ),
);

const VOID = new Set(['br', 'img', 'wbr']);

const LONGEST_EXCERPT = 10_000;

/**
 * Where the first paragraph ends, so that what stands before is HTML with each element closed; 0 where the article
 * begins in another way, or where that paragraph has a Liquid tag: Jekyll would close the tag in an excerpt.
 */
function excerptEnd(html: string): number {
  const end = html.slice(0, LONGEST_EXCERPT).search(/<\/p\s*>/i);
  if (end === -1) return 0;
  const head = html.slice(0, html.indexOf('>', end) + 1);
  if (head.includes('{%') || head.includes('<!')) return 0;
  const open: string[] = [];
  for (const [, slash, name = ''] of head.matchAll(/<(\/?)([A-Za-z][^\s/>]*)[^>]*>/g)) {
    const tag = name.toLowerCase();
    if (VOID.has(tag)) continue;
    if (!IN_EXCERPT.has(tag)) return 0;
    if (slash === '') open.push(tag);
    else if (open.pop() !== tag) return 0;
  }
  return open.length === 0 ? head.length : 0;
}

/**
 * The `excerpt_separator` that ends an HTML file's excerpt after its first paragraph; empty where it can have none.
 * Jekyll's own, a blank line, may stand inside of `<pre>`, and the rest of the list page would be in it.
 */
export function excerptSeparator(html: string): string {
  const end = excerptEnd(html);
  if (end === 0) return '';
  const rest = html.slice(end);
  for (let length = 1; length <= Math.min(rest.length, 80); length++) {
    const separator = rest.slice(0, length);
    if (html.indexOf(separator) === end) return separator;
  }
  return '';
}

/** Whether a body is stored as Markdown, as kramdown reads it like its author. */
export function isStoredAsMarkdown(
  body: IncomingBody,
  wanted: 'markdown' | 'html',
  hasSwitch: boolean,
): boolean {
  if (wanted !== 'markdown' || body.kind !== 'markdown') return false;
  // Jekyll adds the end of a Liquid block to an excerpt that has only its beginning, even where Liquid is off.
  const excerpt = withLf(body.markdown).split('\n\n', 1)[0] ?? '';
  return isPlainMarkdown(body.markdown) && !(hasSwitch && excerpt.includes('{%'));
}

/** The body for a file, and the front matter that keeps Liquid from running in it. */
export function storedBody(
  incoming: IncomingBody,
  path: string,
  wanted: 'markdown' | 'html',
  hasSwitch: boolean,
  keepsHtml: boolean,
): StoredBody {
  const inert = (text: string) => (hasSwitch ? text : escapeLiquid(text));
  const html = closedHtml(incoming.html);
  // Where the text is escaped, it has to run through Liquid.
  const render_with_liquid = hasSwitch ? false : undefined;
  if (path.endsWith('.html')) {
    const text = inert(html);
    return { text, frontMatter: { render_with_liquid, excerpt_separator: excerptSeparator(text) } };
  }
  if (incoming.kind === 'markdown' && isStoredAsMarkdown(incoming, wanted, hasSwitch))
    return { text: inert(incoming.markdown), frontMatter: { render_with_liquid } };
  // A separator of the site's own, such as a line end, would cut the wrapping.
  const text = inert(htmlInMarkdown(html, keepsHtml));
  return { text, frontMatter: { render_with_liquid, excerpt_separator: '\n\n' } };
}
