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
  if (endsOpenly(text)) return text;
  // Two, as what ends a tag may begin the text of an element.
  const ends = [...ENDS, ...ENDS.flatMap((first) => ENDS.map((second) => first + second))];
  return text + (ends.find((end) => endsOpenly(text + end)) ?? '');
}

/** Whether a comment that follows is one. */
function endsOpenly(html: string): boolean {
  const last = htmlTokens(`${html}<!---->`).at(-1);
  return last?.kind === 'comment' && last.start === html.length;
}

function withoutPlaintext(html: string): string {
  if (!/<plaintext/i.test(html)) return html;
  const isPlaintext = (token: HtmlToken) => token.kind === 'open' && token.name === 'plaintext';
  const pieces: string[] = [];
  let from = 0;
  for (const { start } of htmlTokens(html).filter(isPlaintext)) {
    pieces.push(html.slice(from, start), '&lt;');
    from = start + 1;
  }
  return pieces.join('') + html.slice(from);
}
