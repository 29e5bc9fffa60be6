import { slugify } from '../../article/address/slug.js';
import type { ArticleMapping, FileFacts, FrontMatterValue } from '../../article/format/mapping.js';
import { signsOf, termKey } from '../../article/names.js';
import type { MappingOptions } from '../generator.js';
import { decodedAddress } from '../layout.js';
import { siteMapping } from '../mapping/site-mapping.js';
import { isMarkdown, SWITCH, storedBody } from './body.js';

/** What only a page's owner may set: it decides the address, runs as a template or stops the build. */
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

/** The mapping of `eleventy`. */
export function mapping(options: MappingOptions): ArticleMapping {
  const inUtc = { ...options, timeZone: 'UTC' }; // as Eleventy counts
  return siteMapping(inUtc, {
    drafts: { draft: true, permalink: false },
    reserved: RESERVED,
    isArticlePath,
    slug: fileSlug,
    momentText: ({ utc }, sent) => (YAML_TIMESTAMP.test(sent) ? sent : utc),
    tagKey: options.tagSlugs === false ? tagName : tagKey,
    extension: (body) => (isMarkdown(body, options) || options.htmlFiles === false ? '.md' : '.html'),
    body: (incoming, path) => storedBody(incoming, path, options),
    held: { permalink: false, eleventyExcludeFromCollections: true },
    pin,
    isPinned: ({ data }, address) => isPinned(data, address),
  });
}

/** Whether a file may be an article; data files and other templates are not. */
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

/** The form of js-yaml, which Eleventy reads a date with: seconds are needed, and a zone, or the build machine's decides. */
const YAML_TIMESTAMP = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d*)?\s*(?:Z|[+-]\d\d(?::\d\d)?))?$/;

/** Letters and quotes that the slugify of Eleventy reads as a gap, and ours does not. */
const GAPS = /[’ŒœƏə]/g;

/** Eleventy stops at __proto__, and a template without slugify would write outside its folder. */
const isReserved = (tag: string): boolean =>
  tag === '__proto__' || /(?:^|[\\/])\.{1,2}(?:[\\/]|$)/.test(tag) || termKey(tag) === 'all';

/** What all spellings of a tag have in common where its page has its name. */
export function tagName(tag: string): string {
  const slug = tagKey(tag);
  if (slug !== '') return slug + signsOf(tag);
  const hasName = /[\p{L}\p{N}]/u.test(tag) && !isReserved(tag) && !/[\\/]|^\./.test(tag);
  return hasName ? termKey(tag) : '';
}

/** The name of a tag's page as the filter `slugify` makes it. */
export function tagKey(tag: string): string {
  if (isReserved(tag)) return '';
  const name = /^[a-z0-9]+$/.test(tag) // as slugify leaves it, which takes long where there are many
    ? tag
    : slugify(tag.toWellFormed().replace(GAPS, '-'), { decamelize: false });
  return name === 'all' ? '' : name; // the collection of all pages
}

/** A permalink needs a slash or an extension at its end. It is a file name, so it is not percent-encoded. */
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
