import { type Day, dayOf } from '../article/day.js';
import { quote } from '../errors.js';
import type { Question } from './generator.js';
import { decodedAddress } from './layout.js';
import { byFrequency } from './value.js';

/** A post, as far as patterns are inferred from it. */
export interface PlacedPost {
  /** Below the content folder, with forward slashes. */
  readonly path: string;
  /** The path of its URL below the site's. */
  readonly address: string;
  readonly slug: string;
  /** The date as ISO 8601; empty where it is not known. */
  readonly date: string;
}

/** So many of the newest posts say how the next one is placed. */
const NEWEST = 20;

/** A pattern that posts have in common. */
export interface Inferred {
  readonly pattern: string;
  /** Whether more than half of the newest posts have it. */
  readonly isCommon: boolean;
}

/** The pattern of the newest posts' addresses, such as `/:year/:month/:slug/`; undefined where there are none. */
export function inferPermalink(posts: readonly PlacedPost[], timeZone?: string): Inferred | undefined {
  return mostCommon(newest(posts).map((post) => addressPattern(post, dayIn(post, timeZone))));
}

/** The pattern of the newest posts' files, such as `posts/:year/:slug.md`; undefined where there are none. */
export function inferFile(
  posts: readonly Omit<PlacedPost, 'address'>[],
  timeZone?: string,
): Inferred | undefined {
  return mostCommon(newest(posts).map((post) => filePattern(post, dayIn(post, timeZone))));
}

function newest<T extends Pick<PlacedPost, 'path' | 'date'>>(posts: readonly T[]): readonly T[] {
  const order = ({ date, path }: T) => `${date} ${path}`;
  return posts.toSorted((one, other) => (order(one) < order(other) ? 1 : -1)).slice(0, NEWEST);
}

function mostCommon(patterns: readonly string[]): Inferred | undefined {
  const [pattern] = byFrequency(patterns);
  if (pattern === undefined) return undefined;
  return { pattern, isCommon: patterns.filter((one) => one === pattern).length * 2 > patterns.length };
}

function dayIn({ date }: Pick<PlacedPost, 'date'>, timeZone: string | undefined): Day | undefined {
  return date === '' ? undefined : dayOf(date, timeZone);
}

/** The last part of an address is the post's own, whether it is the slug or made of the title. */
function addressPattern({ address }: PlacedPost, day: Day | undefined): string {
  const parts = decodedAddress(address).split('/');
  const isFolder = parts.at(-1) === '';
  const at = parts.length - (isFolder ? 2 : 1);
  const last = parts[at] ?? '';
  const [, prefix = '', end = ''] = /^((?:\d+-)*).*?(\.x?html?)?$/.exec(last) ?? [];
  return [...dated(parts.slice(0, at), day), `${datedPrefix(prefix, day)}:slug${end}`]
    .concat(isFolder ? [''] : [])
    .join('/');
}

function filePattern({ path, slug }: Omit<PlacedPost, 'address'>, day: Day | undefined): string {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  // The folder of a page bundle has the post's name.
  const folders = parts.slice(0, /^index\./.test(name) && parts.at(-2) === slug ? -2 : -1);
  const prefix = /^(?:\d+-)*/.exec(name)?.[0] ?? '';
  return [...dated(folders, day), `${datedPrefix(prefix, day)}:slug.md`].join('/');
}

/** Folders with the parts of a date in their order in the place of its numbers. */
function dated(parts: readonly string[], day: Day | undefined): string[] {
  const waiting = [':year', ':month', ':day'] as const;
  const values = day && [day.year, day.month, day.day];
  let next = 0;
  return parts.map((part) => {
    if (values === undefined || values[next] !== part) return part;
    next += 1;
    return waiting[next - 1] ?? part;
  });
}

/** `2026-11-20-` where it is the post's date, or a date at all where the post has no other; other numbers are the slug's. */
function datedPrefix(prefix: string, day: Day | undefined): string {
  const [, ...numbers] = /^(\d{4})-(\d\d)-(\d\d)-$/.exec(prefix) ?? [];
  const isDate = day === undefined ? numbers.length === 3 : prefix === `${day.year}-${day.month}-${day.day}-`;
  return isDate ? ':year-:month-:day-' : '';
}

/** Asks for the address of new articles where the posts have no pattern in common. */
export function permalinkQuestions(inferred: Inferred | undefined): Question[] {
  if (inferred === undefined || inferred.isCommon) return [];
  const { pattern } = inferred;
  const text = `The addresses of the posts have no pattern in common; the most frequent one is ${quote(pattern, 100)}. Which address shall new articles have?`;
  return [{ flag: 'permalink', text, fallback: pattern }];
}
