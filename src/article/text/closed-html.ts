import { type HtmlToken, htmlTokens } from './html-tokens.js';

/** The ends of a comment, a tag, an attribute's value and each element that contains only text. */
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
 * Closes HTML at its end: an open comment, tag or `<textarea>` would swallow the rest of the page, and the build would find no
 * place for the item comment. Nothing can close `<plaintext>`, which becomes text. All other HTML is returned unchanged.
 */
export function closedHtml(html: string): string {
  const text = withoutPlaintext(html);
  const tokens = htmlTokens(text);
  // An open construct begins after the last complete token, or with a token that reaches to the end.
  const last = tokens.at(-1);
  const tail = text.slice(last === undefined ? 0 : last.end === text.length ? last.start : last.end);
  const end = endsOpenly(tail) ? '' : (ALL_ENDS.find((one) => endsOpenly(tail + one)) ?? '');
  const hasDoubleScript = tokens.some((token) => isDoubleScript(token, text));
  return hasDoubleScript ? `${text}${end}<!-- --></script>` : text + end;
}

/** One end or two, as the end of a tag may begin the text of an element. */
const ALL_ENDS = [...ENDS, ...ENDS.flatMap((first) => ENDS.map((second) => first + second))];

/** Whether a comment after the HTML would be parsed as one. */
function endsOpenly(html: string): boolean {
  const last = htmlTokens(`${html}<!---->`).at(-1);
  return last?.kind === 'comment' && last.start === html.length;
}

function withoutPlaintext(html: string): string {
  if (!/<plaintext/i.test(html)) return html;
  const isOpened = htmlTokens(html).some((token) => token.kind === 'open' && token.name === 'plaintext');
  return isOpened ? html.replace(/<(?=plaintext)/gi, '&lt;') : html;
}

/**
 * Whether a script contains `<!--` and then `<script`, so that it continues after its closing tag; a second closing tag ends
 * it, and is invisible elsewhere.
 */
function isDoubleScript(token: HtmlToken, html: string): boolean {
  if (token.kind !== 'open' || token.name !== 'script') return false;
  const content = html.slice(token.contentStart, token.contentEnd);
  const comment = content.indexOf('<!--');
  return comment !== -1 && /<script/i.test(content.slice(comment));
}
