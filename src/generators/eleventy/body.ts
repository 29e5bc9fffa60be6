import type { IncomingBody, StoredBody } from '../../article/format/mapping.js';
import { closedHtml } from '../../article/text/closed-html.js';
import { htmlTokens } from '../../article/text/html-tokens.js';
import { type Replacement, withReplacements } from '../../article/text/replacements.js';
import type { MappingOptions } from '../generator.js';
import {
  hasTags,
  isDecodable,
  linkedAddresses,
  needsHtml,
  withoutItemComments,
} from '../mapping/markdown.js';

/** What Eleventy's plugins do with the HTML of a page. */
export interface Transforms {
  /** Elements that are taken out of the page, or processed, unless they are marked. */
  readonly elements: readonly string[];
  /** Ids that the site's layouts use, where a page with one id twice stops the build; undefined where it does not. */
  readonly ids: readonly string[] | undefined;
}

const URLS = new Set(['href', 'src', 'cite', 'action', 'formaction', 'data', 'poster']);

const URL_LISTS = new Set(['srcset', 'ping']);

/**
 * An article's HTML without what makes Eleventy's own plugins stop the build: URLs that cannot be parsed or decoded
 * (HtmlBasePlugin, InputPathToUrlTransformPlugin, feeds) and repeated ids (IdAttributePlugin). Elements are marked so
 * that they stay where they are. All other bytes are as they were.
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

export const SWITCH = 'templateEngineOverride';

/** Whether a body is stored as Markdown: only HTML can be made harmless to the plugins of the site. */
export function isMarkdown(
  body: IncomingBody,
  options: MappingOptions,
): body is IncomingBody & { readonly kind: 'markdown' } {
  if (body.kind !== 'markdown' || options.templateSwitch === false) return false;
  const { markdown } = body;
  if (needsHtml(markdown) || (options.rawHtml === false && hasTags(markdown))) return false;
  if (options.markedElements?.includes('img') && markdown.includes('![')) return false;
  return (
    harmlessHtml(markdown, transforms(options)) === markdown &&
    linkedAddresses(markdown).every((address) => harmlessUrl(address) === address)
  );
}

function transforms({ markedElements = [], usedIds }: MappingOptions): Transforms {
  return { elements: markedElements, ids: usedIds };
}

/**
 * The body and the switch that keeps it from running as a template. `md` renders Markdown alone, `html` nothing at
 * all, whatever the file's extension.
 */
export function storedBody(incoming: IncomingBody, path: string, options: MappingOptions): StoredBody {
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
      // Eleventy takes the separator out of the text, unless the file names another one, which its text lacks.
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

/** Where the switch does not work. The text stays; scripts and styles of the body do not survive it. */
function escapeTemplates(html: string): string {
  return html.replace(/[{}]/g, (brace) => `&#${brace.charCodeAt(0)};`).replace(/<(?=[%?])/g, '&lt;');
}
