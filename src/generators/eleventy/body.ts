import { createRequire } from 'node:module';
import type MarkdownIt from 'markdown-it';
import { commentPlaces } from '../../article/article.js';
import { closedHtml } from '../../article/closed-html.js';
import type { IncomingBody, StoredBody } from '../../article/mapping.js';
import type { MappingOptions } from '../generator.js';

const require = createRequire(import.meta.url);

/** What Eleventy's plugins do with the HTML of a page. */
export interface Transforms {
  /** Elements that are taken out of the page, or processed, unless they are marked. */
  readonly elements: readonly string[];
  /** Ids that the site's layouts use, where a page with one id twice stops the build; undefined where it does not. */
  readonly ids: readonly string[] | undefined;
}

// A comment, a script or style with its text, or any other opening tag. Each alternative ends at the first `<` or at the
// end of the text if it is not closed, and a name ends where it can, so that no input is scanned twice.
const PIECE =
  /<!--[\s\S]*?(?:-->|$)|<(script|style)(?=[\s>/])([^<>]*)(>[\s\S]*?(?:<\/\1\s*>|$))|<([a-z][^\s<>/]*)(?=[\s<>/]|$)((?:[^"'<>]|"[^"]*"|'[^']*')*)>/gi;

const ATTRIBUTE = /([^\s"'<>/=]+)(?:(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'<>]+))?/g;

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
  const tag = (name: string, attributes: string) => {
    const kept = attributes.replace(ATTRIBUTE, (found, key: string, equals?: string, quoted = '') => {
      if (equals === undefined) return found;
      const quote = /^["']/.test(quoted) ? quoted.charAt(0) : '';
      const value = quote === '' ? quoted : quoted.slice(1, -1);
      if (key.toLowerCase() === 'id' && used !== undefined && value !== '') {
        if (used.has(value)) return '';
        used.add(value);
      }
      const harmless = harmlessValue(name.toLowerCase(), key.toLowerCase(), value);
      return harmless === value ? found : `${key}${equals}${quote}${harmless}${quote}`;
    });
    return `<${name}${marked.has(name.toLowerCase()) ? ' eleventy:ignore' : ''}${kept}`;
  };
  return html.replace(
    PIECE,
    (found, raw?: string, rawAttributes = '', rest = '', name?: string, attributes = '') => {
      if (raw !== undefined) return `${tag(raw, rawAttributes)}${rest}`;
      return name === undefined ? found : `${tag(name, attributes)}>`;
    },
  );
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

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}

export const SWITCH = 'templateEngineOverride';

/** Whether a body is stored as Markdown: where the site sends it through its plugins and its renderer unchanged. */
export function isMarkdown(
  body: IncomingBody,
  options: MappingOptions,
): body is IncomingBody & { readonly kind: 'markdown' } {
  if (body.kind !== 'markdown' || options.body !== 'markdown' || options.templateSwitch === false)
    return false;
  if (options.rawHtml === false && hasRawHtml(withoutItemComments(body.markdown))) return false;
  const { commonMark, eleventy } = renderers();
  const rendered = commonMark.render(body.markdown);
  // Eleventy turns indented code off; HTML in it would not be text any more.
  if (eleventy.render(body.markdown) !== rendered) return false;
  // Only HTML can be made harmless to the plugins of the site.
  return harmless(rendered, options) === rendered;
}

function harmless(html: string, options: MappingOptions): string {
  const transforms: Transforms = { elements: options.markedElements ?? [], ids: options.usedIds };
  return harmlessHtml(closedHtml(html), transforms);
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
    : harmless(incoming.html, options);
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

type Renderer = InstanceType<typeof MarkdownIt>;

let made: { readonly commonMark: Renderer; readonly eleventy: Renderer } | undefined;

/** Made for the first article: every receiver loads this module, whichever generator its site has. */
function renderers() {
  if (made !== undefined) return made;
  const Markdown = require('markdown-it') as typeof MarkdownIt;
  made = {
    commonMark: new Markdown({ html: true }),
    eleventy: new Markdown({ html: true }).disable('code'),
  };
  return made;
}

function hasRawHtml(markdown: string): boolean {
  return renderers()
    .commonMark.parse(markdown, {})
    .flatMap((token) => [token, ...(token.children ?? [])])
    .some(({ type }) => type === 'html_block' || type === 'html_inline');
}

function withoutItemComments(markdown: string): string {
  const kept: string[] = [];
  let from = 0;
  for (const [start, end] of commentPlaces(markdown)) {
    kept.push(markdown.slice(from, start));
    trimEnd(kept);
    from = end;
  }
  return kept.join('') + markdown.slice(from);
}

/** Takes the white space off the end of a text that is in pieces. */
function trimEnd(pieces: string[]): void {
  for (let last = pieces.pop(); last !== undefined; last = pieces.pop()) {
    const trimmed = last.trimEnd();
    if (trimmed === '') continue;
    pieces.push(trimmed);
    return;
  }
}
