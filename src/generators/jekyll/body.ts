import type { IncomingBody, StoredBody } from '../../article/format/mapping.js';
import { closedHtml } from '../../article/text/closed-html.js';
import { htmlBlock } from '../mapping/html-block.js';
import { needsHtml } from '../mapping/markdown.js';

/**
 * What begins an extension or an attribute list of kramdown, and a character reference. Old versions run code from
 * `{::options}`, and make broken UTF-8 of a reference to no character, at which filters end the build.
 */
const KRAMDOWN_ONLY = /\{:|&#/;

/** Whether a body is stored as Markdown. */
export function isStoredAsMarkdown(body: IncomingBody): body is IncomingBody & { readonly kind: 'markdown' } {
  return body.kind === 'markdown' && !KRAMDOWN_ONLY.test(body.markdown) && !needsHtml(body.markdown);
}

/**
 * The body for a file, and the front matter that keeps Liquid from running in it.
 *
 * @param hasSwitch whether Jekyll has the key that turns Liquid off in one file.
 * @param keepsHtml whether the site has another Markdown renderer than kramdown, one that only keeps raw HTML.
 */
export function storedBody(
  incoming: IncomingBody,
  path: string,
  hasSwitch: boolean,
  keepsHtml: boolean,
): StoredBody {
  const inert = (text: string) => (hasSwitch ? text : escapeLiquid(text));
  // Where the text is escaped, it has to run through Liquid.
  const render_with_liquid = hasSwitch ? false : undefined;
  const isHtmlFile = path.endsWith('.html');
  if (!isHtmlFile && isStoredAsMarkdown(incoming))
    return { text: inert(incoming.markdown), frontMatter: { render_with_liquid } };
  const html = closedHtml(incoming.html);
  const text = inert(isHtmlFile ? html : keepsHtml ? htmlBlock(html) : withoutMarkdown(html));
  const excerpt_separator = isHtmlFile ? excerptSeparator(text) : '';
  return { text, frontMatter: { render_with_liquid, excerpt_separator } };
}

/**
 * A text in which Liquid finds nothing to run and which it prints as it was: each `{{` and `{%` becomes a Liquid
 * string. It is the same everywhere, in code, attributes and scripts, as Liquid runs before Markdown.
 */
export function escapeLiquid(text: string): string {
  return text.replace(/\{[{%]/g, (open) => `{{ "${open}" }}`);
}

/** The inverse of `escapeLiquid`. */
export function unescapeLiquid(text: string): string {
  return text.replace(/\{\{ "(\{[{%])" \}\}/g, '$1');
}

/** What ends the extension, wherever it stands: in the text itself it would set the rest of it free. */
const END_OF_EXTENSION = /\{(?=:\/(?:nomarkdown)?\})/g;

/** HTML that kramdown prints byte for byte but for CR, and for what would end the extension. */
function withoutMarkdown(html: string): string {
  const text = html.replaceAll('\r\n', '\n').replace(END_OF_EXTENSION, '&#123;').trimEnd();
  return `{::nomarkdown}\n${text}\n{:/nomarkdown}\n`;
}

/** A first paragraph of plain words, which may be a list's excerpt. */
const FIRST_PARAGRAPH =
  /^\s*<p(?:\s[^<>{]*)?>[^<{]*(?:<\/?(?:a|abbr|b|br|code|em|i|img|mark|q|s|small|span|strong|sub|sup)(?=[\s/>])[^<>{]*>[^<{]*)*<\/p>/i;

/**
 * The `excerpt_separator` of an HTML file. Jekyll's own, a blank line, may stand inside of `<pre>`, and the rest of the
 * list page would be in it. Empty where the article begins with anything else than a paragraph: it has no excerpt then.
 */
function excerptSeparator(html: string): string {
  return FIRST_PARAGRAPH.test(html) ? '</p>' : '';
}
