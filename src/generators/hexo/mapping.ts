import type { ArticleMapping, FileFacts, KeyNames } from '../../article/format/mapping.js';
import type { MappingOptions } from '../generator.js';
import { decodedAddress } from '../layout.js';
import { momentOf, storedExpiry } from '../mapping/dates.js';
import { siteMapping, USUAL_KEYS } from '../mapping/site-mapping.js';
import { ENGINE, SWITCH, storedBody } from './body.js';

/** The keys that Hexo reads, and its themes. */
export const KEYS: KeyNames = { ...USUAL_KEYS, updated: 'updated' };

/** What only a post's owner may set: it decides the address or what the post is rendered by. */
const RESERVED = [SWITCH, ENGINE, 'permalink', '__permalink', 'published', 'content'];

/** The mapping of `hexo`. */
export function mapping(options: MappingOptions): ArticleMapping {
  const dateKey = options.keys?.date ?? KEYS.date;
  const zone = options.timeZone ?? 'UTC';
  return siteMapping(options, {
    usualKeys: KEYS,
    reserved: RESERVED,
    isArticlePath,
    slug: slugOfFile,
    // With an offset, it would take the time in UTC for the time in the site's zone.
    momentText: ({ day, time }) => `${day} ${time.replace(/\..*/, '')}`,
    tagKey,
    body: storedBody,
    held: { published: false },
    pin: (address) => ({ permalink: decodedAddress(address) }),
    isPinned: ({ data }, address) =>
      typeof data.permalink === 'string' &&
      decodedAddress(`/${data.permalink.replace(/^\//, '')}`) === decodedAddress(address),
    publication(file) {
      if (file.data.published === false) return { kind: 'draft' };
      const from = options.futurePages === true ? undefined : momentOf(file.data[dateKey], zone);
      return { ...storedExpiry(file, zone), from };
    },
  });
}

/** Whether Hexo reads a post from a file of this name. */
export function isArticlePath(path: string): boolean {
  return /\.(?:md|markdown|html)$/.test(path) && !/(?:^|\/)[_.]/.test(path);
}

/** The part of a file's name behind a date. */
export function slugOfFile({ path }: FileFacts): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]+$/, '');
  return name.replace(/^\d{4}-\d\d-\d\d-(?=.)/, '');
}

/**
 * The name of a tag's page. Empty where the tag can have none: without a letter or digit it would be the page of all tags, and
 * a longer name does not fit into a file system.
 */
function tagKey(tag: string): string {
  const name = tag
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'<>,.?/\p{Cc}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase();
  return Buffer.byteLength(name) <= 200 ? name : '';
}
