import type { IncomingBody, StoredBody } from '../../article/format/mapping.js';
import { closedHtml } from '../../article/text/closed-html.js';
import { hasTags, needsHtml, withoutItemComments } from '../mapping/markdown.js';

/** Something behind a code block's language that is more than plain words: Hugo reads attributes there, and stops at some. */
const CODE_ATTRIBUTES = /^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)*(?:`{3,}|~{3,}(?!~))[^`\r\n{&\\]*[{&\\]/m;

/**
 * Whether Markdown is stored as such. Otherwise it would be displayed in part, or stop the build.
 *
 * @param rawHtml whether the site's goldmark keeps raw HTML (`unsafe`).
 */
export function isStoredAsMarkdown(markdown: string, rawHtml: boolean): boolean {
  return !needsHtml(markdown) && (rawHtml || !hasTags(markdown)) && !CODE_ATTRIBUTES.test(markdown);
}

/**
 * The body for a file, and the `markup` that it needs. Hugo displays it as sent, and never runs a shortcode of it. Without
 * raw HTML, a page would have a note in the place of the item comment, which `postbuild` puts into the page anyway.
 */
export function storedBody(incoming: IncomingBody, path: string, rawHtml: boolean): StoredBody {
  const isHtmlFile = /\.html?$/i.test(path);
  if (!isHtmlFile && incoming.kind === 'markdown' && isStoredAsMarkdown(incoming.markdown, rawHtml))
    return {
      text: commentedOut(rawHtml ? incoming.markdown : withoutItemComments(incoming.markdown)),
      frontMatter: { markup: undefined },
    };
  // Hugo drops everything before `<!--more-->`, wherever it stands.
  const html = closedHtml(incoming.html).replaceAll('<!--more-->', '<!-- more -->');
  return { text: commentedOut(html), frontMatter: { markup: isHtmlFile ? undefined : 'html' } };
}

// `{{< x >}}` becomes `{{</* x */>}}`, which Hugo prints without the comment marks. It looks for both ends before it
// reads the Markdown or HTML between them, so that this holds in code, in attributes and in scripts alike.
function commentedOut(text: string): string {
  let inert = '';
  let from = 0;
  for (;;) {
    const start = nextOpening(text, from);
    if (start === -1) return inert + text.slice(from);
    const right = text.startsWith('<', start - 1) ? '>}}' : '%}}';
    const end = text.indexOf(right, start);
    inert += `${text.slice(from, start)}/*`;
    // A comment at the end closes what nothing else does.
    if (end === -1) return `${inert}${text.slice(start)}\n\n<!-- */${right} -->\n`;
    inert += `${text.slice(start, end)}*/${right}`;
    from = end + right.length;
  }
}

/** The inverse of `commentedOut`. */
export function sentBody(stored: string): string {
  return stored
    .replace(/\n\n<!-- \*\/[>%]\}\} -->\n$/, '')
    .replace(/(\{\{[<%])\/\*([\s\S]*?)\*\/([>%]\}\})/g, '$1$2$3')
    .replace(/(\{\{[<%])\/\*/g, '$1');
}

/** The place behind the next `{{<` or `{{%`; -1 where there is none. */
function nextOpening(text: string, from: number): number {
  const opening = /\{\{[<%]/g;
  opening.lastIndex = from;
  return opening.test(text) ? opening.lastIndex : -1;
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
