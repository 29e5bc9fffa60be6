import { posix } from 'node:path';
import { decodedAddress } from '../../article/address/files-of-address.js';
import type { ArticleMapping, IncomingBody, KeyNames, StoredBody } from '../../article/format/mapping.js';
import type { MappingOptions } from '../generator.js';
import { escapedMarkdown, withoutCode } from '../mapping/escape-markdown.js';
import { htmlBlock } from '../mapping/html-block.js';
import { hasTags, linkedAddresses, needsHtml } from '../mapping/markdown.js';
import {
  DATED,
  draftsBy,
  siteMapping,
  slugBy,
  tagSlug,
  USUAL_KEYS,
  webAddress,
  withoutSlash,
} from '../mapping/site-mapping.js';

/** The keys that Docusaurus reads. */
export const KEYS: KeyNames = { ...USUAL_KEYS, image: 'image', author: 'authors[].name' };

/** The path of the posts, unless the site's configuration sets another. */
export const ROUTE_BASE = '/blog';

/** The mapping for `docusaurus`. */
export function mapping(options: MappingOptions): ArticleMapping {
  const base = options.routeBase ?? ROUTE_BASE;
  const held = { draft: true };
  const inUtc = { ...options, timeZone: 'UTC' }; // Docusaurus counts days in UTC
  return siteMapping(inUtc, {
    usualKeys: KEYS,
    isDraft: draftsBy(held),
    datesByName: true,
    reserved: ['slug', SWITCH, 'id', 'draft', 'unlisted'],
    isArticlePath,
    slug,
    // Docusaurus reads a quoted date as a text in UTC, and appends the Z.
    momentText: ({ utc }) => (options.dates === 'string' ? utc.slice(0, -1) : utc),
    // Docusaurus stops the build at a picture whose address is not a URL.
    image: webAddress,
    tagKey: tagSlug,
    body: storedBody,
    sentBody: (stored) =>
      escapedMarkdown(stored, { prose: (source) => source.replace(PREFIXED, '$1') }) ?? stored,
    held,
    pinKey: {
      key: 'slug',
      write: (address) => slugOf(decodedAddress(address), base),
      read: (text) => (text === '' ? undefined : posix.join('/', base, text)),
      ignoresSlash: true,
    },
  });
}

/** Whether Docusaurus reads a file as a post. */
export function isArticlePath(path: string): boolean {
  return /\.mdx?$/.test(path) && !/(?:^|\/)_|\.test\.mdx?$/.test(path);
}

/** The last part of the `slug`, or the file's name without a date; for `index` the folder's. */
export const slug = slugBy(DATED, 'slug');

/** The slug of an address; an address outside the path of posts is not possible. */
function slugOf(address: string, base: string): string {
  const path = withoutSlash(address);
  const prefix = base === '/' ? '' : base;
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
}

/** The key that decides how Docusaurus compiles a file: `md` is Markdown without JSX, imports and expressions. */
const SWITCH = 'mdx';

/**
 * The syntax that Docusaurus replaces in a whole file before parsing: it unwraps such blocks, and drops a title at the
 * beginning.
 */
const PREPROCESSED = /mdx-code-block|^\s*(?:#[ \t]|\S[^\n]*\n=+[ \t]*(?:\n|$))/;

/** A directive that would be displayed as its name alone, or a container directive. */
const DIRECTIVE = /:[a-z][\w-]*[[{]|^[ \t>]*:{2,}/im;

/** The address of a link from the site's root to one of its pages or files. */
const ROOTED = /(\][(:]\s*<?)(?=\/(?!\/))/g;

/** Such an address with the prefix that prevents the check. */
const PREFIXED = /(\][(:]\s*<?)pathname:\/\/(?=\/)/g;

/**
 * The body of an article. Plain Markdown is compiled as such. Anything else is stored as HTML that React inserts unchanged: as
 * elements it would lose scripts, and an attribute such as `onclick` would break the page in the browser.
 */
export function storedBody(incoming: IncomingBody): StoredBody {
  const markdown = incoming.kind === 'markdown' ? plainMarkdown(incoming.markdown) : undefined;
  return markdown === undefined
    ? { text: htmlElement(incoming.html), frontMatter: { [SWITCH]: { format: 'mdx' } } }
    : { text: markdown, frontMatter: { [SWITCH]: { format: 'md' } } };
}

/**
 * Markdown without raw HTML and directives. A picture that is not on the web, and a link to a missing page, stop the build:
 * links from the root get a prefix that prevents the check.
 *
 * @returns undefined if the text cannot be stored as Markdown.
 */
function plainMarkdown(markdown: string): string | undefined {
  if (needsHtml(withoutCode(markdown)) || PREPROCESSED.test(markdown)) return undefined;
  let isPlain = true;
  const text = escapedMarkdown(markdown, {
    prose(source) {
      const isHarmless = (address: string) =>
        /^(?:https?:\/\/|mailto:|#)/i.test(address) || (!source.includes('![') && address.startsWith('/'));
      isPlain &&= !hasTags(source) && !DIRECTIVE.test(source) && linkedAddresses(source).every(isHarmless);
      return source.replace(ROOTED, '$1pathname://');
    },
  });
  return isPlain ? text : undefined;
}

/** HTML as a JSX element, without the marks of an excerpt's end, at which Docusaurus would cut the file. */
function htmlElement(html: string): string {
  const lines = htmlBlock(html)
    .split('\n')
    .map((line) => `  ${literal(line)},\n`);
  return `<div dangerouslySetInnerHTML={{ __html: [\n${lines.join('')}].join("\\n") }} />\n`;
}

function literal(line: string): string {
  return JSON.stringify(line)
    .replaceAll('<!--', '\\u003c!--')
    .replaceAll('{/*', '\\u007b/*')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}
