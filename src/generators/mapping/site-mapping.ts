import { decodedAddress } from '../../article/address/files-of-address.js';
import type {
  ArticleMapping,
  FileFacts,
  FrontMatterValue,
  IncomingBody,
  KeyNames,
} from '../../article/format/mapping.js';
import { OWN_KEY, scalarOf } from '../../article/format/site-keys.js';
import { mapOf } from '../../article/plain-data.js';
import { EXPIRY_KEY } from '../../article/publication.js';
import type { MappingOptions } from '../generator.js';
import { dateValue, type MomentText, publicationOf, type WrittenDates } from './dates.js';

/** The keys of most sites. */
export const USUAL_KEYS: KeyNames = {
  title: 'title',
  description: 'description',
  date: 'date',
  updated: null,
  tags: 'tags',
  image: null,
};

/** The key that pins the address of a file's page, regardless of the site's rule. */
interface PinKey {
  readonly key: string;
  write(address: string): FrontMatterValue;
  /** The address in a value of the key, percent-encoded or not; undefined if the value pins none. */
  read(text: string): string | undefined;
  /** Whether a trailing slash makes no difference. @default false */
  readonly ignoresSlash?: boolean;
}

type Demanded = 'reserved' | 'isArticlePath' | 'slug' | 'body';

/** The parts of a generator's mapping that differ from the defaults. */
interface OwnMapping
  extends Pick<ArticleMapping, Demanded>,
    Partial<Omit<ArticleMapping, Demanded | 'date' | 'keys' | 'constants' | 'publication'>> {
  /** The generator's keys, unless the site has others. @default the keys of most sites */
  readonly usualKeys?: KeyNames;
  /** @default none: the file's name decides the address */
  readonly pinKey?: PinKey;
  /** Whether the generator makes no page of a file, regardless of its dates. @default never */
  isDraft?(file: FileFacts): boolean;
  /** Whether the generator itself makes no page for a future date, including people's posts. @default false */
  readonly hidesFuture?: boolean;
  /**
   * The dates that decide about a page. @default the article's date, and the expiry of articles that Pressmark stored: most
   * generators have no expiry
   */
  datesOf?(file: FileFacts): Partial<WrittenDates>;
  /** The time zone of times without an offset. @default the site's time zone */
  readonly ofTimes?: string;
  /** The text form of a moment. @default in UTC; as a string, by the site's clock */
  readonly momentText?: MomentText;
}

/**
 * Creates the mapping of a generator. Defaults apply to a generator that makes pages of Markdown files, at addresses that the
 * site's pattern makes from the files' names.
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
      // Rules that the generator does not have apply only to Pressmark's own articles, not to people's posts.
      const isScheduled = (isStored || hidesFuture) && options.futurePages !== true;
      return publicationOf({ from: isScheduled ? from : undefined, until }, data, options.timeZone, ofTimes);
    },
    ...pin,
    ...own,
    extension: (incoming) => own.extension?.(wanted(incoming)) ?? '.md',
    body: (incoming, path) => own.body(wanted(incoming), path),
  };

  /** The body in the form of the setting `articles.body`. */
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

/** Makes a function that tells whether one of these keys has the value for which a generator makes no page. */
export function draftsBy(values: Readonly<Record<string, boolean>>): (file: FileFacts) => boolean {
  return ({ data }) => Object.entries(values).some(([key, value]) => booleanIn(data[key]) === value);
}

/**
 * A value as a boolean, in every spelling that some generators read as one; undefined if it is none. A draft by such a spelling
 * has a page nevertheless if the generator lists it.
 */
export function booleanIn(value: unknown): boolean | undefined {
  const text = scalarOf(value) ?? '';
  if (/^(?:true|t|yes|y|on|1)$/i.test(text)) return true;
  return /^(?:false|f|no|n|off|0)$/i.test(text) ? false : undefined;
}

/** Whether an address follows the site's pattern for a post. */
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
 * The form that all spellings of a tag share, on a site that makes a page for each tag at an address with the tag or its slug.
 * A slash, a dot segment, a control character, a text without letters and digits, or a name too long for a file breaks the
 * build or replaces another page. Hosts do not serve a folder whose name begins with a dot.
 *
 * @returns empty if the tag cannot have a page.
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

/** The name of a post, from its file without extension; the folder's name for `index`. */
function fileName({ path }: Pick<FileFacts, 'path'>): string {
  const [name = '', folder = ''] = path
    .replace(/\.[^./]+$/, '')
    .split('/')
    .toReversed();
  return name === 'index' && folder !== '' ? folder : name;
}

/**
 * The name of a tag's page, made of digits and of letters without their marks. Empty if the tag cannot have a page: without
 * letters and digits it would be the list of all tags, and a longer name does not fit into a file system.
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
 * Makes a function that reads the slug of a post: the last part of a front matter value, or the name of the file.
 *
 * @param before matches the part of the name before the slug.
 * @param key of the slug, or of an address that ends with it. @default none
 */
export function slugBy(before: RegExp, key?: string): ArticleMapping['slug'] {
  return (file) => {
    const own = key === undefined ? undefined : file.data[key];
    const last = typeof own === 'string' ? decodedAddress(withoutSlash(own)).replace(/^.*\//, '') : '';
    return last === '' ? fileName(file).replace(before, '') : last;
  };
}

/** The address of a picture if it is on the web, otherwise undefined: the build would stop at it. */
export function webAddress(url: string): string | undefined {
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined;
}

/** The address without its trailing slash. */
export function withoutSlash(address: string): string {
  return address.replace(/(?<=.)\/$/, '');
}
