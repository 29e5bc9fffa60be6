import { textIn } from '../../article/text/html-tokens.js';
import { isSlowMarkdown, markdownTokens, renderMarkdown } from '../../article/text/markdown.js';
import { withReplacements } from '../../article/text/replacements.js';

/** The escapes that turn Markdown into plain text for a generator, by the kind of position. */
export interface MarkdownEscapes {
  /** Escapes everything except code: paragraphs and headings, including addresses of links and raw HTML. */
  prose(source: string): string;
  /** Escapes a code span with its backticks. @default unchanged */
  inlineCode?(source: string): string;
  /** Escapes the lines of a code block, with its fences and the marks of the list or quotation around it. @default unchanged */
  codeBlock?(source: string): string;
}

/** A piece of code in Markdown, with its offsets. */
interface Code {
  readonly kind: 'inlineCode' | 'codeBlock';
  readonly start: number;
  readonly end: number;
  readonly isFence: boolean;
}

/**
 * Escapes each piece of Markdown by its position. A Markdown parser decides what is code; anything uncertain is escaped as
 * prose.
 *
 * @returns undefined if readers would see a different text, such as an escape in code, or if escaping would take long. The
 *   article must then be stored as HTML.
 */
export function escapedMarkdown(markdown: string, escapes: MarkdownEscapes): string | undefined {
  if (isSlowMarkdown(markdown)) return undefined;
  const source = markdown.replace(/\r\n?/g, '\n');
  let text = '';
  let at = 0;
  for (const { kind, start, end } of codeIn(source)) {
    const code = source.slice(start, end);
    text += escapes.prose(source.slice(at, start)) + (escapes[kind]?.(code) ?? code);
    at = end;
  }
  text += escapes.prose(source.slice(at));
  if (text === source) return markdown;
  return shownText(text) === shownText(source) ? text : undefined;
}

/**
 * Markdown without its code: without code spans, and without the lines of fenced code blocks below the opening fence. Indented
 * code stays, as it may belong to a footnote or a definition for a generator. A code span with the end of a script stays too:
 * generators put headings into scripts.
 *
 * @returns the text unchanged if it is slow to parse, so that `needsHtml` detects it.
 */
export function withoutCode(markdown: string): string {
  if (isSlowMarkdown(markdown) || !/[`~]/.test(markdown)) return markdown;
  const source = markdown.replace(/\r\n?/g, '\n');
  const left = codeIn(source).flatMap(({ kind, start, end, isFence }) => {
    const code = source.slice(start, end);
    if (kind === 'codeBlock') return isFence ? [{ start, end, text: `${code.split('\n', 1)[0]}\n` }] : [];
    return /<\/script/i.test(code) ? [] : [{ start, end, text: '``' }];
  });
  return withReplacements(source, left);
}

function shownText(markdown: string): string {
  return textIn(renderMarkdown(markdown), () => '', []);
}

/** The pieces of a text that are certainly code, in order. */
function codeIn(source: string): Code[] {
  const starts = [0, ...Array.from(source.matchAll(/\n/g), ({ index }) => index + 1)];
  const offset = (line: number) => starts[line] ?? source.length;
  const code: Code[] = [];
  /** The code spans of the paragraphs, headings and table rows in the same lines, by these lines. */
  const spans = new Map<string, { readonly start: number; readonly end: number; readonly texts: string[] }>();
  let lines: [number, number] = [0, 0];
  for (const { type, map, children } of markdownTokens(source)) {
    lines = map ?? lines; // a cell has the line numbers of its row
    const [start, end] = [offset(lines[0]), offset(lines[1])];
    if (type === 'fence' || type === 'code_block')
      code.push({ kind: 'codeBlock', start, end, isFence: type === 'fence' });
    if (type !== 'inline') continue;
    const found = spans.get(lines.join()) ?? { start, end, texts: [] };
    spans.set(lines.join(), found);
    for (const child of children ?? []) if (child.type === 'code_inline') found.texts.push(child.content);
  }
  for (const { start, end, texts } of spans.values())
    code.push(...spansIn(source.slice(start, end), texts).map((span) => moved(span, start)));
  return code.toSorted((one, other) => one.start - other.start);
}

/**
 * The code spans of a paragraph. None if they differ from the parser's, or if there may be a tag or an autolink, in which a
 * backtick does not begin a code span.
 */
function spansIn(text: string, expected: readonly string[]): Code[] {
  const spans: Code[] = [];
  let between = '';
  let at = 0;
  const opening = /\\[\s\S]|`+/g;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const [run] = found;
    const inside = opening.lastIndex;
    const close = run.startsWith('`') ? closingRun(text, inside, run.length) : -1;
    if (close === -1) continue;
    between += text.slice(at, found.index);
    at = close + run.length;
    spans.push({ kind: 'inlineCode', start: found.index, end: at, isFence: false });
    opening.lastIndex = at;
  }
  const isSame =
    spans.length === expected.length &&
    spans.every(({ start, end }, index) => contentOf(text.slice(start, end)) === expected[index]);
  return isSame && !/<[a-z/!?]/i.test(between + text.slice(at)) ? spans : [];
}

/** The next run of exactly `length` backticks. */
function closingRun(text: string, from: number, length: number): number {
  const run = /`+/g;
  run.lastIndex = from;
  for (let found = run.exec(text); found !== null; found = run.exec(text))
    if (found[0].length === length) return found.index;
  return -1;
}

/** The displayed text of a code span. */
function contentOf(span: string): string {
  const content = span.replace(/^`+|`+$/g, '').replaceAll('\n', ' ');
  return /^ .*[^ ].* $/.test(content) ? content.slice(1, -1) : content;
}

function moved(code: Code, by: number): Code {
  return { ...code, start: code.start + by, end: code.end + by };
}
