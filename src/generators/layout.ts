import { type Day, dayOf } from '../article/day.js';
import { percentEncoded } from '../article/files-of-address.js';

/** Where articles live: their files below the content folder and their public URLs. */
export interface Layout {
  /** The file's path below the content folder, with forward slashes. */
  path(slug: string, date: string): string;
  /** The absolute public URL, percent-encoded below the site's. */
  url(slug: string, date: string): string;
}

/** The default file pattern; git pays for the width of a folder, so a month has its own. */
export const DEFAULT_FILE_PATTERN = 'articles/:year/:month/:slug.md';

/** The default URL pattern. */
export const DEFAULT_PERMALINK = '/articles/:slug/';

/**
 * The layout that two patterns describe. `:slug`, `:year`, `:month` and `:day` (of the first publication)
 * are replaced.
 *
 * @param siteUrl absolute, without a trailing slash.
 * @param timeZone the time zone in which the site counts days.
 */
export function patternLayout(
  siteUrl: string,
  filePattern: string,
  permalink: string,
  timeZone = 'UTC',
): Layout {
  const path = filler(filePattern, timeZone);
  const below = filler(permalink, timeZone);
  return { path, url: (slug, date) => `${siteUrl}${percentEncoded(below(slug, date))}` };
}

type Part = (slug: string, day: Day | undefined) => string;

/** A function that fills a pattern, which is cut to pieces once and not for every article. */
function filler(pattern: string, timeZone: string): (slug: string, date: string) => string {
  const pieces = pattern.split(/:(slug|year|month|day)\b/);
  const needsDay = pieces.some((piece, index) => index % 2 === 1 && piece !== 'slug');
  const parts = pieces.map((piece, index): Part => {
    if (index % 2 === 0) return () => piece;
    if (piece === 'slug') return (slug) => slug;
    return (_, day) => day?.[piece as keyof Day] ?? '';
  });
  return (slug, date) => {
    const day = needsDay ? dayOf(date, timeZone) : undefined;
    return parts.map((part) => part(slug, day)).join('');
  };
}

/** An address without percent escapes, as front matter has it; as it is where its escapes are malformed. */
export function decodedAddress(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}
