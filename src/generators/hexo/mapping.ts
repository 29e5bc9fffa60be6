import { decodedAddress } from '../../article/address/files-of-address.js';
import type { ArticleMapping, IncomingBody, KeyNames, StoredBody } from '../../article/format/mapping.js';
import { closedHtml } from '../../article/text/closed-html.js';
import { htmlTokens } from '../../article/text/html-tokens.js';
import { type Replacement, withReplacements } from '../../article/text/replacements.js';
import type { MappingOptions } from '../generator.js';
import { linkedAddresses, needsHtml } from '../mapping/markdown.js';
import { DATED, draftsBy, siteMapping, slugBy, tagSlug, USUAL_KEYS } from '../mapping/site-mapping.js';

/** The keys that Hexo and its themes read. */
export const KEYS: KeyNames = { ...USUAL_KEYS, updated: 'updated' };

/** The key that keeps Nunjucks from running in one file. */
const SWITCH = 'disableNunjucks';

/** The key that names the renderer of one file, whatever its extension; `html` renders nothing. */
const ENGINE = 'engine';

/** The keys that only a post's owner may set: they decide the address or the renderer. */
const RESERVED = [SWITCH, ENGINE, 'permalink', '__permalink', 'published', 'content'];

/** The mapping for `hexo`. */
export function mapping(options: MappingOptions): ArticleMapping {
  return siteMapping(options, {
    usualKeys: KEYS,
    isDraft: draftsBy({ published: false }),
    hidesFuture: true,
    reserved: RESERVED,
    isArticlePath,
    slug,
    // With an offset, Hexo would take the time in UTC for the time in the site's zone.
    momentText: ({ day, time }) => `${day} ${time.replace(/\..*/, '')}`,
    tagKey: tagSlug,
    body: storedBody,
    held: { published: false },
    pinKey: {
      key: 'permalink',
      write: decodedAddress,
      read: (text) => `/${text.replace(/^\//, '')}`,
    },
  });
}

/** Whether Hexo reads a file of this name as a post. */
export function isArticlePath(path: string): boolean {
  return /\.(?:md|markdown|html)$/.test(path) && !/(?:^|\/)[_.]/.test(path);
}

/** The part of a file's name after a date. */
export const slug = slugBy(DATED);

/** Elements whose text has no character references. */
const RAW_TEXT = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']);

/** The placeholders that Hexo puts in place of code and templates during rendering. A foreign one stops the build. */
const PLACEHOLDER = /(?<=--(?:swig|code))\ufffc(?=\d)/g;

/** A code fence. Hexo highlights the text between two such lines, in HTML as well as in Markdown. */
const FENCE = /^((?:[^\S\r\n\u2028\u2029]*>){0,3}[^\S\r\n\u2028\u2029]*)([`~])(?=\2{2})/gm;

/** The mark of an excerpt's end, which splits an article even within open elements. */
const MORE = /<!-- ?(?=more ?-->)/gi;

/** Whether a body is stored as Markdown, in a file of this name. */
function isMarkdown(body: IncomingBody, path: string): body is IncomingBody & { readonly kind: 'markdown' } {
  return body.kind === 'markdown' && !path.endsWith('.html') && isSafe(body.markdown);
}

function isSafe(markdown: string): boolean {
  if (needsHtml(markdown) || markdown.includes('\ufffc') || /hexoPostRender/.test(markdown)) return false;
  return !markdown.includes('![') || linkedAddresses(markdown).every(isReadable);
}

/** Whether the renderer accepts a picture's address; the build stops at an address that is not a URL. */
function isReadable(address: string): boolean {
  if (!/^[a-z][a-z\d+.-]*:/i.test(address)) return !/[\\&<(]/.test(address);
  return /^https?:\/\/[\w.-]+(?::\d+)?(?:[/?#][^\\<(]*)?$/i.test(address) && URL.canParse(address);
}

/** The body, and the keys with which Hexo displays it unchanged. */
export function storedBody(incoming: IncomingBody, path: string): StoredBody {
  return isMarkdown(incoming, path)
    ? { text: incoming.markdown, frontMatter: { [SWITCH]: true, [ENGINE]: undefined } }
    : { text: inertHtml(incoming.html), frontMatter: { [SWITCH]: true, [ENGINE]: 'html' } };
}

/** Changes HTML so that Hexo finds no code fence, no placeholder and no end of an excerpt in it. */
function inertHtml(html: string): string {
  const text = closedHtml(html.replaceAll('\r\n', '\n')).replace(MORE, (open) => `${open.trimEnd()}  `);
  const raw = [...htmlTokens(text)].flatMap((token) =>
    token.kind === 'open' && token.contentEnd !== undefined && RAW_TEXT.has(token.name)
      ? [{ start: token.contentStart, end: token.contentEnd }]
      : [],
  );
  const edits: Replacement[] = [];
  let next = 0;
  for (const { 1: before = '', 2: mark = '', index } of text.matchAll(FENCE)) {
    const start = index + before.length;
    while ((raw[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++;
    if (start < (raw[next]?.start ?? Number.POSITIVE_INFINITY))
      edits.push({ start, end: start + 1, text: `&#${mark.charCodeAt(0)};` });
  }
  return withReplacements(text, edits).replace(PLACEHOLDER, '&#xFFFC;');
}
