import { decodedAddress } from '../../article/address/files-of-address.js';
import type { ArticleMapping, FileFacts, KeyNames } from '../../article/format/mapping.js';
import type { MappingOptions } from '../generator.js';
import { withoutCode } from '../mapping/escape-markdown.js';
import { htmlBlock } from '../mapping/html-block.js';
import { linkedAddresses, needsHtml } from '../mapping/markdown.js';
import { draftsBy, isOfPattern, siteMapping, USUAL_KEYS, webAddress } from '../mapping/site-mapping.js';

/** The keys of most sites. */
export const KEYS: KeyNames = { ...USUAL_KEYS, date: 'pubDate' };

/** The mapping for `astro`. */
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
    // A schema with url() or image() refuses any other address, and the build fails.
    image: webAddress,
    extension: (body) => (options.htmlFiles === true && body.kind === 'html' ? '.html' : '.md'),
    body(incoming, path) {
      if (isHtmlFile(path)) return { text: incoming.html, frontMatter: {} };
      const isMarkdown =
        incoming.kind === 'markdown' && isSafeMarkdown(incoming.markdown, options.fetchesImages ?? false);
      const text = isMarkdown ? markdownBody(incoming.markdown) : htmlBlock(incoming.html);
      return { text, frontMatter: {} };
    },
    sentBody: (stored) => (stored.startsWith(GUARD) ? stored.slice(GUARD.length) : stored),
    held,
    pin: (address) => (options.slugKey === true ? { slug: slugIn(address) } : {}),
    isPinned: (file, address) => {
      if (hasSlug(file) && options.slugKey !== true) return false;
      return isOfPattern(address, options, entryId(file), file.data[dateKey]);
    },
  });
}

/**
 * Makes a text safe that begins with Astro's image marker: Astro would import the file that it names, under any key. A word
 * joiner before the marker prevents that.
 */
const writtenText = (sent: string): string => (beginsWithMarker(sent) ? `\u2060${sent}` : sent);

const beginsWithMarker = (text: string): boolean => text.replace(/^\u2060*/, '').startsWith(IMAGE_MARKER);

/** The last segment of an address, without an extension such as `.html`. */
const slugIn = (address: string): string =>
  decodedAddress(address)
    .replace(/(?:\.x?html?|\/)$/, '')
    .split('/')
    .at(-1) ?? '';

/** Whether Astro takes the id from the key `slug`; an empty one is ignored. */
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

/** Makes a slug as github-slugger does: lower case, spaces to hyphens, only letters, marks, digits, `-` and `_`. */
function githubSlug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** The marker that Astro writes before the name of a picture to import. A page's own text must not contain it. */
const IMAGE_MARKER = '__ASTRO_IMAGE_';

/**
 * Whether Markdown can be stored unchanged: Astro builds its page, and nothing is lost.
 *
 * Astro imports the pictures of Markdown whose address is relative: a missing file breaks the build of the whole site, and a
 * malformed `%` empties the page. So if a text has pictures, every address in it must be harmless.
 *
 * @param fetchesImages whether the site's `image.domains` or `image.remotePatterns` make Astro fetch pictures during a build; a
 *   picture that cannot be fetched breaks the build.
 */
export function isSafeMarkdown(markdown: string, fetchesImages: boolean): boolean {
  const prose = withoutCode(markdown);
  if (markdown.includes(IMAGE_MARKER) || needsHtml(prose)) return false;
  return (
    !prose.includes('![') || linkedAddresses(prose).every((address) => isHarmless(address, fetchesImages))
  );
}

/** Whether a picture at this address cannot break a build: Astro neither imports nor fetches it, and can decode the address. */
function isHarmless(address: string, fetchesImages: boolean): boolean {
  // Addresses that a Markdown parser would read differently: with an escape, a character reference or an unclosed parenthesis.
  if (/\\|&(?!amp;)|[<(]$/.test(address)) return false;
  try {
    const decoded = decodeURI(address); // as Astro does
    if (/^https?:\/\//i.test(decoded)) return !fetchesImages && URL.canParse(decoded);
    return /^(?:[/#]|mailto:)/i.test(decoded);
  } catch {
    return false;
  }
}

const GUARD = '<!-- -->\n\n';

/**
 * Makes the body of an `.md` file. Astro 7 takes a body that starts with `---` or `+++` for front matter and drops it, and all
 * supported versions remove the indentation of the first line. A comment before the body prevents both.
 */
export function markdownBody(markdown: string): string {
  return /^\s*(?:---|\+\+\+)/.test(markdown) || /^(?:[^\S\n]*\n)*(?: {4}|\t| {1,3}\t)/.test(markdown)
    ? GUARD + markdown
    : markdown;
}
