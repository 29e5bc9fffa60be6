import MarkdownIt from 'markdown-it';

// Raw HTML is kept: the author of the file is the owner of the site.
const markdownIt = new MarkdownIt({ html: true });

/** A token of markdown-it. */
export type Token = ReturnType<(typeof markdownIt)['parse']>[number];

/** Parses a Markdown text. */
export function parseMarkdown(text: string): readonly Token[] {
  return markdownIt.parse(text, {});
}

/** Renders parsed Markdown as HTML. */
export function renderTokens(tokens: readonly Token[]): string {
  return markdownIt.renderer.render([...tokens], markdownIt.options, {});
}

/** The words of one line of Markdown, without markup. */
export function plainLine(text: string): string {
  return plainText(markdownIt.parseInline(text, {}));
}

/** The words of a text on one line, without markup and HTML. */
export function plainText(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, content, children }) => {
      if (type === 'inline') return (children ?? []).map(inlineText).join('');
      return type === 'fence' || type === 'code_block' ? content : '';
    })
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function inlineText({ type, content }: Token): string {
  if (type === 'softbreak' || type === 'hardbreak') return ' ';
  return type === 'html_inline' ? '' : content; // for an image, the alternative text
}

/**
 * The line that closes an open code block at the end of a text; empty if none is open. Text that is appended without it would
 * be code.
 *
 * @param tokens the tokens of a text without a line break at its end. Then the content of a last block ends with one only if
 *   the block is closed.
 */
export function missingFence(tokens: readonly Token[]): string {
  const last = tokens.at(-1);
  if (last?.type !== 'fence' || last.map === null) return '';
  const [start, end] = last.map;
  const isClosed = last.content === '' ? end - start > 1 : last.content.endsWith('\n');
  return isClosed ? '' : `\n${last.markup}`;
}
