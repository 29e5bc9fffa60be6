import { closedHtml } from '../../article/text/closed-html.js';
import { htmlTokens, type OpenToken } from '../../article/text/html-tokens.js';

/** Elements without a closing tag, and those whose closing tag alone has a meaning for browsers. */
const UNCLOSED = new Set('area base br col embed hr img input link meta param source track wbr p'.split(' '));
/** Elements of the page around an article. */
const DOCUMENT = new Set(['html', 'head', 'body']);
/** Text elements in which character references are decoded. */
const WITH_REFERENCES = new Set(['textarea', 'title']);

const BLANK = /\n([ \t\f\v]*)\n/g;

/**
 * Makes HTML for a Markdown file that Markdown passes through unchanged: one `<div>` from the first column on, without blank
 * lines. Blank lines are written with `&#10;` if HTML decodes that to a line feed, and left out elsewhere. Open elements are
 * closed, and closing tags without an opening one are left out, as they would close the page's own elements.
 */
export function htmlBlock(html: string): string {
  const source = closedHtml(html.replace(/\r\n?/g, '\n'));
  const open: string[] = [];
  const times = new Map<string, number>();
  const count = (name: string) => times.get(name) ?? 0;
  let text = '<div>\n';
  let at = 0;
  for (const token of htmlTokens(source)) {
    text += source.slice(at, token.start);
    at = token.end;
    if (token.kind === 'comment') text += source.slice(token.start, token.end);
    else if (DOCUMENT.has(token.name)) continue;
    else if (token.kind === 'open') {
      text += tagText(source, token);
      if (UNCLOSED.has(token.name) || token.contentEnd !== undefined) continue;
      open.push(token.name);
      times.set(token.name, count(token.name) + 1);
    } else if (UNCLOSED.has(token.name)) text += withoutBlankLines(source.slice(token.start, token.end));
    else if (count(token.name) > 0) {
      text += withoutBlankLines(source.slice(token.start, token.end));
      for (let name = open.pop(); name !== undefined; name = open.pop()) {
        times.set(name, count(name) - 1);
        if (name === token.name) break;
      }
    }
  }
  text += source.slice(at);
  for (const name of open.reverse()) text += `</${name}>`;
  return `${text.replace(BLANK, '\n$1&#10;').trimEnd()}\n</div>`;
}

/** A tag with its text, without blank lines except in attribute values and in elements that decode references. */
function tagText(
  source: string,
  { name, attributes, start, end, contentStart, contentEnd }: OpenToken,
): string {
  let text = '';
  let at = start;
  for (const { valueStart, valueEnd } of attributes) {
    text += withoutBlankLines(source.slice(at, valueStart)) + source.slice(valueStart, valueEnd);
    at = valueEnd;
  }
  const textEnd = contentEnd ?? contentStart;
  const content = source.slice(contentStart, textEnd);
  return [
    text,
    withoutBlankLines(source.slice(at, contentStart)),
    WITH_REFERENCES.has(name) ? content : withoutBlankLines(content),
    withoutBlankLines(source.slice(textEnd, end)),
  ].join('');
}

function withoutBlankLines(text: string): string {
  return text.replace(/\n(?:[ \t\f\v]*\n)+/g, '\n');
}
