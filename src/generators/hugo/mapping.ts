import { decodedAddress } from '../../article/address/files-of-address.js';
import type {
  ArticleMapping,
  FileFacts,
  FrontMatterValue,
  IncomingBody,
  KeyNames,
  StoredBody,
} from '../../article/format/mapping.js';
import { mapOf } from '../../article/plain-data.js';
import { closedHtml } from '../../article/text/closed-html.js';
import type { MappingOptions } from '../generator.js';
import { localText, momentOf, type WrittenDates } from '../mapping/dates.js';
import { withoutCode } from '../mapping/escape-markdown.js';
import { hasTags, needsHtml, withoutItemComments } from '../mapping/markdown.js';
import { booleanIn, siteMapping, USUAL_KEYS } from '../mapping/site-mapping.js';

/** The keys that Hugo and its themes read. */
export const KEYS: KeyNames = { ...USUAL_KEYS, updated: 'lastmod', image: 'images[]' };

/** The mapping for `hugo`. */
export function mapping(options: MappingOptions): ArticleMapping {
  const rawHtml = options.rawHtml ?? false;
  const zone = options.timeZone ?? 'UTC';
  return siteMapping(options, {
    usualKeys: KEYS,
    reserved: ['url', 'slug', 'markup', 'draft', 'aliases', 'headless', '_build', 'build', 'cascade'],
    isArticlePath,
    slug,
    ignoresKeyCase: true,
    writtenText: inertText,
    sentText,
    momentText: localText,
    tagKey,
    extension: (body) =>
      body.kind === 'html' || !isStoredAsMarkdown(body.markdown, rawHtml) ? '.html' : '.md',
    body: (incoming, path) => storedBody(incoming, path, rawHtml),
    sentBody,
    held: { draft: true },
    pin: (address) => pinned(decodedAddress(address)),
    isPinned: ({ data }, address) => {
      const url = valueIn(data, 'url');
      return typeof url === 'string' && PLAIN_PATH.test(url) && isSamePage(url, decodedAddress(address));
    },
    isDraft,
    hidesFuture: true,
    datesOf: (file) => datesOf(file, zone),
  });
}

/** Whether Hugo makes a page from a file, unless the file is a section's list (`_index`). */
export function isArticlePath(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return /\.(?:md|markdown|mdown|html?)$/i.test(name) && !/^(?:_index\.|\.)/i.test(name);
}

let languages: Intl.DisplayNames | undefined;

/** Whether a code is a language's: `de` is, `js` is not. */
function isLanguage(code: string): boolean {
  languages ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }); // takes 30 ms
  return languages.of(code) !== undefined;
}

/** The `slug` of the front matter, or the file's name without extension and language; for `index` the folder's. */
export function slug({ path, data }: FileFacts): string {
  const own = valueIn(data, 'slug');
  if (typeof own === 'string' && own !== '') return own;
  const parts = path.split('/');
  const name = (parts.at(-1) ?? '')
    .replace(/\.[^.]+$/, '')
    .replace(/\.([a-z]{2,3}(?:-[a-z0-9]{2,8})?)$/i, (end, code) => (isLanguage(code) ? '' : end));
  return name === 'index' ? (parts.at(-2) ?? name) : name;
}

/** The value of a key. Hugo ignores case in front matter keys. */
function valueIn(data: FileFacts['data'], key: string): unknown {
  if (Object.hasOwn(data, key)) return data[key];
  const spelling = Object.keys(data).find((name) => name.toLowerCase() === key);
  return spelling === undefined ? undefined : data[spelling];
}

/** The front matter for a URL. Hugo writes all output formats of a page to the same file if a `url` has an extension. */
function pinned(url: string): Readonly<Record<string, FrontMatterValue>> {
  return url.includes('.') && !url.endsWith('/') ? { url, outputs: ['html'] } : { url };
}

/** A path that all versions of Hugo accept literally; newer ones replace `:slug` and the like in a `url`. */
const PLAIN_PATH = /^\/[\p{L}\p{M}\p{N}._~/-]*$/u;

/** Whether a URL names the page of an address: Hugo makes a folder of `/a` too, but a file of `/a.b/c`. */
function isSamePage(url: string, address: string): boolean {
  const isFolder = !url.includes('.');
  return url === address || (isFolder && url.replace(/\/$/, '') === address.replace(/\/$/, ''));
}

/** White space according to Go. */
const GO_SPACE = /[^\S\ufeff]|\u0085/;

/** The longest name of a tag's folder, in bytes; file systems allow 255. */
const LONGEST_NAME = 240;

/**
 * The path of a tag's page as Hugo makes it; see `paths.Sanitize` in its source. Empty if Hugo makes no page, or if the page
 * would be outside the tags' folder or replace another file of the site, which stops the build.
 */
function tagKey(tag: string): string {
  let path = '';
  let isGap = false;
  const characters = [...tag.trim()];
  for (const [index, character] of characters.entries()) {
    const isEscape =
      character === '%' && /^[0-9a-f]{2}$/i.test(characters.slice(index + 1, index + 3).join(''));
    if (isEscape || /[\p{L}\p{Nd}\p{M}./\\_#+~@-]/u.test(character)) {
      if (isGap && character !== '-') path += '-';
      isGap = false;
      path += character;
    } else if (path !== '' && !path.endsWith('-') && GO_SPACE.test(character)) isGap = true;
  }
  // Letter by letter, as Go does: the last sigma of a word is like any other, and İ becomes one letter.
  const key = Array.from(path, (letter) => Array.from(letter.toLowerCase())[0] ?? '')
    .join('')
    .replace(/^\/+|\/+$/g, '');
  const names = key.split('/');
  const isUsable = names.every(
    (name, index) =>
      name !== '' &&
      !name.startsWith('.') && // hosts do not serve such folders
      !name.endsWith('.') &&
      !name.startsWith('index.') &&
      !(name === 'page' && index < names.length - 1) &&
      Buffer.byteLength(name) <= LONGEST_NAME,
  );
  return isUsable && names.length <= 4 ? key : '';
}

function isDraft({ data }: FileFacts): boolean {
  const [draft, published] = [valueIn(data, 'draft'), valueIn(data, 'published')];
  const isMarked =
    draft === undefined ? published === null || booleanIn(published) === false : booleanIn(draft) === true;
  const rendering = mapOf(valueIn(data, '_build') ?? valueIn(data, 'build')).render;
  return isMarked || rendering === 'never' || rendering === false;
}

/** The dates of a file: for each, the first valid one in the order in which Hugo looks for them. */
function datesOf({ data }: FileFacts, zone: string): WrittenDates {
  const first = (...keys: string[]) =>
    keys.map((key) => valueIn(data, key)).find((value) => momentOf(value, zone) !== undefined);
  return {
    from: first('publishdate', 'pubdate', 'published', 'date'),
    until: first('expirydate', 'unpublishdate'),
  };
}

/** Attributes after a code block's language: Hugo parses them, and stops at some. */
const CODE_ATTRIBUTES = /^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)*(?:`{3,}|~{3,}(?!~))[^`\r\n{&\\]*[{&\\]/m;

/** Hugo drops everything before this, even in code. */
const DIVIDER = '<!--more-->';

/**
 * Whether Markdown is stored as such. Otherwise Hugo would display only a part of it, or stop the build.
 *
 * @param rawHtml whether the site's goldmark keeps raw HTML (`unsafe`).
 */
function isStoredAsMarkdown(markdown: string, rawHtml: boolean): boolean {
  if (markdown.includes(DIVIDER) || CODE_ATTRIBUTES.test(markdown)) return false;
  const prose = withoutCode(markdown);
  return !needsHtml(prose) && (rawHtml || !hasTags(prose));
}

/**
 * The body of a file, and the `markup` that it needs. Hugo displays it as sent, and never runs a shortcode in it. Without raw
 * HTML, the page would contain a note instead of the item comment, which `postbuild` adds anyway.
 */
export function storedBody(incoming: IncomingBody, path: string, rawHtml: boolean): StoredBody {
  const isHtmlFile = /\.html?$/i.test(path);
  if (!isHtmlFile && incoming.kind === 'markdown' && isStoredAsMarkdown(incoming.markdown, rawHtml))
    return {
      text: commentedOut(rawHtml ? incoming.markdown : withoutItemComments(incoming.markdown)),
      frontMatter: { markup: undefined },
    };
  const html = closedHtml(incoming.html).replaceAll(DIVIDER, '<!-- more -->');
  return { text: commentedOut(html), frontMatter: { markup: isHtmlFile ? undefined : 'html' } };
}

// `{{< x >}}` becomes `{{</* x */>}}`, which Hugo prints without the comment marks. Hugo looks for both ends before it reads
// the Markdown or HTML between them, so this works in code, in attributes and in scripts.
function commentedOut(text: string): string {
  let inert = '';
  let from = 0;
  for (;;) {
    const start = nextOpening(text, from);
    if (start === -1) return inert + text.slice(from);
    const right = text.startsWith('<', start - 1) ? '>}}' : '%}}';
    const end = text.indexOf(right, start);
    inert += `${text.slice(from, start)}/*`;
    // A comment at the end closes an unclosed shortcode.
    if (end === -1) return `${inert}${text.slice(start)}\n\n<!-- */${right} -->\n`;
    inert += `${text.slice(start, end)}*/${right}`;
    from = end + right.length;
  }
}

/** A shortcode as `commentedOut` writes it; an unclosed one reaches to the end. */
const COMMENTED = /(\{\{<)\/\*([\s\S]*?)(?:\*\/(>\}\})|$)|(\{\{%)\/\*([\s\S]*?)(?:\*\/(%\}\})|$)/g;

/** The inverse of `commentedOut`. */
function sentBody(stored: string): string {
  return stored.replace(/\n\n<!-- \*\/[>%]\}\} -->\n$/, '').replace(COMMENTED, '$1$2$3$4$5$6');
}

/** The position after the next `{{<` or `{{%`; -1 if there is none. */
function nextOpening(text: string, from: number): number {
  const opening = /\{\{[<%]/g;
  opening.lastIndex = from;
  return opening.test(text) ? opening.lastIndex : -1;
}

/**
 * Makes a text safe for the front matter. Many themes run titles and descriptions through `markdownify`, which runs shortcodes
 * and ignores their comments. An invisible word joiner between the braces prevents that.
 */
function inertText(text: string): string {
  return text.replace(/\{(?=\u2060*\{[<%])/g, '{\u2060');
}

/** The inverse of `inertText`. */
function sentText(written: string): string {
  return written.replace(/\{\u2060(?=\u2060*\{[<%])/g, '{');
}
