import type { ArticleMapping, FileFacts, FrontMatterValue, KeyNames } from '../../article/mapping.js';
import { decodedAddress } from '../address.js';
import type { MappingOptions } from '../generator.js';
import { offsetAt } from '../time-zone.js';
import { mapOf } from '../value.js';
import { isStoredAsMarkdown, storedBody } from './body.js';

/** The keys that Jekyll and its plugins read. */
export const KEYS: KeyNames = {
  title: 'title',
  description: 'description',
  date: 'date',
  updated: 'last_modified_at',
  tags: 'tags',
  image: 'image',
};

/** A permalink that Jekyll takes as it is: without placeholders. It decodes what is percent-encoded. */
const LITERAL = /^(?:[\p{L}\p{M}\p{N}_.~/-]|%[\da-f]{2})+$/iu;

const POST_NAME = /^(\d{2,4})-(\d{1,2})-(\d{1,2})-([^/]*)\.([^./]+)$/;

/** The mapping of `jekyll`. */
export function mapping(given: MappingOptions): ArticleMapping {
  const keys: KeyNames = { ...KEYS, ...given.keys };
  const zone = given.timeZone ?? 'UTC';
  const hasSwitch = given.templateSwitch === true;
  return {
    keys,
    constants: given.constants,
    keptTags: given.keptTags ?? [],
    datesByName: true,
    reserved: ['permalink', 'render_with_liquid', 'excerpt_separator'],
    isArticlePath,
    slug: slugOfFile,
    date: (iso) => dateValue(iso, zone, given.dates ?? 'timestamp'),
    image: imageAddress,
    tagKey: slugify,
    extension: (body) => (isStoredAsMarkdown(body, given.body) ? '.md' : '.html'),
    body: (incoming, path) => storedBody(incoming, path, given.body, hasSwitch, given.rawHtml === true),
    pin: (address) => ({ permalink: address }),
    isPinned: ({ data }, address) =>
      typeof data.permalink === 'string' &&
      LITERAL.test(data.permalink) &&
      decodedAddress(`/${data.permalink.replace(/^\//, '')}`) === decodedAddress(address),
    hidden(file, now) {
      if (file.data.published === false || file.path.split('/').includes('_drafts')) return 'draft';
      if (given.futurePages === true) return undefined;
      const at = momentOf(file.data[keys.date], zone) ?? dayOfName(file.path, zone);
      return at !== undefined && at > now.getTime() ? 'future' : undefined;
    },
  };
}

/** Whether Jekyll reads a post from a file of this name. */
export function isArticlePath(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const extension = POST_NAME.exec(name)?.[5] ?? '';
  return !name.startsWith('_') && ['markdown', 'mkdown', 'mkdn', 'mkd', 'md', 'html'].includes(extension);
}

/** The `slug` of the front matter, or the part of the name behind the date. */
export function slugOfFile({ path, data }: FileFacts): string {
  if (typeof data.slug === 'string' && data.slug !== '') return data.slug;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return POST_NAME.exec(name)?.[4] ?? name.replace(/\.[^.]+$/, '');
}

/** What Jekyll makes of a name for its address. */
function slugify(text: string): string {
  return text
    .replace(/[^\p{M}\p{L}\p{Nd}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase();
}

const WEB_ADDRESS = /^https?:\/\/[\w.-]+(?::\d+)?(?:[/?#][\w.~:/?#@!$&'()*+,;=%-]*)?$/;

/** An image as Jekyll's filters accept it: `absolute_url` ends the build at an address that is not one. */
function imageAddress(url: string): string {
  if (WEB_ADDRESS.test(url)) return url;
  const href = URL.canParse(url)
    ? new URL(url).href.replace(/[^\w.~:/?#@!$&'()*+,;=%-]/g, encodeURIComponent)
    : '';
  if (WEB_ADDRESS.test(href)) return href;
  return encodeURIComponent(url.toWellFormed()).replaceAll('%2F', '/');
}

function dateValue(iso: string, zone: string, form: 'timestamp' | 'string' | 'day'): FrontMatterValue {
  const text = localDate(iso, zone);
  if (text === undefined) return iso;
  if (form === 'day') return { kind: 'timestamp', text: text.slice(0, 10) };
  return form === 'string' ? text : { kind: 'timestamp', text };
}

/** A moment as Jekyll's own posts have it, such as `2026-11-20 17:00:00 +0900`. */
function localDate(iso: string, zone: string): string | undefined {
  const at = momentOf(iso, 'UTC');
  if (at === undefined) return undefined;
  const offset = Math.trunc(offsetAt(at, zone) / 60_000);
  const [day, time = ''] = new Date(at + offset * 60_000).toISOString().split('T');
  const minutes = Math.abs(offset);
  const digits = (n: number) => String(n).padStart(2, '0');
  const shift = `${offset < 0 ? '-' : '+'}${digits(Math.floor(minutes / 60))}${digits(minutes % 60)}`;
  return `${day} ${time.replace(/(?:\.000)?Z$/, '')} ${shift}`;
}

const DATE =
  /^(\d{4}-\d\d-\d\d)(?:(?:[Tt]| +)(\d\d:\d\d)(:\d\d)?(?:[.,](\d+))? *(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** The moment that a date means, as YAML reads it: a time without offset is UTC, a day alone begins at the site's midnight. */
function momentOf(value: unknown, zone: string): number | undefined {
  if (value instanceof Date) return value.getTime();
  const text = typeof value === 'object' && value !== null ? mapOf(value).text : value;
  const match = typeof text === 'string' ? DATE.exec(text.trim()) : null;
  if (match === null) return undefined;
  const [, day = '', time, seconds = ':00', fraction = '0', shift = 'Z'] = match;
  if (time === undefined) return midnight(day, zone);
  const offset = /^z$/i.test(shift) ? 'Z' : `${shift.slice(0, 3)}:${shift.slice(3).replace(':', '') || '00'}`;
  return known(Date.parse(`${day}T${time}${seconds}.${fraction.slice(0, 3)}${offset}`));
}

function dayOfName(path: string, zone: string): number | undefined {
  const [, year = '', month = '', day = ''] = POST_NAME.exec(path.slice(path.lastIndexOf('/') + 1)) ?? [];
  if (year === '') return undefined;
  const century = year.length === 2 ? `20${year}` : year;
  return midnight(`${century}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`, zone);
}

function midnight(day: string, zone: string): number | undefined {
  const at = known(Date.parse(day));
  return at === undefined ? undefined : at - offsetAt(at, zone);
}

function known(milliseconds: number): number | undefined {
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}
