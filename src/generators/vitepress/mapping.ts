import type { ArticleMapping, IncomingBody, KeyNames, StoredBody } from '../../article/format/mapping.js';
import { termKey } from '../../article/names.js';
import type { MappingOptions } from '../generator.js';
import { withoutCode } from '../mapping/escape-markdown.js';
import { htmlBlock } from '../mapping/html-block.js';
import {
  hasTags,
  isOtherSite,
  linkedAddresses,
  needsHtml,
  withoutItemComments,
} from '../mapping/markdown.js';
import { DATED, siteMapping, slugBy, USUAL_KEYS } from '../mapping/site-mapping.js';

/** The keys that VitePress and most blogs read. */
export const KEYS: KeyNames = { ...USUAL_KEYS, updated: 'lastUpdated' };

/** The mapping for `vitepress`. */
export function mapping(options: MappingOptions): ArticleMapping {
  return siteMapping(options, {
    usualKeys: KEYS,
    reserved: ['head', 'layout', 'titleTemplate'],
    isArticlePath,
    slug,
    writtenText,
    sentText,
    // Texts escape `<` with a word joiner; in an address it is percent-encoded.
    image: (url) => url.replaceAll('<', '%3C'),
    // VitePress makes no tag pages; a site with its own has a folder per tag.
    tagKey: (tag) => (tag.startsWith('.') ? '' : termKey(tag)),
    body: (incoming) => storedBody(incoming, options.titleInBody === true),
    sentBody,
  });
}

/**
 * Changes a text that VitePress would act on in front matter, whose JSON it puts into a script: the end of that script, and a
 * comment for which it reads a file. A word joiner after the `<` prevents both. VitePress also writes the description into an
 * attribute unescaped, so a quotation mark would end it: a double prime, which looks the same, replaces it. An odd number of
 * word joiners after a double prime marks a replaced quotation mark, so word joiners that were sent are doubled.
 */
function writtenText(sent: string, field?: 'description'): string {
  const text = sent
    .replace(/<(?=\u2060*(?:\/script|!--\s*@include:))/gi, '<\u2060')
    .replace(/\u2033(\u2060+)/g, '\u2033$1$1');
  return field === undefined ? text : text.replace(/"(\u2060*)/g, '\u2033\u2060$1$1');
}

function sentText(written: string): string {
  return written
    .replace(/<\u2060(?=\u2060*(?:\/script|!--\s*@include:))/gi, '<')
    .replace(/\u2033(\u2060*)\1(\u2060?)/g, (_, joiners, odd) => `${odd === '' ? '\u2033' : '"'}${joiners}`);
}

/** Whether VitePress makes a page from a file of this name; `[name].md` is the template of many pages. */
export function isArticlePath(path: string): boolean {
  return path.endsWith('.md') && !path.includes('[');
}

/** The file's name without a leading date. */
export const slug = slugBy(DATED);

// A page of VitePress is a Vue component. Vue compiles nothing within `v-pre`, but it must be able to parse all elements, and
// the attributes that the text adds to them in `{ }`. VitePress also reads files for some lines, and a link to a missing page
// of the site stops the build. Markdown with any of these is stored as HTML, in a text that Vue prints.

/** A line for which VitePress reads another file. */
const SNIPPET = /^(?:>|[^\S\r\n\u2028\u2029])*<<</m;

/** A comment for which VitePress reads another file, even in code. */
const INCLUDE = /<!--\s*@include:/i;

/** Whether VitePress makes a page of this Markdown, and shows it unchanged. */
function isSafe(markdown: string): boolean {
  if (INCLUDE.test(markdown)) return false;
  const prose = withoutCode(markdown);
  if (needsHtml(prose) || hasTags(prose) || SNIPPET.test(prose) || prose.includes('{')) return false;
  return linkedAddresses(prose).every(isOtherSite);
}

/** The title as a heading, for sites whose layout does not show it; the only template in an article. */
const HEADING = '<h1>{{ $frontmatter.title }}</h1>\n\n';

/**
 * The body, in which Vue compiles nothing.
 *
 * @param hasHeading whether to begin with the title.
 */
export function storedBody(incoming: IncomingBody, hasHeading: boolean): StoredBody {
  const isMarkdown = incoming.kind === 'markdown' && isSafe(incoming.markdown);
  const hasOwn = isMarkdown ? /^\s*# /.test(incoming.markdown) : /^\s*<h1[\s>]/i.test(incoming.html);
  const heading = hasHeading && !hasOwn ? HEADING : '';
  const text = isMarkdown ? contained(withoutItemComments(incoming.markdown)) : printed(incoming.html);
  return { text: heading + text, frontMatter: {} };
}

/** Wraps Markdown in a container that the text cannot close. */
function contained(markdown: string): string {
  const longest = Math.max(2, ...Array.from(markdown.matchAll(/:{3,}/g), ([colons]) => colons.length));
  const marker = ':'.repeat(longest + 1);
  return `${marker} v-pre\n\n${markdown.trimEnd()}\n\n${marker}\n`;
}

const CONTAINED = /^(:{3,}) v-pre\n\n([\s\S]*)\n\n\1\n$/;

/** The inverse of `storedBody` for Markdown. */
function sentBody(stored: string): string {
  const text = stored.startsWith(HEADING) ? stored.slice(HEADING.length) : stored;
  return text.replace(CONTAINED, '$2\n');
}

/** HTML as a JavaScript text in an attribute, which Vue prints unchanged. */
function printed(html: string): string {
  const script = htmlBlock(html).replace(/[\\`]|\$(?=\{)/g, String.raw`\$&`);
  // VitePress reads a file for an include comment, even within a script.
  const value = script.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<!', '&lt;!');
  return `<div v-html="\`\n${value}\n\`"></div>\n`;
}
