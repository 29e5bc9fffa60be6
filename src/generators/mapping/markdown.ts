import { commentPlaces } from '../../article/article.js';
import { isSlowMarkdown } from '../../article/text/markdown.js';

// Markdown is stored as it was sent, unless a site's build or page cannot handle it; then the HTML that came with it is stored.
// The functions below detect that by patterns. They do not parse Markdown, so matches in code count too unless `withoutCode` has
// removed it.

/** Whether Markdown contains raw HTML besides item comments. */
export function hasTags(markdown: string): boolean {
  return /<(?!https?:|mailto:)[a-z/!?]/i.test(withoutItemComments(markdown));
}

/** A comment, or an element that contains only text: if it is not closed, it swallows the rest of the page. */
const SWALLOWING =
  /<(?:[!?]|(?:script|style|textarea|title|xmp|iframe|noembed|noframes|noscript|plaintext)(?=[\s/>]|$))/i;

/**
 * Whether Markdown contains an element that could swallow the rest of the page, or a mark that divides the text for some
 * generators, such as `<!--more-->`, or is so long or nested that rendering it would take long.
 */
export function needsHtml(markdown: string): boolean {
  return isSlowMarkdown(markdown) || SWALLOWING.test(withoutItemComments(markdown));
}

const LINK = /\][(:]\s*<?([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*[<(]?)/g;
const AUTOLINK = /<([a-z][a-z\d+.-]{1,31}:[^\s<>]*)>/gi;

/**
 * Everything that a Markdown parser could read as the address of a link or picture. If a parser could read more than the pattern
 * does, the address ends with `<` or `(`.
 */
export function linkedAddresses(markdown: string): string[] {
  return [LINK, AUTOLINK].flatMap((link) =>
    Array.from(markdown.matchAll(link), ([, address = '']) => address),
  );
}

/** Whether an address is on another site or within the same page, so that no generator checks it. */
export function isOtherSite(address: string): boolean {
  if (/^(?:mailto:|tel:|#)/i.test(address)) return !/[%\\&<(]/.test(address);
  return (
    /^https?:\/\/(?!localhost\b)[\w.-]+(?::\d+)?(?:[/?#][^\\<(]*)?$/i.test(address) && URL.canParse(address)
  );
}

/** Whether the percent signs of an address can be decoded. */
export function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}

/** Removes item comments from Markdown, and the white space before them. */
export function withoutItemComments(markdown: string): string {
  let text = '';
  let from = 0;
  for (const [start, end] of commentPlaces(markdown)) {
    text += markdown.slice(from, start).trimEnd();
    from = end;
  }
  return text + markdown.slice(from);
}
