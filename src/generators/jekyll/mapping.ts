import type { ArticleMapping, IncomingBody, KeyNames, StoredBody } from '../../article/format/mapping.js';
import { closedHtml } from '../../article/text/closed-html.js';
import type { MappingOptions } from '../generator.js';
import { momentOf } from '../mapping/dates.js';
import { htmlBlock } from '../mapping/html-block.js';
import { needsHtml } from '../mapping/markdown.js';
import { booleanIn, siteMapping, slugBy, USUAL_KEYS } from '../mapping/site-mapping.js';

/** The keys that Jekyll and its plugins read. */
export const KEYS: KeyNames = { ...USUAL_KEYS, updated: 'last_modified_at', image: 'image' };

/** A permalink that Jekyll uses literally, without placeholders. Jekyll decodes percent-encoded characters. */
const LITERAL = /^(?:[\p{L}\p{M}\p{N}_.~/-]|%[\da-f]{2})+$/iu;

const POST_NAME = /^(\d{2,4})-(\d{1,2})-(\d{1,2})-([^/]*)\.([^./]+)$/;

/** The mapping for `jekyll`. */
export function mapping(given: MappingOptions): ArticleMapping {
  const dateKey = given.keys?.date ?? KEYS.date;
  const hasSwitch = given.templateSwitch === true;
  return siteMapping(given, {
    usualKeys: KEYS,
    aliases: { tags: 'tag' },
    tagsAreWords: true,
    datesByName: true,
    reserved: ['permalink', 'render_with_liquid', 'excerpt_separator'],
    isArticlePath,
    slug,
    // The format of Jekyll's own posts, such as `2026-11-20 17:00:00 +0900`.
    momentText: ({ day, time, offset }) => `${day} ${time} ${offset.replace(':', '')}`,
    image: imageAddress,
    tagKey: (tag) => tagKey(tag, given.tagSlugs === true),
    extension: (body) => (isStoredAsMarkdown(body) ? '.md' : '.html'),
    body: (incoming, path) => storedBody(incoming, path, hasSwitch, given.rawHtml === true),
    ...(!hasSwitch && { sentBody: unescapeLiquid }),
    held: { published: false },
    pinKey: {
      key: 'permalink',
      write: (address) => address,
      read: (text) => (LITERAL.test(text) ? `/${text.replace(/^\//, '')}` : undefined),
    },
    isDraft: ({ path, data: { published } }) =>
      published === null || booleanIn(published) === false || path.split('/').includes('_drafts'),
    hidesFuture: true,
    datesOf({ path, data: { [dateKey]: date } }) {
      return { from: momentOf(date, 'UTC') === undefined ? dayOfName(path) : date };
    },
    ofTimes: 'UTC', // as YAML reads them
  });
}

/** Whether Jekyll reads a file of this name as a post. */
export function isArticlePath(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const extension = POST_NAME.exec(name)?.[5] ?? '';
  return !name.startsWith('_') && ['markdown', 'mkdown', 'mkdn', 'mkd', 'md', 'html'].includes(extension);
}

/** The `slug` of the front matter, or the part of the file's name after the date. */
export const slug = slugBy(/^\d{2,4}-\d{1,2}-\d{1,2}-/, 'slug');

/**
 * The name of a tag's page; empty if that page would be the list of all tags. On a site without tag pages, `C`, `C++` and `C#`
 * are three tags, although they have the same slug.
 *
 * @param hasPages whether jekyll-archives makes a page for each slug.
 */
function tagKey(tag: string, hasPages: boolean): string {
  if (!hasPages) return tag.replace(/^[^\p{M}\p{L}\p{Nd}]+/u, '').toLowerCase();
  return tag
    .replace(/[^\p{M}\p{L}\p{Nd}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase();
}

const WEB_ADDRESS = /^https?:\/\/[\w.-]+(?::\d+)?(?:[/?#][\w.~:/?#@!$&'()*+,;=%-]*)?$/;

/** Makes an image address that Jekyll's filters accept: `absolute_url` stops the build at a malformed address. */
function imageAddress(url: string): string {
  if (WEB_ADDRESS.test(url)) return url;
  const href = URL.canParse(url)
    ? new URL(url).href.replace(/[^\w.~:/?#@!$&'()*+,;=%-]/g, encodeURIComponent)
    : '';
  if (WEB_ADDRESS.test(href)) return href;
  return encodeURIComponent(url.toWellFormed()).replaceAll('%2F', '/');
}

/** The day in a file's name. */
function dayOfName(path: string): string | undefined {
  const [, year = '', month = '', day = ''] = POST_NAME.exec(path.slice(path.lastIndexOf('/') + 1)) ?? [];
  if (year === '') return undefined;
  return `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/**
 * The beginning of a kramdown extension, an attribute list or a character reference. Old versions of kramdown run code from
 * `{::options}`, and turn a reference to no character into invalid UTF-8, at which filters stop the build.
 */
const KRAMDOWN_ONLY = /\{:|&#/;

/** Whether a body is stored as Markdown. */
function isStoredAsMarkdown(body: IncomingBody): body is IncomingBody & { readonly kind: 'markdown' } {
  return body.kind === 'markdown' && !KRAMDOWN_ONLY.test(body.markdown) && !needsHtml(body.markdown);
}

/**
 * The body of a file, and the front matter that keeps Liquid from running in it.
 *
 * @param hasSwitch whether Jekyll has the key that turns Liquid off in one file.
 * @param keepsHtml whether the site has a Markdown renderer other than kramdown, which keeps raw HTML.
 */
export function storedBody(
  incoming: IncomingBody,
  path: string,
  hasSwitch: boolean,
  keepsHtml: boolean,
): StoredBody {
  const inert = (text: string) => (hasSwitch ? text : escapeLiquid(text));
  // Escaped text must pass through Liquid, which prints the original.
  const render_with_liquid = hasSwitch ? false : undefined;
  const isHtmlFile = path.endsWith('.html');
  if (!isHtmlFile && isStoredAsMarkdown(incoming))
    return { text: inert(incoming.markdown), frontMatter: { render_with_liquid } };
  const html = closedHtml(incoming.html);
  const text = inert(isHtmlFile ? html : keepsHtml ? htmlBlock(html) : withoutMarkdown(html));
  // No excerpt: Jekyll's own excerpt ends at a blank line, which may be inside an element.
  return { text, frontMatter: { render_with_liquid, excerpt_separator: '' } };
}

/**
 * Escapes a text so that Liquid prints it unchanged: each `{{` and `{%` becomes a Liquid string. Liquid runs before Markdown,
 * so this works in code, attributes and scripts alike.
 */
function escapeLiquid(text: string): string {
  return text.replace(/\{[{%]/g, (open) => `{{ "${open}" }}`);
}

/** The inverse of `escapeLiquid`. */
function unescapeLiquid(text: string): string {
  return text.replace(/\{\{ "(\{[{%])" \}\}/g, '$1');
}

/** The end of the extension. Within the text, it would end the extension early, and kramdown would parse the rest. */
const END_OF_EXTENSION = /\{(?=:\/(?:nomarkdown)?\})/g;

/** Wraps HTML so that kramdown prints it unchanged, except for CR and ends of the extension. */
function withoutMarkdown(html: string): string {
  const text = html.replaceAll('\r\n', '\n').replace(END_OF_EXTENSION, '&#123;').trimEnd();
  return `{::nomarkdown}\n${text}\n{:/nomarkdown}\n`;
}
