import { linkedAddresses, needsHtml } from '../mapping/markdown.js';

/** What Astro writes before the name of a picture that it is to import; in a page's own text it must not stand. */
export const IMAGE_MARKER = '__ASTRO_IMAGE_';

/**
 * Whether Markdown can be stored as it is: Astro builds a page of it, and nothing of it is lost.
 *
 * Astro imports the pictures of Markdown whose address is relative: a missing file breaks the build of the whole site,
 * and a malformed `%` empties the page. Where a text has pictures, every address in it must therefore be harmless.
 *
 * @param fetchesImages whether the site's `image.domains` or `image.remotePatterns` make Astro fetch pictures when it
 *   builds; one that cannot be fetched breaks the build.
 */
export function isSafeMarkdown(markdown: string, fetchesImages: boolean): boolean {
  if (markdown.includes(IMAGE_MARKER) || needsHtml(markdown)) return false;
  return (
    !markdown.includes('![') ||
    linkedAddresses(markdown).every((address) => isHarmless(address, fetchesImages))
  );
}

/** Whether Astro neither imports nor fetches nor fails at this, if it is the address of a picture. */
function isHarmless(address: string, fetchesImages: boolean): boolean {
  // What the Markdown parser would read otherwise: an escape, a character reference, parentheses without an end.
  if (/\\|&(?!amp;)|[<(]$/.test(address)) return false;
  try {
    const decoded = decodeURI(address); // as Astro does
    if (/^https?:\/\//i.test(decoded)) return !fetchesImages && URL.canParse(decoded);
    return /^(?:[/#]|mailto:)/i.test(decoded);
  } catch {
    return false;
  }
}

/**
 * Markdown as the body of an `.md` file. Astro 7 takes a body that starts with `---` or `+++` for front matter and
 * drops it, and both versions cut the indentation of the first line off; a comment before it prevents both.
 */
export function markdownBody(markdown: string): string {
  return /^\s*(?:---|\+\+\+)/.test(markdown) || /^(?:[^\S\n]*\n)*(?: {4}|\t| {1,3}\t)/.test(markdown)
    ? `<!-- -->\n\n${markdown}`
    : markdown;
}
