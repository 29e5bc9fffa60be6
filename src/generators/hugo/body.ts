import { createRequire } from 'node:module';
import type MarkdownIt from 'markdown-it';
import { closedHtml } from '../../article/closed-html.js';
import { htmlTokens } from '../../article/html-tokens.js';
import type { IncomingBody, StoredBody } from '../../article/mapping.js';
import { renderMarkdown } from '../../article/markdown.js';

export const require = createRequire(import.meta.url);

type Token = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number];

let parser: InstanceType<typeof MarkdownIt> | undefined;

/** Both read CommonMark: what markdown-it takes for code, raw HTML or a heading, Hugo's goldmark does too. */
function commonMark(): InstanceType<typeof MarkdownIt> {
  parser ??= new (require('markdown-it') as typeof MarkdownIt)({ html: true });
  return parser;
}

function parse(markdown: string): Token[] {
  return commonMark().parse(markdown, {});
}

const MORE = '<!--more-->';

/** Where Hugo's Markdown leaves CommonMark: a line after a colon is a definition, and a footnote holds blocks. */
const NESTED_BLOCKS = /^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)*(?::(?:[ \t]|\r?$)|\[\^[^\]\n]*\]:)/m;

/**
 * A Markdown body that Hugo displays as it was sent and never runs: shortcodes are commented out, attributes of
 * headings and blocks are escaped, those of code blocks, which can crash Hugo, are cut off.
 *
 * @param rawHtml whether the site's goldmark keeps raw HTML (`unsafe`).
 * @returns undefined where no Markdown does that; then the body must be HTML.
 */
export function inertMarkdown(markdown: string, rawHtml: boolean): string | undefined {
  const tokens = parse(markdown);
  if (NESTED_BLOCKS.test(markdown)) return undefined;
  if (hasRawHtml(tokens) && !(rawHtml && isClosed(markdown))) return undefined;
  if (hasDoubtfulComment(tokens)) return undefined;
  if (!hasOnlyWholeDividers(markdown, tokens)) return undefined;
  const text = withoutAttributes(markdown, tokens);
  if (text === undefined) return undefined;
  const escaped = commentedOut(text);
  if (escaped.isClosed) return escaped.text;
  const last = parse(`${text}${CLOSING.replace('*/', '')}`).at(-1);
  // In an unclosed code block, the comment would be displayed.
  return last?.type === 'html_block' && last.level === 0 ? escaped.text : undefined;
}

/**
 * An HTML body that Hugo prints as it was sent and never runs. But for `<!--more-->`, at which Hugo would cut the
 * text, and what is never closed (a shortcode, a comment, a tag), the page has it byte for byte.
 */
function inertHtml(html: string): string {
  return commentedOut(withoutDividers(closedHtml(html))).text;
}

/**
 * A text for the front matter. Many themes send titles and descriptions through `markdownify`, which runs shortcodes
 * and knows no comments in them; a word joiner between the braces, which nobody sees, prevents that.
 */
export function inertText(text: string): string {
  return text.replace(/\{(?=\u2060*\{[<%])/g, '{\u2060');
}

/** The inverse of `inertText`. */
export function sentText(written: string): string {
  return written.replace(/\{\u2060(?=\u2060*\{[<%])/g, '{');
}

/** Closes, at the end of the text, a shortcode comment that nothing closes. */
const CLOSING = '\n\n<!-- */>}} -->\n';

// `{{< x >}}` becomes `{{</* x */>}}`, which Hugo prints without the comment marks. It looks for both ends before it
// reads the Markdown or HTML between them, so that this holds in code, in attributes and in scripts alike.
function commentedOut(text: string): { readonly text: string; readonly isClosed: boolean } {
  const pieces: string[] = [];
  let from = 0;
  for (;;) {
    const opening = /\{\{[<%]/g;
    opening.lastIndex = from;
    const found = opening.exec(text);
    if (found === null) return { text: pieces.join('') + text.slice(from), isClosed: true };
    const start = found.index + 3;
    const right = found[0] === '{{<' ? '>}}' : '%}}';
    const end = text.indexOf(right, start);
    if (end === -1) {
      const closing = CLOSING.replace('>}}', right);
      return {
        text: `${pieces.join('')}${text.slice(from, start)}/*${text.slice(start)}${closing}`,
        isClosed: false,
      };
    }
    pieces.push(text.slice(from, start), '/*', text.slice(start, end), '*/', right);
    from = end + right.length;
  }
}

/** Whether the page goes on after this Markdown where raw HTML is kept. */
function isClosed(markdown: string): boolean {
  const html = commonMark().render(markdown);
  return closedHtml(html) === html;
}

/** Whether something is not displayed unless goldmark is `unsafe`. Comments are not displayed anyway. */
function hasRawHtml(tokens: readonly Token[]): boolean {
  return tokens.some(
    ({ type, content, children }) =>
      ((type === 'html_block' || type === 'html_inline') && withoutComments(content).trim() !== '') ||
      (children !== null && hasRawHtml(children)),
  );
}

function withoutComments(html: string): string {
  // Behind the last end, each comment that is never closed would be looked at to the end of the text.
  const end = html.lastIndexOf('-->') + '-->'.length;
  return html.slice(0, end).replace(/<!--(?:-?>|[\s\S]*?-->)/g, '') + html.slice(end);
}

/** In a paragraph, Hugo displays a comment that is one only since CommonMark 0.31, such as `<!-->`. */
function hasDoubtfulComment(tokens: readonly Token[]): boolean {
  return tokens.some(
    ({ type, content, children }) =>
      (type === 'html_inline' &&
        content.startsWith('<!--') &&
        !/^<!--(?!-?>)(?:(?!--)[\s\S])*(?<!-)-->$/.test(content)) ||
      (children !== null && hasDoubtfulComment(children)),
  );
}

/** Hugo cuts the text at the first `<!--more-->`, in code too, and drops white space; between two blocks, that is right. */
function hasOnlyWholeDividers(markdown: string, tokens: readonly Token[]): boolean {
  const all = markdown.split(MORE).length - 1;
  if (all === 0) return true;
  const whole = tokens.filter(
    ({ type, level, content }) => type === 'html_block' && level === 0 && content.trim() === MORE,
  );
  return (
    all === 1 &&
    whole.length === 1 &&
    /(?:^|\n[ \t]*\r?\n)<!--more-->[ \t]*\r?\n[ \t]*\r?\n(?=\S)/.test(markdown)
  );
}

/** What goldmark takes for a block's attributes where `markup.goldmark.parser.attribute.block` is set. */
const BLOCK_ATTRIBUTES = /^([ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)*)\{(?=[ \t]*[.#a-z_:])/i;

/** Undefined where it is not certain that Hugo sees the same code blocks. */
function withoutAttributes(markdown: string, tokens: readonly Token[]): string | undefined {
  const lines = markdown.split('\n');
  const verbatim = new Set<number>();
  const edit = (index: number, change: (line: string) => string) => {
    const line = lines[index];
    if (line !== undefined) lines[index] = change(line);
  };
  for (const { type, map, markup, children } of tokens) {
    if (map === null) continue;
    const [start, end] = map;
    const isCode = type === 'fence' || type === 'code_block';
    if (type === 'fence') edit(start, (line) => withoutInfoAttributes(line, markup));
    if (isCode || type === 'html_block') for (let n = start; n < end; n += 1) verbatim.add(n);
    if (isCode && lines.slice(start + 1, end).some((line) => /(?:`{3,}|~{3,})[^`]*\{/.test(line)))
      return undefined;
    if (type === 'heading_open') edit(end - (markup.startsWith('#') ? 1 : 2), withoutHeadingAttributes);
    // A code span or a tag may go on in the next line, where an escape would be displayed.
    const hasVerbatim = children?.some(
      (child) => child.type === 'code_inline' || child.type === 'html_inline',
    );
    if (hasVerbatim && lines.slice(start + 1, end).some((line) => BLOCK_ATTRIBUTES.test(line)))
      return undefined;
  }
  for (const index of lines.keys())
    if (!verbatim.has(index)) edit(index, (line) => line.replace(BLOCK_ATTRIBUTES, '$1\\{'));
  return lines.join('\n');
}

/**
 * Keeps a plain language and what follows it up to attributes; entities and escapes would be undone before Hugo looks
 * for those. It does not escape a language, and draws a picture of `goat`.
 */
function withoutInfoAttributes(line: string, fence: string): string {
  const start = line.indexOf(fence) + fence.length;
  const [, info = '', language = '', rest = '', end = ''] =
    /^([ \t]*([^\s]*)([^{&\\\r]*))[^\r]*(\r?)$/.exec(line.slice(start)) ?? [];
  const isPlain = /^[\w+#.-]*$/.test(language) && language.toLowerCase() !== 'goat' && !/["'<>]/.test(rest);
  return `${line.slice(0, start)}${isPlain ? info.trimEnd() : ''}${end}`;
}

function withoutHeadingAttributes(line: string): string {
  return line.replace(/(?<!\\)\}(?=[ \t]*#*\s*$)/, '\\}');
}

/** A comment that Hugo does not cut the text at. */
const COMMENT = '<!-- more -->';

/** `<!--more-->` as a character reference, where an HTML parser reads those. */
const ESCAPED = '&lt;!--more-->';

/** What `<!--more-->` is replaced by in an element whose content is text. */
const IN_TEXT: Readonly<Record<string, string>> = {
  script: '\\u003c!--more-->',
  textarea: ESCAPED,
  title: ESCAPED,
};

/** Hugo cuts the text at `<!--more-->` wherever it stands; what is shown instead depends on the place. */
function withoutDividers(html: string): string {
  if (!html.includes(MORE)) return html;
  const pieces: string[] = [];
  let from = 0;
  const until = (end: number, divider: string) => {
    pieces.push(html.slice(from, end).replaceAll(MORE, divider));
    from = end;
  };
  for (const token of htmlTokens(html)) {
    until(token.start, COMMENT);
    if (token.kind === 'comment') until(token.end, COMMENT);
    else if (token.kind === 'open' && token.contentEnd !== undefined) {
      until(token.contentStart, ESCAPED);
      until(token.contentEnd, IN_TEXT[token.name] ?? COMMENT);
    }
    until(token.end, ESCAPED);
  }
  until(html.length, COMMENT);
  return pieces.join('');
}

/** The body for a file, and the `markup` that it needs. */
export function storedBody(incoming: IncomingBody, path: string, rawHtml: boolean): StoredBody {
  const isHtmlFile = /\.html?$/i.test(path);
  if (!isHtmlFile && incoming.kind === 'markdown') {
    const text = inertMarkdown(incoming.markdown, rawHtml);
    if (text !== undefined) return { text, frontMatter: { markup: undefined } };
  }
  const html =
    incoming.html === '' && incoming.kind === 'markdown' ? renderMarkdown(incoming.markdown) : incoming.html;
  return { text: inertHtml(html), frontMatter: { markup: isHtmlFile ? undefined : 'html' } };
}
