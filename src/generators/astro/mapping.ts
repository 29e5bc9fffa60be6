import { decodedAddress } from '../../article/address/files-of-address.js';
import type { ArticleMapping, FileFacts, KeyNames } from '../../article/format/mapping.js';
import type { MappingOptions } from '../generator.js';
import { htmlBlock } from '../mapping/html-block.js';
import { linkedAddresses, needsHtml } from '../mapping/markdown.js';
import { draftsBy, isOfPattern, siteMapping, USUAL_KEYS, webAddress } from '../mapping/site-mapping.js';

/** The keys that sites mostly have. */
export const KEYS: KeyNames = { ...USUAL_KEYS, date: 'pubDate' };

/** The mapping of `astro`. */
export function mapping(options: MappingOptions): ArticleMapping {
  const dateKey = options.keys?.date ?? KEYS.date;
  const held = { draft: true };
  const isHtmlFile = (path: string) => path.endsWith('.html');
  return siteMapping(options, {
    usualKeys: KEYS,
    isDraft: draftsBy(held),
    reserved: ['slug', 'id', 'layout'],
    isArticlePath: (path) => /\.mdx?$/.test(path) || (options.htmlFiles === true && isHtmlFile(path)),
    slug: (file) => entryId(file).split('/').at(-1) ?? '',
    writtenText,
    sentText: (written) => (beginsWithMarker(written) ? written.replace('\u2060', '') : written),
    // A schema with url() or image() refuses every other address, and the build fails.
    image: webAddress,
    extension: (body) => (options.htmlFiles === true && body.kind === 'html' ? '.html' : '.md'),
    body(incoming, path) {
      if (isHtmlFile(path)) return { text: incoming.html, frontMatter: {} };
      const isMarkdown =
        incoming.kind === 'markdown' && isSafeMarkdown(incoming.markdown, options.fetchesImages ?? false);
      const text = isMarkdown ? markdownBody(incoming.markdown) : htmlBlock(incoming.html);
      return { text, frontMatter: {} };
    },
    held,
    pin: (address) => (options.slugKey === true ? { slug: slugIn(address) } : {}),
    isPinned: (file, address) => {
      if (hasSlug(file) && options.slugKey !== true) return false;
      return isOfPattern(address, options, entryId(file), file.data[dateKey]);
    },
  });
}

/** Astro imports the file that a text with its marker names, at whatever key; a word joiner before it makes it a text. */
const writtenText = (sent: string): string => (beginsWithMarker(sent) ? `\u2060${sent}` : sent);

const beginsWithMarker = (text: string): boolean => text.replace(/^\u2060*/, '').startsWith(IMAGE_MARKER);

/** The last part of an address. */
const slugIn = (address: string): string =>
  decodedAddress(address)
    .replace(/(?:\.x?html?|\/)$/, '')
    .split('/')
    .at(-1) ?? '';

/** Astro takes the key `slug` for the id, unless it is empty. */
const hasSlug = ({ data }: FileFacts): boolean => Object.hasOwn(data, 'slug') && Boolean(data.slug);

/** The id that Astro's glob() gives to a file: its path as slugs, without extension and `/index`. */
export function entryId(file: FileFacts): string {
  if (hasSlug(file)) return String(file.data.slug);
  return file.path
    .replace(/\.[^./]*$/, '')
    .split('/')
    .map(githubSlug)
    .join('/')
    .replace(/\/index$/, '');
}

/** As github-slugger does: lower case, spaces to hyphens, only letters, marks, digits, `-` and `_`. */
function githubSlug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** What Astro writes before the name of a picture that it is to import; in a page's own text it must not stand. */
const IMAGE_MARKER = '__ASTRO_IMAGE_';

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
