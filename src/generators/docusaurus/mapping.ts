import { posix } from 'node:path';
import type { ArticleMapping, FileFacts, KeyNames } from '../../article/format/mapping.js';
import type { MappingOptions } from '../generator.js';
import { decodedAddress } from '../layout.js';
import { fileName, siteMapping, USUAL_KEYS, webAddress, withoutSlash } from '../mapping/site-mapping.js';
import { SWITCH, storedBody } from './body.js';

/** The keys that Docusaurus reads. */
export const KEYS: KeyNames = { ...USUAL_KEYS, image: 'image', author: 'authors[].name' };

/** Below this path are the posts of a site that says nothing else. */
export const ROUTE_BASE = '/blog';

/** The mapping of `docusaurus`. */
export function mapping(options: MappingOptions): ArticleMapping {
  const base = options.routeBase ?? ROUTE_BASE;
  const held = { draft: true };
  const inUtc = { ...options, timeZone: 'UTC' }; // as Docusaurus counts
  return siteMapping(inUtc, {
    usualKeys: KEYS,
    drafts: held,
    datesByName: true,
    reserved: ['slug', SWITCH, 'id', 'draft', 'unlisted'],
    isArticlePath,
    slug,
    // It takes a date in quotes for a text in UTC to which it adds the Z.
    momentText: ({ utc }) => (options.dates === 'string' ? utc.slice(0, -1) : utc),
    // Docusaurus stops the build at a picture that is not a URL.
    image: webAddress,
    tagKey,
    body: storedBody,
    held,
    pin: (address) => ({ slug: slugOf(decodedAddress(address), base) }),
    isPinned: ({ data }, address) =>
      typeof data.slug === 'string' &&
      data.slug !== '' &&
      withoutSlash(posix.join('/', base, data.slug)) === withoutSlash(decodedAddress(address)),
  });
}

/** Whether Docusaurus takes a file for a post. */
export function isArticlePath(path: string): boolean {
  return /\.mdx?$/.test(path) && !/(?:^|\/)_|\.test\.mdx?$/.test(path);
}

const DATED = /^\d{4}-\d{1,2}-\d{1,2}-?/;

/** The last part of the `slug`, or the file's name without a date; for `index` the folder's. */
export function slug(file: FileFacts): string {
  const { slug } = file.data;
  const own = typeof slug === 'string' ? slug.split('/').findLast((part) => part !== '') : undefined;
  const name = fileName(file);
  return own ?? (name.replace(DATED, '') || name);
}

/** The slug of an address; another one than below the path of all posts cannot be had. */
function slugOf(address: string, base: string): string {
  const path = withoutSlash(address);
  const prefix = base === '/' ? '' : base;
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
}

/** Longest name of a tag's folder, in bytes. */
const LONGEST_NAME = 200;

/** The name of a tag's page, which Docusaurus makes of its words. Empty where it has none: the page would be the list of all tags. */
function tagKey(tag: string): string {
  const words = tag.match(/\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}'’]+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu) ?? [];
  const key = words
    .join('-')
    .replace(/['’]/g, '')
    .normalize('NFD')
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase();
  return Buffer.byteLength(key) > LONGEST_NAME ? '' : key;
}
