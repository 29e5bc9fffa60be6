import { decodedAddress } from '../../article/address/files-of-address.js';
import { byFrequency, type ValueMap } from '../../article/plain-data.js';
import { type Day, dayOf } from '../mapping/dates.js';

/** The parts of a post from which patterns are inferred. */
export interface PlacedPost {
  /** The path below the content folder, with forward slashes. */
  readonly path: string;
  /** The path of the post's URL below the site's. */
  readonly address: string;
  readonly slug: string;
  /** The date as ISO 8601; empty if unknown. */
  readonly date: string;
}

/** A post of the site, with its front matter. */
export interface SitePost extends PlacedPost {
  readonly data: ValueMap;
}

/** The number of newest posts that decide where the next one goes. */
const NEWEST = 20;

/** A pattern of posts. */
export interface Inferred {
  readonly pattern: string;
  /** Whether more than half of the newest posts have it. */
  readonly isCommon: boolean;
}

/** The pattern of the newest posts' addresses, such as `/:year/:month/:slug/`; undefined if there are none. */
export function inferPermalink(posts: readonly PlacedPost[], timeZone?: string): Inferred | undefined {
  return mostCommon(posts, timeZone, ({ address }, day) => {
    // The last part of an address belongs to the post itself, whether it is the slug or made from the title.
    const parts = /^(.*\/|)([^/]+?)(\.x?html?)?(\/?)$/.exec(decodedAddress(address)) ?? [];
    const [, folders = '/', last = '', end = '', slash = ''] = parts;
    return `${dated(folders, day)}${datedPrefix(last, day)}:slug${end}${slash}`;
  });
}

/** The pattern of the newest posts' files, such as `posts/:year/:slug.md`; undefined if there are none. */
export function inferFile(
  posts: readonly Omit<PlacedPost, 'address'>[],
  timeZone?: string,
): Inferred | undefined {
  return mostCommon(posts, timeZone, ({ path, slug }, day) => {
    // The folder of a page bundle has the post's name.
    const [name = '', ...above] = path.split('/').toReversed();
    const folders = /^index\./.test(name) && above[0] === slug ? above.slice(1) : above;
    return `${dated(['', ...folders].toReversed().join('/'), day)}${datedPrefix(name, day)}:slug.md`;
  });
}

function mostCommon<T extends Pick<PlacedPost, 'path' | 'date'>>(
  posts: readonly T[],
  timeZone: string | undefined,
  patternOf: (post: T, day: Day | undefined) => string,
): Inferred | undefined {
  const order = ({ date, path }: T) => `${date} ${path}`;
  const newest = posts.toSorted((one, other) => (order(one) < order(other) ? 1 : -1)).slice(0, NEWEST);
  const patterns = newest.map((post) => {
    if (post.date === '') return patternOf(post, undefined);
    // Some generators count the day in the site's time zone, others in the date's own.
    const inSite = patternOf(post, dayOf(post.date, timeZone));
    const asWritten = patternOf(post, dayOf(post.date.slice(0, 10)));
    return asWritten.split(':').length > inSite.split(':').length ? asWritten : inSite;
  });
  const [pattern] = byFrequency(patterns);
  if (pattern === undefined) return undefined;
  return { pattern, isCommon: patterns.filter((one) => one === pattern).length * 2 > patterns.length };
}

/** Replaces the numbers of a date in folders by its parts, with one part per folder or several: `2026/11`, `2026-11-20`. */
function dated(folders: string, day: Day | undefined): string {
  const waiting: [name: string, number: string][] =
    day === undefined
      ? []
      : [
          [':year', day.year],
          [':month', day.month],
          [':day', day.day],
        ];
  const parts = folders.split('/').map((part) => {
    const found = waiting.slice();
    const named = part.split(/([-.])/).map((text) => {
      const [next] = found;
      if (next === undefined || next[1] !== text) return text;
      found.shift();
      return next[0];
    });
    // A folder with another word in it, such as `top-10`, is not a date.
    if (named.some((text) => !/^(?:[-.]|:\w+)$/.test(text))) return part;
    waiting.splice(0, waiting.length - found.length);
    return named.join('');
  });
  return parts.join('/');
}

/**
 * The placeholders for a prefix such as `2026-11-20-`, if it is the post's date, or any date if the post has none; other
 * numbers belong to the slug.
 */
function datedPrefix(name: string, day: Day | undefined): string {
  const [prefix] = /^\d{4}-\d\d-\d\d-/.exec(name) ?? [];
  const isDate = prefix !== undefined && (!day || prefix === `${day.year}-${day.month}-${day.day}-`);
  return isDate ? ':year-:month-:day-' : '';
}
