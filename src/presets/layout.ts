import { dayOf } from '../article/day.js';

/** Where articles live: their files below the content folder and their public URLs. */
export interface Layout {
  /** The file's path below the content folder, with forward slashes. */
  path(slug: string, date: string): string;
  /** The absolute public URL. */
  url(slug: string, date: string): string;
}

/** The default file pattern; git pays for the width of a folder, so a month has its own. */
export const DEFAULT_FILE_PATTERN = 'articles/:year/:month/:slug.md';

/** The default URL pattern. */
export const DEFAULT_PERMALINK = '/articles/:slug/';

/**
 * The layout that two patterns describe. `:slug`, `:year`, `:month` and `:day` (of the first publication,
 * UTC) are replaced.
 *
 * @param siteUrl absolute, without a trailing slash.
 */
export function patternLayout(siteUrl: string, filePattern: string, permalink: string): Layout {
  return {
    path: (slug, date) => fill(filePattern, slug, date),
    url: (slug, date) => `${siteUrl}${fill(permalink, slug, date)}`,
  };
}

function fill(pattern: string, slug: string, date: string): string {
  const values: Record<string, string> = { slug, ...dayOf(date) };
  return pattern.replace(/:(slug|year|month|day)\b/g, (_, name: string) => values[name] ?? '');
}
