import { decodedAddress } from '../../article/address/files-of-address.js';
import { slugify } from '../../article/address/slug.js';
import type {
  ArticleMapping,
  FileFacts,
  FrontMatterValue,
  IncomingBody,
  StoredBody,
} from '../../article/format/mapping.js';
import { signsOf, termKey } from '../../article/names.js';
import { closedHtml } from '../../article/text/closed-html.js';
import { htmlTokens } from '../../article/text/html-tokens.js';
import { type Replacement, withReplacements } from '../../article/text/replacements.js';
import type { MappingOptions } from '../generator.js';
import { withoutCode } from '../mapping/escape-markdown.js';
import {
  hasTags,
  isDecodable,
  linkedAddresses,
  needsHtml,
  withoutItemComments,
} from '../mapping/markdown.js';
import { draftsBy, siteMapping } from '../mapping/site-mapping.js';

/** The key that turns templates off in one file, and names its renderer. */
export const SWITCH = 'templateEngineOverride';

/** The keys that only a page's owner may set: they decide the address, run as templates or stop the build. */
const RESERVED = [
  SWITCH,
  'permalink',
  'permalinkBypassOutputDir',
  'dynamicPermalink',
  'eleventyComputed',
  'eleventyDataSchema',
  'eleventyImport',
  'pagination',
  'excerpt_separator',
  'page',
  'content',
  'collections',
  'pkg',
  'eleventy',
];

/** The mapping for `eleventy`. */
export function mapping(options: MappingOptions): ArticleMapping {
  // As Eleventy counts days; it passes a text on unchanged.
  const timeZone = options.dates === 'string' ? (options.timeZone ?? 'UTC') : 'UTC';
  return siteMapping(
    { ...options, timeZone },
    {
      isDraft: draftsBy({ draft: true, permalink: false }),
      reserved: RESERVED,
      isArticlePath,
      slug: fileSlug,
      tagKey: options.tagSlugs === false ? tagName : tagKey,
      extension: (body) => (isMarkdown(body, options) || options.htmlFiles === false ? '.md' : '.html'),
      body: (incoming, path) => storedBody(incoming, path, options),
      held: { permalink: false, eleventyExcludeFromCollections: true },
      pin,
      isPinned: ({ data }, address) => isPinned(data, address),
    },
  );
}

/** Whether a file may be an article, not a data file or another template. */
export function isArticlePath(path: string): boolean {
  return /\.(?:md|html)$/.test(path);
}

/** Eleventy's `page.fileSlug`, which drops a date; for `index` the folder's name. */
export function fileSlug({ path }: FileFacts): string {
  const parts = path.split('/');
  const withoutDate = (name: string) => /\d{4}-\d{2}-\d{2}-(.*)/.exec(name)?.[1] ?? name;
  const name = withoutDate((parts.at(-1) ?? '').replace(/\.(?:md|html)$/, ''));
  return name === 'index' ? withoutDate(parts.at(-2) ?? '') : name;
}

/** Letters and quotes that Eleventy's slugify replaces by a gap, unlike ours. */
const GAPS = /[’ŒœƏə]/g;

/** Whether a tag is impossible: Eleventy stops at __proto__, and a template without slugify would write outside its folder. */
const isReserved = (tag: string): boolean =>
  tag === '__proto__' || /(?:^|[\\/])\.{1,2}(?:[\\/]|$)/.test(tag) || termKey(tag) === 'all';

/** A form that all spellings of a tag share if the tag's page is named by the tag itself. */
export function tagName(tag: string): string {
  const slug = tagKey(tag);
  if (slug !== '') return slug + signsOf(tag);
  const hasName = /[\p{L}\p{N}]/u.test(tag) && !isReserved(tag) && !/[\\/]|^\./.test(tag);
  return hasName ? termKey(tag) : '';
}

/** The name of a tag's page if the filter `slugify` makes it. */
export function tagKey(tag: string): string {
  if (isReserved(tag)) return '';
  const name = /^[a-z0-9]+$/.test(tag) // as slugify leaves it, which takes long where there are many
    ? tag
    : slugify(tag.toWellFormed().replace(GAPS, '-'), { decamelize: false });
  return name === 'all' ? '' : name; // the collection of all pages
}

/**
 * The front matter for an address. A permalink must end with a slash or an extension. It is a file name, so it is not
 * percent-encoded.
 */
function pin(address: string): Record<string, FrontMatterValue> {
  const path = decodedAddress(address);
  const permalink = /(?:\/|\.[A-Za-z0-9]+)$/.test(path) ? path : `${path}/`;
  // With `templateEngineOverride: md`, permalinks are still templates.
  return /[{}]/.test(permalink) ? { permalink, dynamicPermalink: false } : { permalink };
}

function isPinned(data: Readonly<Record<string, unknown>>, address: string): boolean {
  const { permalink } = data;
  if (typeof permalink !== 'string' || data.permalinkBypassOutputDir || data.pagination !== undefined)
    return false;
  if (/[{}]/.test(permalink) && data.dynamicPermalink !== false) return false;
  const named = `/${permalink}`.replace(/^\/+/, '/').replace(/\/index\.html$/, '/');
  return named === decodedAddress(address).replace(/\/index\.html$/, '/');
}

/** The changes that a site's Eleventy plugins make in the HTML of a page. */
interface Transforms {
  /** The elements that plugins remove or process, unless they are marked. */
  readonly elements: readonly string[];
  /** The ids in the site's layouts, if a page with duplicate ids stops the build; otherwise undefined. */
  readonly ids: readonly string[] | undefined;
}

const URLS = new Set(['href', 'src', 'cite', 'action', 'formaction', 'data', 'poster']);

const URL_LISTS = new Set(['srcset', 'ping']);

/**
 * Removes everything from an article's HTML that makes Eleventy's own plugins stop the build: URLs that cannot be parsed or
 * decoded (HtmlBasePlugin, InputPathToUrlTransformPlugin, feeds) and repeated ids (IdAttributePlugin). Elements are marked so
 * that they stay in place. Nothing else is changed.
 */
export function harmlessHtml(html: string, { elements, ids }: Transforms): string {
  const used = ids && new Set(ids);
  const marked = new Set(elements.map((name) => name.toLowerCase()));
  const edits: Replacement[] = [];
  for (const token of htmlTokens(html)) {
    if (token.kind !== 'open') continue;
    const nameEnd = token.start + 1 + token.name.length;
    if (marked.has(token.name)) edits.push({ start: nameEnd, end: nameEnd, text: ' eleventy:ignore' });
    for (const { name, start, end, valueStart, valueEnd } of token.attributes) {
      const value = html.slice(valueStart, valueEnd);
      if (name === 'id' && used?.has(value)) edits.push({ start, end, text: '' });
      else if (name === 'id' && value !== '') used?.add(value);
      const harmless = harmlessValue(token.name, name, value);
      if (harmless !== value) edits.push({ start: valueStart, end: valueEnd, text: harmless });
    }
  }
  return withReplacements(html, edits);
}

function harmlessValue(tag: string, key: string, value: string): string {
  if (URLS.has(key)) return harmlessUrl(value);
  if (URL_LISTS.has(key)) return value.split(/[\s,]+/).every((url) => harmlessUrl(url) === url) ? value : '';
  if (tag !== 'meta' || key !== 'content') return value;
  const url = /url\s*=\s*['"]?([^'"]*)/i.exec(value)?.[1];
  return url === undefined || harmlessUrl(url) === url ? value : '';
}

/** A URL that can be parsed, relative to any page, and whose percent signs can be decoded. */
function harmlessUrl(url: string): string {
  if (URL.canParse(url)) return url;
  const decodable =
    [url, url.replace(/%(?![0-9a-f]{2})/gi, '%25')].find(isDecodable) ?? url.replaceAll('%', '%25');
  return URL.canParse(decodable, 'https://site.invalid/folder/') ? decodable : 'about:invalid';
}

/** Whether a body is stored as Markdown. Only HTML can be made safe for the site's plugins. */
function isMarkdown(
  body: IncomingBody,
  options: MappingOptions,
): body is IncomingBody & { readonly kind: 'markdown' } {
  if (body.kind !== 'markdown' || options.templateSwitch === false) return false;
  const prose = withoutCode(body.markdown);
  if (needsHtml(prose) || (options.rawHtml === false && hasTags(prose))) return false;
  if (options.markedElements?.includes('img') && prose.includes('![')) return false;
  return (
    harmlessHtml(prose, transforms(options)) === prose &&
    linkedAddresses(prose).every((address) => harmlessUrl(address) === address)
  );
}

function transforms({ markedElements = [], usedIds }: MappingOptions): Transforms {
  return { elements: markedElements, ids: usedIds };
}

/**
 * The body, and the key that keeps it from running as a template. `md` renders only Markdown, `html` renders nothing, whatever
 * the file's extension.
 */
function storedBody(incoming: IncomingBody, path: string, options: MappingOptions): StoredBody {
  const isText = path.endsWith('.md') && isMarkdown(incoming, options);
  const text = isText
    ? options.rawHtml === false
      ? withoutItemComments(incoming.markdown)
      : incoming.markdown
    : harmlessHtml(closedHtml(incoming.html), transforms(options));
  const separator = options.excerptSeparator;
  return {
    text: options.templateSwitch === false ? escapeTemplates(text) : text,
    frontMatter: {
      [SWITCH]: isText ? 'md' : 'html',
      // Eleventy removes the separator from the text, unless the file names another one, which must not occur in the text.
      ...(separator !== undefined && {
        excerpt_separator: text.includes(separator) ? unusedSeparator(text) : undefined,
      }),
    },
  };
}

function unusedSeparator(text: string): string {
  let separator = '<!-- no excerpt -->';
  for (let n = 2; text.includes(separator); n++) separator = `<!-- no excerpt ${n} -->`;
  return separator;
}

/**
 * Escapes templates for sites on which the key has no effect. The text stays; scripts and styles of the body do not survive.
 */
function escapeTemplates(html: string): string {
  return html.replace(/[{}]/g, (brace) => `&#${brace.charCodeAt(0)};`).replace(/<(?=[%?])/g, '&lt;');
}
