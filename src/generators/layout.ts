import { encodeSegment, percentEncoded } from '../article/address/files-of-address.js';
import { type Day, dayOf } from './mapping/dates.js';

/** The locations of articles: their files below the content folder and their public URLs. For dates see `dayOf`. */
export interface Layout {
  /** The file's path below the content folder, with forward slashes. */
  path(slug: string, date: string): string;
  /** The absolute public URL, percent-encoded below the site's. */
  url(slug: string, date: string): string;
}

/**
 * Makes a layout from two patterns. `:slug`, `:year`, `:month` and `:day` (of the first publication) are replaced.
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
  const filled = (pattern: string, slug: string, date: string) =>
    pattern.replace(/:(?:slug|year|month|day)\b/g, (part) =>
      part === ':slug' ? slug : dayOf(date, timeZone)[part.slice(1) as keyof Day],
    );
  return {
    path: (slug, date) => filled(filePattern, slug, date),
    url: (slug, date) => `${siteUrl}${percentEncoded(filled(permalink, encodedSlug(slug), date))}`,
  };
}

/** A person's file may have any name, also one with blanks, `#`, `?` or `%`. */
function encodedSlug(slug: string): string {
  return slug.split('/').map(encodeSegment).join('/');
}
