import MarkdownIt from 'markdown-it';

// Raw HTML is kept: the author of the file is the author of the site.
const markdownIt = new MarkdownIt({ html: true });

/** What a text is made of, as markdown-it names it. */
export type Token = ReturnType<(typeof markdownIt)['parse']>[number];

/** Reads a Markdown text. */
export function parseMarkdown(text: string): readonly Token[] {
  return markdownIt.parse(text, {});
}

/** The HTML of a text that was read. */
export function htmlOf(tokens: readonly Token[]): string {
  return markdownIt.renderer.render([...tokens], markdownIt.options, {});
}

/** The words of one line of Markdown, without its marks. */
export function plainLine(text: string): string {
  return plainText(markdownIt.parseInline(text, {}));
}

/** The words of a text, without its marks and its HTML, on one line. */
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
  return type === 'html_inline' ? '' : content; // of an image, the alternative text
}

/**
 * The line that closes a code block with which a text ends; empty if none is open. What is put after such a text
 * would be code.
 *
 * @param tokens those of a text that does not end with a line break: a block that is closed then is the one whose
 *   content does.
 */
export function missingFence(tokens: readonly Token[]): string {
  const last = tokens.at(-1);
  if (last?.type !== 'fence' || last.map === null) return '';
  const [start, end] = last.map;
  const isClosed = last.content === '' ? end - start > 1 : last.content.endsWith('\n');
  return isClosed ? '' : `\n${last.markup}`;
}
