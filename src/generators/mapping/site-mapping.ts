import type { ArticleMapping, FileFacts, IncomingBody, KeyNames } from '../../article/format/mapping.js';
import type { MappingOptions } from '../generator.js';
import { isOfPattern } from '../layout.js';
import { dateValue, type MomentText, storedPublication } from './dates.js';

/** The keys that sites mostly have. */
export const USUAL_KEYS: KeyNames = {
  title: 'title',
  description: 'description',
  date: 'date',
  updated: null,
  tags: 'tags',
  image: null,
};

type Demanded = 'reserved' | 'isArticlePath' | 'slug' | 'body';

/** What a generator's mapping must say, and what differs. */
interface OwnMapping
  extends Pick<ArticleMapping, Demanded>,
    Partial<Omit<ArticleMapping, Demanded | 'date' | 'keys' | 'constants'>> {
  /** The generator's keys, where the site has no others. @default those that sites mostly have */
  readonly usualKeys?: KeyNames;
  /** Front matter by any of which the generator makes no page of a file. @default none */
  readonly drafts?: Readonly<Record<string, boolean>>;
  /** Whether the generator itself makes no page of a date to come, also of people's posts. @default false */
  readonly hidesFuture?: boolean;
  /** How the generator reads a moment. @default in UTC */
  readonly momentText?: MomentText;
}

/**
 * The mapping of a generator. What it does not say is as where Markdown files have pages whose addresses the site's pattern
 * makes of their names.
 */
export function siteMapping(options: MappingOptions, given: OwnMapping): ArticleMapping {
  const { usualKeys = USUAL_KEYS, drafts = {}, hidesFuture = false, momentText, ...own } = given;
  const keys: KeyNames = { ...usualKeys, ...options.keys };
  return {
    keys,
    constants: options.constants,
    date: (iso) => dateValue(iso, options, momentText),
    image: (url) => url,
    tagKey: tagOfPage,
    pin: () => ({}),
    isPinned: (file, address) => isOfPattern(address, options, own.slug(file), file.data[keys.date]),
    publication: (file) =>
      hasAny(file, drafts)
        ? { kind: 'draft' }
        : storedPublication(file, keys.date, { ...options, hidesFuture }),
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

function hasAny({ data }: FileFacts, drafts: Readonly<Record<string, boolean>>): boolean {
  return Object.entries(drafts).some(([key, value]) => data[key] === value);
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
export function fileName({ path }: Pick<FileFacts, 'path'>): string {
  const [name = '', folder = ''] = path
    .replace(/\.[^./]+$/, '')
    .split('/')
    .toReversed();
  return name === 'index' && folder !== '' ? folder : name;
}

/** The address of a picture where the build stops at any that is not one of the web; undefined for such. */
export function webAddress(url: string): string | undefined {
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? url : undefined;
}

/** An address without the slash at its end. */
export function withoutSlash(address: string): string {
  return address.replace(/(?<=.)\/$/, '');
}
