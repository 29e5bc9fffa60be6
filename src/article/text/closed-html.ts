import { type HtmlToken, htmlTokens } from './html-tokens.js';

/** What ends a comment, a tag, an attribute's value and each element whose content is text. */
const ENDS = [
  '>',
  '-->',
  '">',
  "'>",
  ...['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes'].map(
    (name) => `</${name}>`,
  ),
];

/**
 * HTML after which the page goes on: a comment, a tag or a `<textarea>` that is open at the end would swallow the site's
 * frame, and the build would find no place for the item comment. What is open is closed at the end; nothing closes
 * `<plaintext>`, which becomes text. All other HTML is returned as it is.
 */
export function closedHtml(html: string): string {
  const text = withoutPlaintext(html);
  const tokens = htmlTokens(text);
  // What is open begins behind the last whole token, or with one that reaches to the end.
  const last = tokens.at(-1);
  const tail = text.slice(last === undefined ? 0 : last.end === text.length ? last.start : last.end);
  const end = endsOpenly(tail) ? '' : (ALL_ENDS.find((one) => endsOpenly(tail + one)) ?? '');
  const hasDoubleScript = tokens.some((token) => isDoubleScript(token, text));
  return hasDoubleScript ? `${text}${end}<!-- --></script>` : text + end;
}

/** Two, as what ends a tag may begin the text of an element. */
const ALL_ENDS = [...ENDS, ...ENDS.flatMap((first) => ENDS.map((second) => first + second))];

/** Whether a comment that follows is one. */
function endsOpenly(html: string): boolean {
  const last = htmlTokens(`${html}<!---->`).at(-1);
  return last?.kind === 'comment' && last.start === html.length;
}

function withoutPlaintext(html: string): string {
  if (!/<plaintext/i.test(html)) return html;
  const isOpened = htmlTokens(html).some((token) => token.kind === 'open' && token.name === 'plaintext');
  return isOpened ? html.replace(/<(?=plaintext)/gi, '&lt;') : html;
}

/** A script that holds `<!--` and then `<script` goes on behind its closing tag; what ends it is invisible elsewhere. */
function isDoubleScript(token: HtmlToken, html: string): boolean {
  if (token.kind !== 'open' || token.name !== 'script') return false;
  const content = html.slice(token.contentStart, token.contentEnd);
  const comment = content.indexOf('<!--');
  return comment !== -1 && /<script/i.test(content.slice(comment));
}
