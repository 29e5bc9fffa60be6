import { decodedAddress } from '../../article/address/files-of-address.js';
import type {
  ArticleMapping,
  FileFacts,
  FrontMatterValue,
  IncomingBody,
  KeyNames,
} from '../../article/format/mapping.js';
import { OWN_KEY } from '../../article/format/site-keys.js';
import { mapOf } from '../../article/plain-data.js';
import { EXPIRY_KEY } from '../../article/publication.js';
import type { MappingOptions } from '../generator.js';
import { dateValue, type MomentText, publicationOf, type WrittenDates } from './dates.js';

/** The keys that sites mostly have. */
export const USUAL_KEYS: KeyNames = {
  title: 'title',
  description: 'description',
  date: 'date',
  updated: null,
  tags: 'tags',
  image: null,
};

/** The key that pins the address of a file's page, whatever the site's rule is. */
interface PinKey {
  readonly key: string;
  write(address: string): FrontMatterValue;
  /** The address that a text at the key means, with or without percent escapes; undefined for one that pins none. */
  read(text: string): string | undefined;
  /** Whether a slash at the end makes no difference. @default false */
  readonly ignoresSlash?: boolean;
}

type Demanded = 'reserved' | 'isArticlePath' | 'slug' | 'body';

/** What a generator's mapping must say, and what differs. */
interface OwnMapping
  extends Pick<ArticleMapping, Demanded>,
    Partial<Omit<ArticleMapping, Demanded | 'date' | 'keys' | 'constants' | 'publication'>> {
  /** The generator's keys, where the site has no others. @default those that sites mostly have */
  readonly usualKeys?: KeyNames;
  /** @default none: the file's name decides the address */
  readonly pinKey?: PinKey;
  /** Whether the generator makes no page of a file, whatever its dates are. @default never */
  isDraft?(file: FileFacts): boolean;
  /** Whether the generator itself makes no page of a date to come, also of people's posts. @default false */
  readonly hidesFuture?: boolean;
  /**
   * The dates that decide about a page. @default the date of the article, and until the one at which an article expires that
   * Pressmark has stored: most generators know no expiry
   */
  datesOf?(file: FileFacts): Partial<WrittenDates>;
  /** Where the generator counts a time without an offset. @default in the site's time zone */
  readonly ofTimes?: string;
  /** How the generator reads a moment. @default in UTC; a text by the clock of the site */
  readonly momentText?: MomentText;
}

/**
 * The mapping of a generator. What it does not say is as where Markdown files have pages whose addresses the site's pattern
 * makes of their names.
 */
export function siteMapping(options: MappingOptions, given: OwnMapping): ArticleMapping {
  const { usualKeys = USUAL_KEYS, pinKey, isDraft, hidesFuture = false, datesOf, ofTimes, ...others } = given;
  const { momentText, ...own } = others;
  const keys: KeyNames = { ...usualKeys, ...options.keys };
  const pin = pinKey === undefined ? undefined : pinBy(pinKey);
  return {
    keys,
    constants: options.constants,
    date: (iso) => dateValue(iso, options, momentText),
    image: (url) => url,
    tagKey: tagOfPage,
    pin: () => ({}),
    isPinned: (file, address) => isOfPattern(address, options, own.slug(file), file.data[keys.date]),
    publication(file) {
      if (isDraft?.(file) === true) return { kind: 'draft' };
      const { data } = file;
      const isStored = mapOf(data[OWN_KEY]).id !== undefined;
      const { from, until } = {
        from: data[keys.date],
        until: isStored ? data[EXPIRY_KEY] : undefined,
        ...datesOf?.(file),
      };
      // What a generator does not know concerns what Pressmark has stored: the posts of people are as it has them.
      const isScheduled = (isStored || hidesFuture) && options.futurePages !== true;
      return publicationOf({ from: isScheduled ? from : undefined, until }, data, options.timeZone, ofTimes);
    },
    ...pin,
    ...own,
    extension: (incoming) => own.extension?.(wanted(incoming)) ?? '.md',
    body: (incoming, path) => own.body(wanted(incoming), path),
  };

  /** The body in the form that the setting `articles.body` says. */
  function wanted(incoming: IncomingBody): IncomingBody {
    return options.body === 'markdown' || incoming.kind === 'html'
      ? incoming
      : { kind: 'html', html: incoming.html };
  }
}

function pinBy(pinKey: PinKey): Pick<ArticleMapping, 'pin' | 'isPinned'> {
  const { key, write, read, ignoresSlash = false } = pinKey;
  const compared = (address: string) =>
    ignoresSlash ? withoutSlash(decodedAddress(address)) : decodedAddress(address);
  return {
    pin: (address) => ({ [key]: write(address) }),
    isPinned({ data }, address) {
      const text = data[key];
      const pinned = typeof text === 'string' ? read(text) : undefined;
      return pinned !== undefined && compared(pinned) === compared(address);
    },
  };
}

/** Whether one of these keys has the value by which a generator makes no page of a file. */
export function draftsBy(values: Readonly<Record<string, boolean>>): (file: FileFacts) => boolean {
  return ({ data }) => Object.entries(values).some(([key, value]) => data[key] === value);
}

/** Whether an address is the one that a site's pattern gives to a post. */
export function isOfPattern(
  address: string,
  layout: { address(slug: string, date: string): string },
  slug: string,
  date: unknown,
): boolean {
  const own = layout.address(slug, date === undefined ? '' : String(date));
  return withoutSlash(decodedAddress(own)) === withoutSlash(decodedAddress(address));
}

/**
 * What two spellings of a tag have in common on a site that makes a page of each tag, at an address with the tag or its slug.
 * A slash, a dot segment, a control character, a text without a letter or a digit, or a name too long for a file breaks the
 * build or replaces another page. Hosts do not serve a folder whose name begins with a dot.
 *
 * @returns empty for a tag of which no page can be made.
 */
function tagOfPage(tag: string): string {
  const name = tag.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
  const isPage =
    /[\p{L}\p{N}]/u.test(name) &&
    !name.startsWith('.') &&
    !/[/\\\p{Cc}]|%[0-9a-f]{2}/iu.test(tag) &&
    Buffer.byteLength(name) <= 200;
  return isPage ? name.replaceAll(' ', '-') : '';
}

/** The name of a post by its file: without extension; the folder's for `index`. */
function fileName({ path }: Pick<FileFacts, 'path'>): string {
  const [name = '', folder = ''] = path
    .replace(/\.[^./]+$/, '')
    .split('/')
    .toReversed();
  return name === 'index' && folder !== '' ? folder : name;
}

/**
 * The name of a tag's page where it is made of letters without their marks, and of digits. Empty if the tag can have none:
 * without a letter or digit it would be the page of all tags, and a longer name does not fit into a file system.
 */
export function tagSlug(tag: string): string {
  const name = tag
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase();
  return Buffer.byteLength(name) <= 200 ? name : '';
}

/** A date before the name of a file. */
export const DATED = /^\d{4}-\d{1,2}-\d{1,2}-(?=.)/;

/**
 * Reads the slug of a post: the last part of what its front matter says, or the name of its file.
 *
 * @param before what stands before the slug in the name.
 * @param key of the slug, or of the address that ends with it. @default none
 */
export function slugBy(before: RegExp, key?: string): ArticleMapping['slug'] {
  return (file) => {
    const own = key === undefined ? undefined : file.data[key];
    const last = typeof own === 'string' ? decodedAddress(withoutSlash(own)).replace(/^.*\//, '') : '';
    return last === '' ? fileName(file).replace(before, '') : last;
  };
}

/** The address of a picture where the build stops at any that is not one of the web; undefined for such. */
export function webAddress(url: string): string | undefined {
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined;
}

/** An address without the slash at its end. */
export function withoutSlash(address: string): string {
  return address.replace(/(?<=.)\/$/, '');
}
